"""The state of a day's obligations: active, due and why, completed, cancelled.

This is the only place that knows these rules; world, oracle, checker, scorer and explainer all fold
it. The rules follow the PM-Bench paper (sections 3.1 and A.4) as the released evaluator applies
them. The fold has two stages:

1. ``prepare`` lays out what an agent cannot change. For each task a ``Timeline`` says, step by step
   and as if nobody ever acted, which version of the task holds, whether its condition is met and
   whether its late window is open.
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
from itertools import pairwise
from typing import NamedTuple, TypedDict, TypeVar

from actmem.errors import InputError
from actmem.week.scenario import (
    CLOCK,
    Channel,
    Condition,
    Day,
    Scenario,
    Step,
    Task,
    TaskType,
    Update,
    Value,
    clock_time,
    minutes,
)

LATE_MINUTES = 60
"""Minutes past the target within which a timed task still counts as done late (A.4)."""
T = TypeVar("T")

CHANGES = ("reschedule", "override")
"""Update actions that replace fields of a task; ``cancel`` is the third action."""


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


@dataclass(frozen=True, slots=True)
class Version:
    """What a task says between two updates. ``target`` is in minutes since midnight."""

    type: TaskType
    cue: str | None
    channel: str | None
    condition: Condition | None
    target: int | None
    before: int
    after: int
    label: str
    action_text: str

    @classmethod
    def of(cls, task: Task) -> Version:
        """Return the version that ``task`` declares."""
        return cls(
            type=task.type,
            cue=task.cue_id,
            channel=task.cue_channel,
            condition=task.condition,
            target=None if task.target_time is None else minutes(task.target_time),
            before=task.window_before,
            after=task.window_after,
            label=task.label,
            action_text=task.action_text,
        )

    def updated(self, update: Update) -> Version:
        """Return the version after ``update``; a task keeps its channel.

        A new cue takes the place of a condition on a value.
        """
        target = update.new_target_time
        condition = self.condition if update.new_cue_id is None else None
        return Version(
            type=_new(update.new_type, self.type),
            cue=_new(update.new_cue_id, self.cue),
            channel=self.channel,
            condition=_new(update.new_condition, condition),
            target=self.target if target is None else minutes(target),
            before=_new(update.new_window_before, self.before),
            after=_new(update.new_window_after, self.after),
            label=_new(update.new_label, self.label),
            action_text=_new(update.new_action_text, self.action_text),
        )

    @property
    def source(self) -> str | None:
        """What has to be watched: ``clock``, a channel, or None for the narrative."""
        return self.channel if self.type == "event" else CLOCK

    def trigger(self) -> str:
        """Return the condition in words."""
        if self.type == "event":
            where = f"on {self.channel}" if self.channel else "in the narrative"
            if self.condition is not None:
                return f"value {where} {self.condition.op} {self.condition.threshold:g}"
            return f"cue {self.cue} {where}"
        if self.target is None:
            return "a time, and none is set"
        if self.type == "time":
            return f"time {clock_time(self.target)}"
        return f"time {clock_time(self.target - self.before)} to {clock_time(self.target + self.after)}"


def _new(new: T | None, old: T) -> T:
    return old if new is None else new


class Given(NamedTuple):
    """An update as it reaches a task: the step at which it applies, and where it was announced."""

    step: int
    """Index of the step before whose due set it applies; 0 for one of an earlier day."""
    update: Update
    day: str
    """Name of the day whose step announces it."""
    announced: str
    """Id of that step."""


class Timeline(NamedTuple):
    """One task over the steps of its day, as if it were never completed."""

    task: Task
    start: int
    """Index of the step at which the task becomes active."""
    given: tuple[Given, ...]
    """The updates that name the task, in order."""
    updated: int | None
    """Index of the step at which the first change or cancel applies."""
    cancelled: int | None
    """Index of the step at which a cancel applies."""
    versions: tuple[Version, ...]
    """The version that holds, per step."""
    met: frozenset[int]
    """Steps from ``start`` on at which the condition is met, cancels and prerequisites left out."""
    late: frozenset[int]
    """Steps from ``start`` on at which the task, if not due, would be done late."""
    stale: frozenset[int]
    """Steps at which a replaced version's condition holds and the present one's does not."""
    ancestors: tuple[str, ...]
    """The prerequisite, its prerequisite, and so on."""


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
    ids = sorted(task.id for task in day.tasks)
    for one, other in pairwise(ids):
        if one == other:
            raise InputError(f"two tasks of {day.name} have the id {one!r}")
    by_id = {task.id: task for task in day.tasks}
    given: dict[str, list[Given]] = {}
    for item in updates_for(scenario, number):
        given.setdefault(item.update.task_id, []).append(item)
    scene = _Scene.of(scenario, day)
    timelines = {
        name: _timeline(by_id[name], tuple(given.get(name, ())), scene, by_id) for name in ids
    }
    steps = range(len(day.steps))
    return DayPlan(
        day=day,
        number=number,
        times=scene.times,
        steps=tuple(step.id for step in day.steps),
        timelines=timelines,
        due=tuple(
            tuple(
                name
                for name, line in timelines.items()
                if step in line.met and (line.cancelled is None or line.cancelled > step)
            )
            for step in steps
        ),
        active=tuple(
            tuple(name for name, line in timelines.items() if line.start <= step) for step in steps
        ),
        needs={task.id: task.depends_on for task in day.tasks if task.depends_on is not None},
        cancellable=frozenset(
            name
            for name, line in timelines.items()
            if any(timelines[n].cancelled is not None for n in (name, *line.ancestors))
        ),
        visible=frozenset(name for name, c in scenario.state_channels.items() if c.visible),
    )


def updates_for(scenario: Scenario, number: int) -> list[Given]:
    """Return the updates that concern a day, in order of effect.

    Those of earlier days apply before its first step. One that names a day gone by has no effect.
    """
    day = scenario.days[number]
    given = [
        Given(0, update, earlier.name, step.id)
        for earlier in scenario.days[:number]
        for step in earlier.steps
        for update in step.updates
        if update.target_day == day.name
    ]
    given += [
        Given(index, update, day.name, step.id)
        for index, step in enumerate(day.steps)
        for update in step.updates
        if update.target_day in (None, day.name)
    ]
    return given


class _Scene(NamedTuple):
    """What the steps of a day offer to the conditions of its tasks."""

    position: dict[str, int]
    times: tuple[int, ...]
    narrative: tuple[frozenset[str], ...]
    channels: dict[str, tuple[frozenset[str], ...]]
    values: dict[str, tuple[Value, ...]]
    """Current value per channel and step, day by day from the channel's default."""

    @classmethod
    def of(cls, scenario: Scenario, day: Day) -> _Scene:
        names = {name: None for step in day.steps for name in step.state_events}
        return cls(
            position={step.id: index for index, step in enumerate(day.steps)},
            times=tuple(minutes(step.time) for step in day.steps),
            narrative=tuple(frozenset(step.cues) for step in day.steps),
            channels={
                name: tuple(
                    frozenset(event.id for event in step.state_events.get(name, ()))
                    for step in day.steps
                )
                for name in names
            },
            values={
                name: _current_values(channel, name, day.steps)
                for name, channel in scenario.state_channels.items()
            },
        )

    def holds(self, version: Version, step: int) -> bool:
        """Say whether the version's condition holds at ``step``; a value condition may go on."""
        if version.type == "event":
            if version.condition is not None:
                values = self.values.get(version.channel or "")
                return values is not None and version.condition.holds(values[step])
            if version.channel is None:
                return version.cue in self.narrative[step]
            events = self.channels.get(version.channel)
            return events is not None and version.cue in events[step]
        if version.target is None:
            return False
        past = self.times[step] - version.target
        if version.type == "time":
            return past == 0
        return -version.before <= past <= version.after


