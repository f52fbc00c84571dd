"""What an agent cannot change of a day's obligations: each task's timeline.

The first stage of the fold (see ``obligations``). A ``Timeline`` says, step by step and as if nobody
ever acted, which version of the task holds, whether its condition is met and whether its late window
is open. The rules follow the PM-Bench paper (sections 3.1 and A.4) as the released evaluator applies
them. Order within a step: updates, then activation, then the conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


def timelines(scenario: Scenario, day: Day, given: Sequence[Given]) -> dict[str, Timeline]:
    """Return the timeline of each task of ``day`` by its id, in sorted order.

    ``given`` are the updates that concern the day (``updates_for``). Raises ``InputError`` for two
    tasks of one id, and for one that starts at no step.
    """
    ids = sorted(task.id for task in day.tasks)
    for one, other in pairwise(ids):
        if one == other:
            raise InputError(f"two tasks of {day.name} have the id {one!r}")
    by_id = {task.id: task for task in day.tasks}
    updates: dict[str, list[Given]] = {}
    for item in given:
        updates.setdefault(item.update.task_id, []).append(item)
    scene = _Scene.of(scenario, day)
    return {
        name: _timeline(by_id[name], tuple(updates.get(name, ())), scene, by_id) for name in ids
    }


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
