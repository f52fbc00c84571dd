"""When the steps of a day are: irregular, between 07:00 and 22:00."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from actmem.week.content.shared import Archetype, Routine
from actmem.week.generator.draft import Rejected
from actmem.week.generator.draw import Draw
from actmem.week.scenario import minutes

FIRST, NOON, FIVE, LAST = 7 * 60, 12 * 60, 17 * 60, 22 * 60
GRID = 5
"""Times are multiples of this many minutes."""
CHOICE = 4
"""Steps in the hours of each narrative routine, so that its cue is bound to none of them."""
PARTS = ((FIRST, NOON), (NOON, FIVE), (FIVE, LAST))


def step_times(
    archetype: Archetype, number: int, fixed: Sequence[int], routines: Sequence[Routine], draw: Draw
) -> list[int]:
    """Draw ``number`` step times: the ``fixed`` ones, some in each routine's hours, others by weight."""
    times = sorted(fixed)
    for routine in routines:
        low, high = minutes(routine.earliest), minutes(routine.latest)
        while sum(low <= time <= high for time in times) < CHOICE:
            times.append(_fitting(times, low, high, archetype.gap, draw))
    while len(times) < number:
        low, high = PARTS[draw.weighted(archetype.dayparts)]
        times.append(_fitting(times, low, high, archetype.gap, draw))
    return sorted(times)


def _fitting(times: Sequence[int], low: int, high: int, gap: int, draw: Draw) -> int:
    """Draw a time that keeps the gap to all others; the gap shrinks where the day is full."""
    edges = sorted(times)
    while gap >= GRID:
        fit: list[int] = []
        for before, after in pairwise((low - gap, *edges, high + gap)):
            first = max(low, before + gap)
            fit += range(-(-first // GRID) * GRID, min(high, after - gap) + 1, GRID)
        if fit:
            return draw.pick(fit)
        gap -= GRID
    raise Rejected("the day is too full")


def routine_times(draw: Draw) -> tuple[int, int]:
    """Draw the two times of the clock routines: one until early afternoon, one later."""
    early = draw.between((FIRST + 75) // GRID, (NOON + 60) // GRID) * GRID
    late = draw.between((NOON + 240) // GRID, (LAST - 30) // GRID) * GRID
    return early, late
