"""Small weeks for the tests, written down in a line or two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from msgspec import convert

from actmem.week.mock import mock
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.scenario import Scenario
from actmem.week.score import Row

DAYS = ("Monday", "Tuesday", "Wednesday")

settings.register_profile(
    "actmem", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("actmem")


def _event(channel: str, event: Any) -> dict[str, Any]:
    """Return a channel event from its id, or from (id, value)."""
    name, value = event if isinstance(event, tuple) else (event, None)
    return {"id": name, "text": f"{channel} says {name}", "value": value}


def _step(day: str, number: int, given: str | dict[str, Any]) -> dict[str, Any]:
    """Return a step from ``"08:00 cue other_cue"``, or from a mapping with that under ``at``.

    The mapping's other keys are ``updates`` and the names of channels with their events.
    """
    rest = {} if isinstance(given, str) else dict(given)
    time, *cues = (given if isinstance(given, str) else rest.pop("at")).split()
    return {
        "id": f"{day[:3].lower()}{number}",
        "time": time,
        "text": f"Scene {number} of {day}.",
        "options": ("sit", "stand", "walk"),
        "cues": cues,
        "updates": rest.pop("updates", ()),
        "state_events": {name: [_event(name, e) for e in rest[name]] for name in rest},
    }


def _task(name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a task; its type follows from its fields, and its cue from its id."""
    timed = "target_time" in fields
    window = "window_before" in fields or "window_after" in fields
    kind = "time_check" if window else "time" if timed else "event"
    given = {"type": kind, "label": f"{name} when it is time", "action_text": f"Do {name}"}
    if not timed and "condition" not in fields:
        given["cue_id"] = f"{name}_cue"
    return {"id": name, **given, **fields}


def _day(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "start_instructions": given.get("opening", ()),
        "tasks": [_task(task, fields) for task, fields in given.get("tasks", {}).items()],
        "lures": [
            {"id": lure, "action_text": f"Fancy {lure}", "encoding": encoding}
            for lure, encoding in given.get("lures", {}).items()
        ],
        "steps": [_step(name, n, step) for n, step in enumerate(given["steps"], start=1)],
    }


def build_week(
    *days: Mapping[str, Any],
    channels: Mapping[str, str] | None = None,
    menu: str = "persistent",
    snapshot: str = "current",
    clock_visible: bool = False,
) -> WeekPlan:
    """Prepare a week from its days, each ``{"tasks": …, "steps": …, "lures": …, "opening": …}``.

    ``channels`` gives a mode by name; those that only the steps name are delta channels.
    """
    built = [_day(name, given) for name, given in zip(DAYS, days, strict=False)]
    named = [name for day in built for step in day["steps"] for name in step["state_events"]]
    modes = dict.fromkeys(named, "delta") | dict(channels or {})
    week = {
        "scenario_name": "small",
        "menu": menu,
        "snapshot": snapshot,
        "state_channels": {
            "clock": {"mode": "snapshot", "visible": clock_visible},
            **{name: {"mode": mode} for name, mode in modes.items()},
        },
        "days": built,
    }
    return prepare(convert(week, Scenario))


def rows_of_week(
    plan: WeekPlan,
    chosen: Mapping[str, Sequence[str]] | None = None,
    queries: Mapping[str, Mapping[str, int] | Sequence[str]] | None = None,
) -> list[Row]:
    """Return a row a step, from what was chosen and asked by step id; nothing where left out."""
    asked = {
        step: dict(given) if isinstance(given, Mapping) else dict.fromkeys(given, 1)
        for step, given in (queries or {}).items()
    }
    acts = chosen or {}
    return [
        Row(day.day.name, step.id, tuple(acts.get(step.id, ())), asked.get(step.id, {}))
        for day in plan.days
        for step in day.day.steps
    ]


@pytest.fixture(scope="session")
def build() -> Callable[..., WeekPlan]:
    """Return ``build_week``."""
    return build_week


@pytest.fixture(scope="session")
def rows_for() -> Callable[..., list[Row]]:
    """Return ``rows_of_week``."""
    return rows_of_week


@pytest.fixture(scope="session")
def mock_plan() -> WeekPlan:
    """Return the mock week, prepared."""
    return prepare(mock())
