"""The scenario file: what it holds survives, and what is wrong with it is said in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from actmem.errors import InputError
from actmem.week.check import check
from actmem.week.make import make_week
from actmem.week.mock import PATH, mock
from actmem.week.pmbench import load_any
from actmem.week.scenario import Condition, clock_time, dump, load, minutes

Week = dict[str, Any]


def test_the_mock_week_is_sound() -> None:
    assert check(mock()) == []


def test_a_scenario_survives_writing_and_reading(tmp_path: Path) -> None:
    for week in (mock(), make_week(1)):
        path = tmp_path / "week.json"
        path.write_bytes(dump(week))
        assert load(path) == load_any(path) == week
        assert dump(load(path)) == path.read_bytes()
        assert load(path).digest == week.digest
        assert week.digest == sha256(path.read_bytes().rstrip(b"\n")).hexdigest()


def test_defaults_are_left_out_and_keys_are_sorted() -> None:
    text = dump(mock()).decode()
    assert text.endswith("}\n")
    assert "null" not in text
    assert '"regular"' not in text
    assert json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False) == text[:-1]  # fmt: skip


def test_spelling_defaults_out_changes_no_digest() -> None:
    week = json.loads(PATH.read_bytes())
    for day in week["days"]:
        for task in day["tasks"]:
            task |= {"encoding": task.get("encoding", "start"), "window_after": 0}
        for step in day["steps"]:
            step.setdefault("state_events", {})
    del week["format"]
    assert _load(week) == mock()
    assert _load(week).digest == mock().digest


def test_the_digest_changes_with_any_field() -> None:
    week = json.loads(PATH.read_bytes())
    week["days"][0]["steps"][0]["text"] += "!"
    assert _load(week).digest != mock().digest


def _load(week: Week) -> Any:
    from msgspec import convert

    from actmem.week.scenario import Scenario

    return convert(week, Scenario)


def _set(*path: str | int, to: Any) -> Callable[[Week], None]:
    def change(week: Week) -> None:
        place: Any = week
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (_set("colour", to="red"), "unknown field `colour`"),
        (_set("days", 0, "tasks", 1, "colour", to=1), "$.days[0].tasks[1]"),
        (_set("days", 0, "steps", 0, "time", to="8:10"), "$.days[0].steps[0].time"),
        (_set("days", 0, "steps", 0, "time", to="24:00"), "$.days[0].steps[0].time"),
        (_set("days", 0, "steps", 0, "time", to="08:10\n"), "$.days[0].steps[0].time"),
        (_set("days", 0, "steps", 0, "options", to=["a", "b"]), "$.days[0].steps[0].options"),
        (_set("days", 0, "steps", to=[]), "$.days[0].steps"),
        (_set("days", to=[]), "$.days"),
        (_set("days", 0, "tasks", 0, "type", to="whim"), "$.days[0].tasks[0].type"),
        (_set("days", 0, "tasks", 0, "id", to=""), "$.days[0].tasks[0].id"),
        (_set("days", 0, "tasks", 0, "id", to="x" * 201), "$.days[0].tasks[0].id"),
        (_set("days", 0, "tasks", 0, "id", to=7), "$.days[0].tasks[0].id"),
        (_set("days", 0, "tasks", 0, "encoding", to="step:"), "$.days[0].tasks[0].encoding"),
        (_set("days", 0, "tasks", 0, "encoding", to="later"), "$.days[0].tasks[0].encoding"),
        (_set("days", 0, "tasks", 1, "window_after", to=-1), "$.days[0].tasks[1].window_after"),
        (_set("days", 0, "tasks", 1, "window_after", to=1.5), "$.days[0].tasks[1].window_after"),
        (_set("days", 1, "tasks", 0, "cross_day_offset", to=0), "tasks[0].cross_day_offset"),
        (_set("days", 1, "tasks", 1, "condition", "op", to="near"), "tasks[1].condition.op"),
        (_set("days", 0, "name", to=None), "$.days[0].name"),
        (_set("state_channels", "clock", "mode", to="sundial"), "$.state_channels[...].mode"),
        (_set("menu", to="cards"), "$.menu"),
        (_set("snapshot", to="blurred"), "$.snapshot"),
        (_set("format", to="actmem-week-9"), "$.format"),
    ],
)
def test_a_wrong_field_is_named_with_its_path(
    tmp_path: Path, change: Callable[[Week], None], where: str
) -> None:
    week = json.loads(PATH.read_bytes())
    change(week)
    path = tmp_path / "week.json"
    path.write_text(json.dumps(week))
    for read in (load, load_any):
        with pytest.raises(InputError) as caught:
            read(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert where in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", ["scenario_name", "menu", "snapshot", "days", "state_channels"])
def test_a_missing_field_is_named(tmp_path: Path, missing: str) -> None:
    week = json.loads(PATH.read_bytes())
    del week[missing]
    path = tmp_path / "week.json"
    path.write_text(json.dumps(week))
    with pytest.raises(InputError, match=f"missing required field `{missing}`"):
        load(path)


@pytest.mark.parametrize(
    ("op", "value", "holds"),
    [
        ("below", 79.9, True), ("below", 80, False), ("below", 81, False), ("above", 81, True),
        ("above", 80, False), ("below", "79", False), ("below", True, False), ("below", None, False),
    ],
)  # fmt: skip
def test_conditions_are_strict_comparisons_of_numbers(op: Any, value: Any, holds: bool) -> None:
    assert Condition(op, 80).holds(value) is holds


def test_times_are_minutes_since_midnight() -> None:
    assert [minutes(time) for time in ("00:00", "07:05", "23:59")] == [0, 425, 1439]
    assert all(minutes(clock_time(minute)) == minute for minute in range(1440))