def _current_values(channel: Channel, name: str, steps: Sequence[Step]) -> tuple[Value, ...]:
    value = channel.default_item.value if channel.default_item else None
    values: list[Value] = []
    for step in steps:
        for event in step.state_events.get(name, ()):
            value = event.value
        values.append(value)
    return tuple(values)


def _timeline(
    task: Task, given: tuple[Given, ...], scene: _Scene, by_id: dict[str, Task]
) -> Timeline:
    start = 0
    if task.encoding != "start":
        step_id = task.encoding.removeprefix("step:")
        if step_id not in scene.position:
            raise InputError(f"task {task.id!r} starts at {step_id!r}, which is no step of its day")
        start = scene.position[step_id]
    effective = [g for g in given if g.update.action in (*CHANGES, "cancel")]
    cancelled = next((g.step for g in effective if g.update.action == "cancel"), None)
    return Timeline(
        task=task,
        start=start,
        given=given,
        updated=effective[0].step if effective else None,
        cancelled=cancelled,
        ancestors=_ancestors(task, by_id),
        **_lay_out(task, start, effective, scene),
    )


class _Layout(TypedDict):
    versions: tuple[Version, ...]
    met: frozenset[int]
    late: frozenset[int]
    stale: frozenset[int]


def _lay_out(task: Task, start: int, given: list[Given], scene: _Scene) -> _Layout:
    """Walk the day once, update by update."""
    version = Version.of(task)
    replaced: list[Version] = []
    pending = [g for g in given if g.update.action in CHANGES]
    seen: int | None = None
    versions, met, late, stale = [], set(), set(), set()
    for step, time in enumerate(scene.times):
        while pending and pending[0].step == step:
            update = pending.pop(0).update
            replaced.append(version)
            version = version.updated(update)
            if update.new_cue_id or update.new_condition or update.new_target_time:
                seen = None
        versions.append(version)
        if step < start:
            continue
        event = version.type == "event"
        holds = scene.holds(version, step)
        once = event and version.condition is not None  # due at the first step where it holds
        if holds and not (once and seen is not None):
            met.add(step)
        if event and holds and seen is None:
            seen = step
        if not holds and any(scene.holds(old, step) for old in replaced):
            stale.add(step)
        if seen == step - 1 if event else _late(version, time):
            late.add(step)
    return _Layout(
        versions=tuple(versions),
        met=frozenset(met),
        late=frozenset(late),
        stale=frozenset(stale),
    )


def _late(version: Version, time: int) -> bool:
    """Say whether ``time`` lies in the late window of a timed version."""
    if version.target is None:
        return False
    past = time - version.target
    grace = version.after if version.type == "time_check" else 0
    return past > grace and 0 < past <= LATE_MINUTES


def _ancestors(task: Task, by_id: dict[str, Task]) -> tuple[str, ...]:
    chain: list[str] = []
    name = task.depends_on
    while name is not None and name in by_id and name not in chain and name != task.id:
        chain.append(name)
        name = by_id[name].depends_on
    return tuple(chain)
