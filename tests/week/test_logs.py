"""Logs of both kinds: our traces and PM-Bench run logs; what does not fit is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actmem.errors import InputError
from actmem.trace import Footer, Header, TraceWriter
from actmem.week.agents.oracle import Oracle
from actmem.week.logs import read_rows
from actmem.week.menu import day_menu
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.play import Acted, Asked, HeartbeatSet, Refused, play
from actmem.week.pmbench import load_any, read_log, read_week, write_week
from actmem.week.replay import rows_of
from actmem.week.score import Row, score
from actmem.week.world import World


def write_trace(path: Path, plan: WeekPlan, digest: str | None = None) -> None:
    header = Header(suite="week", unit="mock", unit_digest=digest or plan.digest, agent="oracle")
    with TraceWriter(path) as writer:
        writer.write(header)
        play(Oracle(plan), World(plan), writer.write)
        writer.write(Footer(status="complete"))


def log_row(row: Row) -> dict[str, Any]:
    return {
        "day": row.day, "step_id": row.step_id, "choice": "A", "task_ids": list(row.chosen),
        "check_time": 0, "state_queries": row.queries, "heartbeat_enabled": False,
    }  # fmt: skip


def write_log(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    return path


# Traces


def test_handles_of_a_trace_become_ids_and_queries_counts(mock_plan: WeekPlan) -> None:
    handle = day_menu(mock_plan, 0).handles
    at: dict[str, Any] = {"day": "Monday", "step_id": "mon1"}
    rows = rows_of(
        mock_plan,
        [
            Asked(**at, channel="email", reply="…"),
            HeartbeatSet(**at, minutes=30),
            Refused(**at, error="choice: …"),
            Asked(**at, channel="email", reply="…"),
            Asked(**at, channel="clock", reply="…"),
            Acted(**at, choice="A", handles=(handle["fern"], handle["sweep"])),
            Acted(day="Monday", step_id="mon2", choice="", valid=False),
            Asked(day="Monday", step_id="mon3", channel="clock", reply="…"),
        ],
    )
    assert rows == [
        Row("Monday", "mon1", ("fern", "sweep"), {"email": 2, "clock": 1}),
        Row("Monday", "mon2", (), {}),
    ]


@pytest.mark.parametrize(("day", "handle"), [("Monday", "fern"), ("Monday", "task_99"), ("Sunday", "task_1")])  # fmt: skip
def test_a_handle_that_the_day_does_not_have_is_refused(
    mock_plan: WeekPlan, day: str, handle: str
) -> None:
    act = Acted(day=day, step_id="mon1", choice="A", handles=(handle,))
    with pytest.raises(InputError, match=f"{day} mon1: no handle '{handle}' on that day"):
        rows_of(mock_plan, [act])


def test_a_trace_and_its_log_score_alike(mock_plan: WeekPlan, tmp_path: Path) -> None:
    write_trace(tmp_path / "trace.jsonl", mock_plan)
    rows = read_rows(mock_plan, tmp_path / "trace.jsonl")
    log = write_log(tmp_path / "log.jsonl", [log_row(row) for row in rows])
    assert read_rows(mock_plan, log) == rows
    assert score(mock_plan, rows).summary["set_tp"] == 7


def test_a_trace_of_another_week_is_refused(mock_plan: WeekPlan, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    write_trace(path, mock_plan, digest="0" * 64)
    with pytest.raises(
        InputError, match="is a trace of 'mock', whose content is not that of 'mock'"
    ):
        read_rows(mock_plan, path)


def test_an_empty_log_is_refused(mock_plan: WeekPlan, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for text in ("", "\n \n"):
        path.write_text(text)
        with pytest.raises(InputError, match="is empty"):
            read_rows(mock_plan, path)


# PM-Bench logs


def test_metadata_and_blank_lines_are_skipped(tmp_path: Path) -> None:
    row = {"day": "Monday", "step_id": "mon1", "choice": "A", "task_ids": ["x"], "check_time": 0}
    path = tmp_path / "log.jsonl"
    path.write_text('{"record_type": "run_metadata", "model": "m"}\n\n' + json.dumps(row) + "\n")
    assert read_log(path) == [Row("Monday", "mon1", ("x",), {})]


def test_old_rows_count_their_time_checks_as_clock_queries(tmp_path: Path) -> None:
    old = {"day": "Monday", "step_id": "mon1", "task_ids": [], "check_time": 3}
    new = old | {"state_queries": {"email": 1}}
    found = read_log(write_log(tmp_path / "log.jsonl", [old, new]))
    assert [row.queries for row in found] == [{"clock": 3}, {"email": 1}]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"day": "Monday"}', "missing required field `step_id`"),
        ('{"day": "Monday", "step_id": 3}', "$.step_id"),
        ('{"day": "Monday", "step_id": "a", "task_ids": "b"}', "$.task_ids"),
        ('{"day": "Monday", "step_id": "a", "state_queries": {"email": "1"}}', "$.state_queries"),
        ('{"day": "Monday", "step_id": "a"', "JSON is malformed|truncated"),
        ("[1]", "Expected `object`"),
        ("nonsense", "JSON is malformed"),
        ("\x00", "JSON is malformed"),
    ],
)
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"record_type": "run_metadata"}\n' + line + "\n")
    with pytest.raises(InputError) as caught:
        read_log(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert any(part in str(caught.value) for part in message.split("|"))


# PM-Bench weeks


def pmbench_week(build: Callable[..., WeekPlan]) -> WeekPlan:
    return build(
        {
            "opening": ["Good morning."],
            "tasks": {
                "pill": {"regular": True},
                "oven": {"target_time": "09:30", "window_before": 30, "window_after": 0},
                "mail": {"cue_channel": "email", "depends_on": "pill"},
            },
            "lures": {f"l{n}": "start" for n in range(4)},
            "steps": [
                "08:00 pill_cue",
                {
                    "at": "09:30",
                    "email": ["mail_cue"],
                    "updates": [{"task_id": "oven", "action": "reschedule", "new_target_time": "10:00"}],
                },
                "10:00",
            ],
        },
        menu="pmbench",
        snapshot="seen",
    )  # fmt: skip


def test_a_week_survives_the_pmbench_format(build: Callable[..., WeekPlan], tmp_path: Path) -> None:
    plan = pmbench_week(build)
    path = tmp_path / "week.json"
    path.write_bytes(msgspec.json.encode(write_week(plan.scenario)))
    again = load_any(path)
    assert again == plan.scenario
    assert write_week(again) == write_week(plan.scenario)


def test_ground_truth_is_perfect_play_with_the_runtime_handles(
    build: Callable[..., WeekPlan],
) -> None:
    plan = pmbench_week(build)
    steps = write_week(plan.scenario)["days"][0]["steps"]
    due = [[action["id"] for action in step["groundtruth"]["actions"]] for step in steps]
    assert due == [["pill"], ["mail", "oven"], []], "what was done is due no more"
    assert [step["groundtruth"]["status"] for step in steps] == ["due", "due", "none"]
    handles = day_menu(plan, 0).handles
    for step in steps:
        for action in step["groundtruth"]["actions"]:
            assert action["task_handle"] == handles[action["id"]]


def test_given_ground_truth_is_not_trusted(build: Callable[..., WeekPlan]) -> None:
    plan = pmbench_week(build)
    week = write_week(plan.scenario)
    week["days"][0]["steps"][0]["groundtruth"] = {"status": "due", "actions": [{"id": "oven"}]}
    assert read_week(msgspec.json.encode(week), "w") == plan.scenario


def test_bare_events_letters_and_visible_clocks_are_understood(
    build: Callable[..., WeekPlan],
) -> None:
    week = json.loads(msgspec.json.encode(write_week(pmbench_week(build).scenario)))
    week["time_visible_by_default"] = True
    step = week["days"][0]["steps"][1]
    step["state_events"] = {"email": ["mail_cue"]}
    step["options"] = ["A. sit", "B: stand", "walk"]
    week["days"][0]["steps"][2]["state_events"] = None
    found = read_week(json.dumps(week).encode(), "w")
    event = found.days[0].steps[1].state_events["email"][0]
    assert (event.id, event.text) == ("mail_cue", "mail_cue")
    assert found.days[0].steps[1].options == ("sit", "stand", "walk")
    assert found.days[0].steps[2].state_events == {}
    assert found.time_visible
    assert prepare(found).days[0].visible == {"clock"}


def test_what_pmbench_cannot_hold_is_refused(mock_plan: WeekPlan) -> None:
    with pytest.raises(InputError, match="task 'kettle' has a value condition"):
        write_week(mock_plan.scenario)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "missing required field"),
        ("[]", "Expected `object`"),
        ('{"scenario_name": "a", "state_channels": {}, "days": []}', "the week has no day"),
        ('{"scenario_name": "a", "state_channels": {}, "days": [], "x": 1}', "unknown field `x`"),
        ('{"scenario_name": "a", "state_channels": {}, "days": [', "truncated"),
    ],
)
def test_a_wrong_week_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "week.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load_any(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
