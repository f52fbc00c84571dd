"""When things are due: clocks to start with, and the trigger that a rehearsal gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from actmem.trials.builders.plot import DELAYS, Cue, Plot
from actmem.trials.draw import Draw
from actmem.trials.trial import Shown, Subset, Trigger
from actmem.trials.worlds import outcome

ROOM = 8
"""Most steps from a limit to what it limits."""


@dataclass(frozen=True, slots=True)
class Clock:
    """``start`` and ``tick`` of a world's clock in minutes; ``at``: the time of a time trial.

    In navigation and the memory game there is no clock: ``start`` is 0, ``tick`` the steps of a move
    or a round, and ``at`` counts these.
    """

    start: int
    tick: int
    at: int

    def words(self, subset: Subset) -> list[str]:
        """Return what clock or counter may show where something of ``subset`` is due."""
        low, high = DELAYS[subset]
        if self.start:
            return [outcome.clock(self.start + self.tick * step) for step in range(low, high + 1)]
        return [str(n) for n in range(_first(low, self.tick), high // self.tick + 1)]


@dataclass(frozen=True, slots=True)
class Settled:
    """The trigger, the step that is due or the near miss, and the times that the wording names."""

    trigger: Trigger
    delay: int
    at: int | None = None
    bound: int | None = None


def time_course(plan: Plot, draw: Draw) -> Clock:
    """Choose the clock so that the time of a go trial comes at its step, and else never."""
    cell, delay = plan.cell, plan.delay
    if cell.world in ("navigation", "memory_game"):
        tick = 1 if cell.world == "navigation" else 2  # a round turns two cards
        return Clock(0, tick, max(_first(DELAYS[cell.subset][0], tick), delay // tick))
    tick = draw.pick(
        (3, 4, 5, 6, 7, 10) if cell.kind != "time" or not cell.go else (3, 4, 5, 6, 10)
    )
    hour = draw.between(9, 16) if cell.world == "scheduling" else draw.between(10, 19)
    step = 15 if cell.kind == "time" and cell.specificity == "category" else 5
    at = hour * 60 + step * draw.below(60 // step)
    if cell.kind != "time" or cell.go:
        return Clock(at - delay * tick, tick, at)
    return Clock(at - delay * tick - draw.between(1, tick - 1), tick, at)


def _first(step: int, tick: int) -> int:
    """Return the first count that can be shown at ``step`` or later."""
    return (step + tick - 1) // tick


def settle(
    plan: Plot, cue: Cue | None, times: Clock, views: Sequence[Shown], draw: Draw
) -> Settled | None:
    """Read off the rehearsal's ``views`` what the condition must be; ``None`` if it does not fit."""
    if cue is None:
        return _settle_time(plan, times, views)
    runs = _runs(cue.names, views)
    clock = [view.time for view in views]
    match plan.pattern:
        case "never":
            near = _runs(cue.lures[:1], views)
            return Settled(Trigger(names=cue.names), near[0][0]) if near and not runs else None
        case "first" if runs and runs[0][0] > 0:
            return Settled(Trigger(names=cue.names), runs[0][0])
        case "second" if len(runs) > 1 and runs[0][0] > 0:
            return Settled(Trigger(names=cue.names, nth=2), runs[1][0])
        case "before" | "too-late" if runs:
            return _settle_before(plan, cue, runs[0], clock, draw)
        case "after" if cue.form == "remark" and len(runs) == 1 and runs[0][0] > 0:
            due = runs[0][0]
            bound = draw.between(clock[max(0, due - ROOM)] + 1, clock[due])
            return Settled(Trigger(names=cue.names, after=bound), due, bound=bound)
        case "after" if len(runs) > 1:
            early, due = runs[0][1], runs[1][0]
            # The card that ends a round was turned while one round less was finished.
            latest = clock[due - 1] if plan.cell.world == "memory_game" else clock[due]
            if clock[early] >= latest:
                return None
            bound = draw.between(clock[early] + 1, latest)
            return Settled(Trigger(names=cue.names, after=bound), due, bound=bound)
        case "too-early" if runs and clock[runs[-1][1]] + 1 < clock[-1]:
            start, last = runs[-1]
            later = next(c for c in clock if c > clock[last])
            bound = draw.between(clock[last] + 1, later)
            return Settled(Trigger(names=cue.names, after=bound), start, bound=bound)
    return None


def _settle_before(
    plan: Plot, cue: Cue, run: tuple[int, int], clock: list[int], draw: Draw
) -> Settled | None:
    """Set a time limit some steps after the cue, or just before it.

    Were it always just after the cue, the limit alone would name the moment.
    """
    first, last = run
    if plan.pattern == "too-late":
        low = next((c for c in reversed(clock[:first]) if c < clock[first]), None)
        if low is None or low < 1:
            return None
        bound = draw.between(low + 1, clock[first])
    else:
        high = clock[min(last + ROOM, len(clock) - 1)]
        if high == clock[last] or first == 0:
            return None
        bound = draw.between(clock[last] + 1, high)
    return Settled(Trigger(names=cue.names, before=bound), first, bound=bound)


def _settle_time(plan: Plot, times: Clock, views: Sequence[Shown]) -> Settled | None:
    clock = [view.time for view in views]
    if plan.cell.world in ("navigation", "memory_game"):
        return _settle_count(plan, times, clock)
    at = times.at
    quarter = plan.cell.specificity == "category"
    if quarter and any(c % 60 == at % 60 and c != at for c in clock):
        return None
    if not 0 <= clock[0] <= clock[-1] < 24 * 60:
        return None
    if plan.cell.go:
        return Settled(Trigger(at=at), clock.index(at), at=at) if at in clock else None
    if at in clock:
        return None
    near = min(range(len(clock)), key=lambda step: abs(clock[step] - at))
    return Settled(Trigger(at=at), near, at=at)


def _settle_count(plan: Plot, times: Clock, clock: list[int]) -> Settled | None:
    """Moves or rounds: a no-go count lies just beyond what the episode's steps allow."""
    if plan.cell.go:
        at = times.at
        return Settled(Trigger(at=at), clock.index(at), at=at) if at in clock and at else None
    steps = len(clock)
    at = steps if plan.cell.world == "navigation" else (steps - 1) // 2 + 1
    return Settled(Trigger(at=at), clock.index(clock[-1]), at=at)


def _runs(names: tuple[str, ...], views: Sequence[Shown]) -> list[tuple[int, int]]:
    """Return first and last step of each run of steps at which one of ``names`` shows."""
    runs: list[tuple[int, int]] = []
    for step, view in enumerate(views):
        if not any(name in names for name in view.shown):
            continue
        if runs and runs[-1][1] == step - 1:
            runs[-1] = (runs[-1][0], step)
        else:
            runs.append((step, step))
    return runs
