"""PM-Bench files: the released week and run logs, read as they are; weeks written in that format.

The release's week is our scenario without the fields that we add, so reading is renaming: channels
take their visibility, options lose their letters, bare event ids become events, and the derived
``groundtruth`` is dropped, since it is recomputed and never trusted.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from actmem.errors import InputError
from actmem.files import decode, read_bytes
from actmem.week.obligations import DayState, WeekPlan, prepare
from actmem.week.scenario import (
    CLOCK,
    Channel,
    ChannelEvent,
    Day,
    Lure,
    Mode,
    Name,
    Scenario,
    Step,
    Task,
    Text,
    Time,
    Update,
)
from actmem.week.score import Row

_LETTER = re.compile(r"^[ABC][).:]\s*")


class _Channel(Struct, forbid_unknown_fields=True):
    mode: Mode
    default_item: ChannelEvent | None = None


class _Step(Struct, forbid_unknown_fields=True, kw_only=True):
    id: Name
    time: Time
    text: Text
    options: tuple[Text, Text, Text]
    cues: tuple[Name, ...] = ()
    updates: tuple[Update, ...] = ()
    state_events: dict[Name, tuple[ChannelEvent | Name, ...]] | None = None
    groundtruth: Any = None


class _Day(Struct, forbid_unknown_fields=True, kw_only=True):
    name: Name
    start_instructions: tuple[Text, ...] = ()
    tasks: tuple[Task, ...]
    lures: tuple[Lure, ...] = ()
    steps: tuple[_Step, ...]


class _Week(Struct, forbid_unknown_fields=True, kw_only=True):
    scenario_name: Name
    time_visible_by_default: bool = False
    state_visibility: dict[Name, bool] = {}
    state_channels: dict[Name, _Channel]
    days: tuple[_Day, ...]


class _Row(Struct, frozen=True, kw_only=True):
    day: str
    step_id: str
    task_ids: tuple[str, ...] = ()
    check_time: int = 0
    state_queries: dict[str, int] | None = None

    def row(self) -> Row:
        queries = self.state_queries
        if queries is None:  # old rows count only their time checks
            queries = {CLOCK: self.check_time} if self.check_time else {}
        return Row(self.day, self.step_id, self.task_ids, queries)


def load_any(path: Path) -> Scenario:
    """Read a scenario of ours or a PM-Bench week, told apart by the field ``format``."""
    data = read_bytes(path)
    head = decode(data, dict[str, msgspec.Raw], path)
    return decode(data, Scenario, path) if "format" in head else read_week(data, path)


def read_week(data: bytes, where: str | Path) -> Scenario:
    """Read a PM-Bench week from its JSON bytes."""
    week = decode(data, _Week, where)
    visible = dict.fromkeys(week.state_channels, False) | week.state_visibility
    if CLOCK in visible:
        visible[CLOCK] = visible[CLOCK] or week.time_visible_by_default
    if not week.days:
        raise InputError("the week has no day", where)
    return Scenario(
        scenario_name=week.scenario_name,
        menu="pmbench",
        snapshot="seen",
        state_channels={
            name: Channel(mode=c.mode, default_item=c.default_item, visible=visible[name])
            for name, c in week.state_channels.items()
        },
        days=tuple(
            Day(
                name=day.name,
                start_instructions=day.start_instructions,
                tasks=day.tasks,
                lures=day.lures,
                steps=tuple(_step(step) for step in day.steps),
            )
            for day in week.days
        ),
    )


def _step(step: _Step) -> Step:
    return Step(
        id=step.id,
        time=step.time,
        text=step.text,
        options=tuple(_LETTER.sub("", option) for option in step.options),
        cues=step.cues,
        updates=step.updates,
        state_events={
            channel: tuple(
                event if isinstance(event, ChannelEvent) else ChannelEvent(event, event)
                for event in events
            )
            for channel, events in (step.state_events or {}).items()
        },
    )


def read_log(path: Path) -> list[Row]:
    """Read a run log: a row a step, metadata rows skipped; a bad line is an ``InputError``."""
    rows = []
    for number, line in enumerate(read_bytes(path).splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        if decode(line, dict[str, msgspec.Raw], where).get("record_type") is None:
            rows.append(decode(line, _Row, where).row())
    return rows


def write_week(scenario: Scenario) -> dict[str, Any]:
    """Return ``scenario`` as a PM-Bench week, ground truth included.

    What that format cannot hold (conditions on values) is an ``InputError``. The rules of menus and
    snapshots, and when a lure appears, are left out: the format has one rule for each.
    """
    plan = prepare(scenario)
    return {
        "scenario_name": scenario.scenario_name,
        "time_visible_by_default": scenario.time_visible,
        "state_visibility": {name: c.visible for name, c in scenario.state_channels.items()},
        "state_channels": {
            name: {"mode": c.mode}
            | ({"default_item": _event(c.default_item)} if c.default_item else {})
            for name, c in scenario.state_channels.items()
        },
        "days": [_write_day(plan, number) for number in range(len(scenario.days))],
    }


def _write_day(plan: WeekPlan, number: int) -> dict[str, Any]:
    from actmem.week.menu import pmbench_handles

    day = plan.days[number].day
    handles = pmbench_handles(day)
    state = DayState(plan.days[number])
    steps = []
    for index, step in enumerate(day.steps):
        due = state.due(index)
        state.act(index, due, due)
        steps.append(
            {
                "id": step.id,
                "time": step.time,
                "text": step.text,
                "options": [
                    f"{letter}) {text}" for letter, text in zip("ABC", step.options, strict=True)
                ],
                "cues": list(step.cues),
                "updates": [_set_fields(update) for update in step.updates],
                "state_events": {
                    name: [_event(event) for event in events]
                    for name, events in step.state_events.items()
                },
                "groundtruth": {
                    "status": "due" if due else "none",
                    "actions": [{"id": name, "task_handle": handles[name]} for name in due],
                },
            }
        )
    return {
        "name": day.name,
        "start_instructions": list(day.start_instructions),
        "tasks": [_write_task(task) for task in day.tasks],
        "lures": [{"id": lure.id, "action_text": lure.action_text} for lure in day.lures],
        "steps": steps,
    }


def _write_task(task: Task) -> dict[str, Any]:
    if task.condition is not None:
        raise InputError(
            f"task {task.id!r} has a value condition, which PM-Bench files cannot hold"
        )
    fields = _set_fields(task) | {"regular": task.regular, "encoding": task.encoding}
    if task.type == "time_check":
        fields |= {"window_before": task.window_before, "window_after": task.window_after}
    return fields


def _set_fields(record: Task | Update) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(record)
    if "new_condition" in fields:
        raise InputError(f"an update of {record.task_id!r} sets a value condition")  # type: ignore[union-attr]
    return fields


def _event(event: ChannelEvent) -> dict[str, Any]:
    return {"id": event.id, "text": event.text, "value": event.value, "meta": event.meta}
