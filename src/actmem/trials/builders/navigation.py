"""Set the stage for a navigation trial."""

from __future__ import annotations

from actmem.trials.bank import WorldBank
from actmem.trials.builders.plot import Cue, Draft, Plot, decoys, remarks
from actmem.trials.builders.schedule import Clock
from actmem.trials.draw import Draw
from actmem.trials.trial import Intended
from actmem.trials.worlds.navigation import COMPASS, Cell, NavigationSetup

_SIZE = {"A": 6, "B": 8, "C": 9}
SLACK = 2
"""Steps that are left when the walk is at its end."""


def build(plan: Plot, times: Clock, bank: WorldBank, draw: Draw) -> tuple[Draft, Cue | None] | None:
    """Lay out a walk of straight legs and put landmarks beside it.

    Each goal is on the line of the one before, so that the way without detours is one, and what
    comes into view on it comes at a known move. Returns the draft and the cue (with its cell, where
    the cue is one), or ``None`` where this draw does not fit.
    """
    size = _SIZE[plan.cell.subset]
    walk, goals = _walk(size, plan, draw)
    length = len(walk) - 1
    steps = length + SLACK
    seen = _seen(size, walk)
    cue = plan.cue
    if cue is not None and cue.form == "cell":
        cue = _cell(plan, walk, size)
        if cue is None:
            return None
    places: dict[Cell, str] = {}
    for step, name in plan.shows if cue is not None and cue.form == "name" else ():
        fits = [c for c, when in seen.items() if when and when[0] == step and c not in places]
        if step >= length:
            continue
        if not fits:
            return None
        places[draw.pick(fits)] = name
    fill = draw.shuffled(bank.ambient + tuple(decoys(bank, plan.cue, draw, 8)))
    empty = [cell for cell in seen if cell not in places]
    for cell in draw.sample(empty, {"A": 4, "B": 10, "C": 16}[plan.cell.subset]):
        places[cell] = fill.pop()
    said = remarks(plan, bank, steps, times.words(plan.cell.subset), draw)
    marks = tuple((x, y, name) for (x, y), name in sorted(places.items()))
    setup = NavigationSetup(size, walk[0], tuple(goals), marks, said)
    return Draft(setup, steps, Intended("mark"), draw.pick(bank.action["mark"])), cue


def _walk(size: int, plan: Plot, draw: Draw) -> tuple[list[Cell], list[Cell]]:
    """Return the cells of the walk, start first, and its goals."""
    never = plan.pattern == "at" and not plan.cell.go
    length = plan.delay if never else plan.steps - SLACK
    walk = [(draw.below(size), draw.below(size))]
    goals: list[Cell] = []
    axis = draw.below(2)
    while len(walk) - 1 < length:
        here = walk[-1]
        reach = [
            (step, n)
            for step in (-1, 1)
            for n in (2, 3, 4)
            if 0 <= here[axis] + step * n < size and len(walk) - 1 + n <= length + 2
        ]
        if not reach:
            break
        step, n = draw.pick(reach)
        for _ in range(n):
            x, y = walk[-1]
            walk.append((x + step, y) if axis == 0 else (x, y + step))
        goals.append(walk[-1])
        axis = 1 - axis
    return walk, goals


def _seen(size: int, walk: list[Cell]) -> dict[Cell, list[int]]:
    """Return for each cell the steps of the walk at which it is in view."""
    seen: dict[Cell, list[int]] = {(x, y): [] for x in range(size) for y in range(size)}
    for step, (x, y) in enumerate(walk):
        for a, b in ((0, 0), *COMPASS.values()):
            if (x + a, y + b) in seen:
                seen[(x + a, y + b)].append(step)
    return seen


def _cell(plan: Plot, walk: list[Cell], size: int) -> Cue | None:
    """Return the cue for a cell at the planned step, or a mirrored one that is never reached."""
    if plan.delay >= len(walk):
        return None
    x, y = walk[plan.delay]
    if plan.pattern == "never":
        if x == y or (y, x) in walk:
            return None
        return Cue("", f"({y}, {x})", (f"({y}, {x})",), (f"({x}, {y})",), "cell")
    if plan.cell.subset != "A" and (x == y or (y, x) not in walk[1 : plan.delay]):
        return None  # its mirror image is the distractor, and comes first
    return Cue("", f"({x}, {y})", (f"({x}, {y})",), (f"({y}, {x})",), "cell")
