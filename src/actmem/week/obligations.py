"""The state of a day's obligations: active, due and why, completed, cancelled.

With ``timeline`` this is the only place that knows these rules; world, oracle, checker, scorer and
explainer all fold it. The rules follow the PM-Bench paper (sections 3.1 and A.4) as the released evaluator applies
them. The fold has two stages:

1. ``prepare`` lays out what an agent cannot change: the timelines of the tasks (see ``timeline``).
2. ``DayState`` adds what an agent does. A completion at a step freezes the task there, so that
   later updates find it done; it opens the tasks that depend on it; and a cancelled task cancels
   its dependants unless it was completed before.

Order within a step: updates, activation, the due set, then the acts one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from actmem.week.scenario import Day, Scenario, minutes
from actmem.week.timeline import Timeline, timelines, updates_for


class Verdict(IntEnum):
    """What one chosen handle amounts to."""

    HIT = 0
    LATE = 1
    UNKNOWN = 2
    """A lure, or no task of the day."""
    INACTIVE = 3
    EARLY = 4
    """Active and not due, no late window open: too early, or too late to count."""
    COMPLETED = 5
    """Done before."""
    BLOCKED = 6
    """Its prerequisite is not done."""
    CANCELLED = 7


HIT = Verdict.HIT


class DayPlan(NamedTuple):
    """A day made ready for folding."""

    day: Day
    number: int
    """Position in the week, from 0."""
    times: tuple[int, ...]
    """Minutes since midnight, per step."""
    steps: tuple[str, ...]
    """The steps' ids."""
    timelines: dict[str, Timeline]
    """By task id, in sorted order."""
    due: tuple[tuple[str, ...], ...]
    """Per step, the ids whose condition is met and that are not cancelled."""
    active: tuple[tuple[str, ...], ...]
    """Per step, the ids of the active tasks, cancelled ones included."""
    needs: dict[str, str]
    """Prerequisites by task id."""
    cancellable: frozenset[str]
    """Ids of the tasks that a cancel may reach, directly or by cascade."""
    visible: frozenset[str]
    """Names of the channels that the observation shows without a query."""


@dataclass(frozen=True, eq=False)
class WeekPlan:
    """A scenario made ready for folding. Plans are compared by identity, scenarios by content."""

    scenario: Scenario
    days: tuple[DayPlan, ...]

    @cached_property
    def digest(self) -> str:
        """The scenario's digest."""
        return self.scenario.digest


class DayState:
    """The obligations of one day as an agent acts: the fold over ``DayPlan``."""

    __slots__ = ("completed", "plan")

    def __init__(self, plan: DayPlan) -> None:
        self.plan = plan
        self.completed: dict[str, tuple[int, Verdict]] = {}
        """Step and verdict (``HIT`` or ``LATE``) by task id."""

    def due(self, step: int) -> list[str]:
        """Return the ids that are due at ``step``, given what was completed so far."""
        met = self.plan.due[step]
        if not met:
            return []
        completed, needs = self.completed, self.plan.needs
        return [
            name
            for name in met
            if name not in completed and (name not in needs or needs[name] in completed)
        ]

    def open(self, step: int) -> list[str]:
        """Return the ids of the menu's tasks: active, not completed, cancelled ones included."""
        completed = self.completed
        return [name for name in self.plan.active[step] if name not in completed]

    def cancelled(self, name: str) -> int | None:
        """Return the step at which the task is cancelled, directly or by cascade, or None."""
        if name in self.completed or name not in self.plan.cancellable:
            return None
        timeline = self.plan.timelines[name]
        first = timeline.cancelled
        for ancestor in timeline.ancestors:
            if ancestor in self.completed:
                break
            at = self.plan.timelines[ancestor].cancelled
            if at is not None and (first is None or at < first):
                first = at
        return first

    def cancelled_by(self, step: int, name: str) -> bool:
        """Say whether the task is cancelled at ``step``, directly or by cascade."""
        at = self.cancelled(name)
        return at is not None and at <= step

    def act(self, step: int, chosen: Iterable[str], due: Sequence[str]) -> list[Verdict]:
        """Apply the chosen ids, without repeats and in order, and return a verdict for each.

        ``due`` is ``self.due(step)``, taken before the first of them.
        """
        timelines, needs, completed = self.plan.timelines, self.plan.needs, self.completed
        verdicts = []
        for name in chosen:
            timeline = timelines.get(name)
            if timeline is None:
                verdict = Verdict.UNKNOWN
            elif name in completed:
                verdict = Verdict.COMPLETED
            elif name in needs and needs[name] not in completed:
                verdict = Verdict.BLOCKED
            elif timeline.cancelled is not None and timeline.cancelled <= step:
                verdict = Verdict.CANCELLED
            elif step < timeline.start:
                verdict = Verdict.INACTIVE
            elif name in due:
                verdict = HIT
                completed[name] = (step, HIT)
            elif step in timeline.late:
                verdict = Verdict.LATE
                completed[name] = (step, verdict)
            else:
                verdict = Verdict.EARLY
            verdicts.append(verdict)
        return verdicts

    def reason(self, step: int, name: str) -> str:
        """Say in words why the task is or is not due at ``step``."""
        timeline = self.plan.timelines[name]
        version = timeline.versions[step]
        if name in self.completed and self.completed[name][0] < step:
            return f"not due: done at step {self.completed[name][0] + 1}"
        at = self.cancelled(name)
        if at is not None and at <= step:
            return f"not due: cancelled at step {at + 1}"
        if step < timeline.start:
            return f"not due: becomes active at step {timeline.start + 1}"
        needed = timeline.task.depends_on
        if needed is not None and needed not in self.completed:
            return f"not due: {needed} has to be done before"
        if step in timeline.met:
            return f"due: {version.trigger()}"
        if step in timeline.late:
            return f"no longer due, would count as late: {version.trigger()}"
        stale = " (the condition before the update holds)" if step in timeline.stale else ""
        if timeline.met and step > max(timeline.met):
            return f"no longer due, too late to count: {version.trigger()}{stale}"
        return f"not due: waits for {version.trigger()}{stale}"


def prepare(scenario: Scenario) -> WeekPlan:
    """Lay out every day of ``scenario``; an ``InputError`` names what cannot be laid out."""
    return WeekPlan(
        scenario=scenario,
        days=tuple(prepare_day(scenario, number) for number in range(len(scenario.days))),
    )


def prepare_day(scenario: Scenario, number: int) -> DayPlan:
    """Lay out one day, with the updates that earlier days announce for it."""
    day = scenario.days[number]
    lines = timelines(scenario, day, updates_for(scenario, number))
    steps = range(len(day.steps))
    return DayPlan(
        day=day,
        number=number,
        times=tuple(minutes(step.time) for step in day.steps),
        steps=tuple(step.id for step in day.steps),
        timelines=lines,
        due=tuple(
            tuple(
                name
                for name, line in lines.items()
                if step in line.met and (line.cancelled is None or line.cancelled > step)
            )
            for step in steps
        ),
        active=tuple(
            tuple(name for name, line in lines.items() if line.start <= step) for step in steps
        ),
        needs={task.id: task.depends_on for task in day.tasks if task.depends_on is not None},
        cancellable=frozenset(
            name
            for name, line in lines.items()
            if any(lines[n].cancelled is not None for n in (name, *line.ancestors))
        ),
        visible=frozenset(name for name, c in scenario.state_channels.items() if c.visible),
    )
