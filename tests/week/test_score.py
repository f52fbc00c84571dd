"""Counts by replay: what each act adds, how rows bind, what is left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from actmem.errors import InputError
from actmem.week.obligations import WeekPlan
from actmem.week.score import METRICS, Row, align, score, tally

Build = Callable[..., WeekPlan]
Rows = Callable[..., list[Row]]

OUTCOMES = ("hit", "late", "miss", "total")
FAULTS = (
    "false_alarm", "commission", "wrong_content", "dependency_violation", "update_violation",
    "stale_acts", "overkill_steps",
)  # fmt: skip


def faults(found: dict[str, int]) -> dict[str, int]:
    """Return the faults that were counted."""
    return {name: found[name] for name in FAULTS if found[name]}


@pytest.fixture(scope="module")
def plan(build: Build) -> WeekPlan:
    return build(
        {
            "tasks": {
                "pill": {},
                "call": {"target_time": "10:00"},
                "send": {"depends_on": "call"},
                "gone": {},
                "moved": {},
            },
            "lures": {"sweep": "start"},
            "steps": [
                "08:00 pill_cue",
                {
                    "at": "09:00",
                    "updates": [
                        {"task_id": "gone", "action": "cancel"},
                        {"task_id": "moved", "action": "override", "new_cue_id": "b"},
                    ],
                },
                "10:00",
                "10:30 moved_cue",
                "11:00 send_cue b",
            ],
        }
    )


@pytest.mark.parametrize(
    ("chosen", "counted"),
    [
        ({}, {}),
        ({"mon1": ["pill"]}, {}),
        ({"mon2": ["pill"]}, {}),  # late: FP and FN, but no fault of its own
        ({"mon4": ["pill"]}, {"false_alarm": 1}),
        ({"mon2": ["sweep"]}, {"false_alarm": 1}),
        ({"mon2": ["nonsense"]}, {"false_alarm": 1}),
        ({"mon1": ["sweep"]}, {"false_alarm": 1, "wrong_content": 1}),
        ({"mon1": ["pill", "sweep"]}, {"false_alarm": 1, "wrong_content": 1, "overkill_steps": 1}),
        ({"mon1": ["pill"], "mon2": ["pill"]}, {"commission": 1}),
        ({"mon1": ["pill"], "mon3": ["pill"]}, {"commission": 1, "wrong_content": 1}),
        ({"mon2": ["gone"]}, {"false_alarm": 1, "update_violation": 1, "stale_acts": 1}),
        ({"mon2": ["send"]}, {"false_alarm": 1, "dependency_violation": 1}),
        ({"mon4": ["moved"]}, {"false_alarm": 1, "update_violation": 1, "stale_acts": 1}),
        ({"mon2": ["moved"]}, {"false_alarm": 1, "update_violation": 1}),
        ({"mon4": ["call"]}, {}),
    ],
)
def test_what_each_act_counts_as(
    plan: WeekPlan, rows_for: Rows, chosen: dict[str, list[str]], counted: dict[str, int]
) -> None:
    found = faults(score(plan, rows_for(plan, chosen)).summary)
    overkill = {
        step for step, ids in chosen.items() if len(ids) > {"mon1": 1, "mon3": 1}.get(step, 0)
    }
    if overkill:
        counted = counted | {"overkill_steps": len(overkill)}
    assert found == counted


def test_counts_of_a_whole_day_add_up(plan: WeekPlan, rows_for: Rows) -> None:
    chosen = {"mon1": ["pill", "pill"], "mon4": ["call", "moved"], "mon5": ["send"]}
    queries = {"mon1": {"clock": 2, "email": 1}, "mon3": ["clock"]}
    found = score(plan, rows_for(plan, chosen, queries))
    summary = found.summary
    assert tuple(summary) == METRICS
    assert (summary["set_tp"], summary["set_fp"], summary["set_fn"]) == (2, 2, 2)
    assert summary["chosen_tasks"] == 4, "an id given twice counts once"
    assert (summary["hit"], summary["late"], summary["miss"]) == (2, 1, 1)
    assert summary["hit"] + summary["late"] + summary["miss"] == 4, "the cancelled one is left out"
    assert (summary["update_total"], summary["update_miss"], summary["update_canceled"]) == (
        2,
        1,
        1,
    )
    assert summary["canceled_total"] == 1
    assert summary["check_time_calls"] == summary["clock_queries"] == 3
    assert summary["state_query_calls"] == 4
    assert summary["hidden_channel_queries"] == 1
    assert (
        summary["exact_set_match_steps"] + summary["exact_set_mismatch_steps"] == found.steps == 5
    )
    assert summary["exact_set_match_reward"] == 2 * summary["exact_set_match_steps"] - 5
    day = found.per_day["Monday"]
    assert day.metrics == summary
    assert day.state_query_calls_by_channel == {"clock": 3, "email": 1}
    assert day.by_type == {
        "event": {"hit": 2, "late": 0, "miss": 1, "total": 3},
        "time": {"hit": 0, "late": 1, "miss": 0, "total": 1},
    }
    assert day.by_monitoring_channel == {"clock": {"hit": 0, "late": 1, "miss": 0, "total": 1}}
    for groups in (day.by_regular, day.by_monitoring):
        assert {name: sum(part[name] for part in groups.values()) for name in OUTCOMES} == {
            "hit": 2, "late": 1, "miss": 1, "total": 4,
        }  # fmt: skip


def test_the_summary_is_the_sum_of_the_days(mock_plan: WeekPlan, rows_for: Rows) -> None:
    found = score(mock_plan, rows_for(mock_plan, {"mon1": ["fern"], "tue2": ["cat", "ladder"]}))
    for name in METRICS:
        assert found.summary[name] == sum(day.metrics[name] for day in found.per_day.values())
    assert found.steps == sum(day.steps for day in found.per_day.values()) == 7
    assert list(found.per_day) == ["Monday", "Tuesday"]


def test_cross_day_tasks_are_counted_apart(mock_plan: WeekPlan, rows_for: Rows) -> None:
    for chosen, outcome in (("tue2", "hit"), ("tue3", "late"), ("tue1", "miss")):
        found = score(mock_plan, rows_for(mock_plan, {chosen: ["ladder"]})).summary
        assert found["cross_day_total"] == 1
        assert found[f"cross_day_{outcome}"] == 1


def test_a_late_act_costs_more_than_none(mock_plan: WeekPlan, rows_for: Rows) -> None:
    late = score(mock_plan, rows_for(mock_plan, {"mon2": ["fern"]})).summary
    never = score(mock_plan, rows_for(mock_plan)).summary
    assert late["set_fp"] == never["set_fp"] + 1
    assert late["set_fn"] == never["set_fn"]
    assert (late["late"], never["late"]) == (1, 0)


def test_a_visible_clock_needs_no_monitoring(build: Build, rows_for: Rows) -> None:
    day: dict[str, Any] = {"tasks": {"call": {"target_time": "09:00"}}, "steps": ["09:00"]}
    hidden, visible = build(day), build(day, clock_visible=True)
    found = [score(p, rows_for(p)).per_day["Monday"].by_monitoring for p in (hidden, visible)]
    assert [part["proactive_monitoring_required"]["total"] for part in found] == [1, 0]
    assert [part["no_proactive_monitoring"]["total"] for part in found] == [0, 1]


def test_a_type_that_only_a_cancelled_task_had_stands_with_zeros(
    build: Build, rows_for: Rows
) -> None:
    steps = [{"at": "08:00", "updates": [{"task_id": "call", "action": "cancel"}]}]
    plan = build({"tasks": {"call": {"target_time": "08:00"}}, "steps": steps})
    found = score(plan, rows_for(plan)).per_day["Monday"].by_type
    assert found == {"time": dict.fromkeys(OUTCOMES, 0)}


def test_a_task_cancelled_in_cascade_leaves_every_total(build: Build, rows_for: Rows) -> None:
    steps = ["08:00", {"at": "09:00", "updates": [{"task_id": "pack", "action": "cancel"}]}]
    tasks = {"pack": {}, "send": {"depends_on": "pack", "cross_day": True, "cross_day_offset": 1}}
    plan = build({"tasks": tasks, "steps": steps})
    found = score(plan, rows_for(plan)).summary
    assert (found["hit"], found["late"], found["miss"], found["cross_day_total"]) == (0, 0, 0, 0)
    assert (found["canceled_total"], found["update_total"], found["update_canceled"]) == (1, 1, 1)


# How rows bind


def test_rows_bind_by_day_and_step(mock_plan: WeekPlan, rows_for: Rows) -> None:
    rows = rows_for(mock_plan, {"mon1": ["fern"]})
    for wrong, message in (
        (rows[::-1], "row 2 (Tuesday tue2) stands twice or out of order"),
        ([rows[0], *rows], "row 2 (Monday mon1) stands twice or out of order"),
        ([*rows, rows[-1]], "row 8 (Tuesday tue3) stands twice or out of order"),
        ([rows[1], rows[0]], "row 2 (Monday mon1) stands twice or out of order"),
        ([Row("Sunday", "sun1")], "row 1 (Sunday sun1) is no step of mock"),
        ([Row("Tuesday", "mon1")], "row 1 (Tuesday mon1) is no step of mock"),
        ([*rows[:3], Row("Monday", "other"), *rows[4:]], "row 4 (Monday other) is no step of mock"),
    ):
        with pytest.raises(InputError) as caught:
            score(mock_plan, wrong)
        assert message in str(caught.value)


def test_a_missing_row_is_an_error_for_a_score_and_an_empty_act_for_a_run(
    mock_plan: WeekPlan, rows_for: Rows
) -> None:
    rows = rows_for(mock_plan, {"mon1": ["fern"], "tue2": ["ladder"]})
    gap = [*rows[:2], *rows[4:]]
    with pytest.raises(InputError, match="2 of 7 steps have no row, the first is Monday mon3"):
        score(mock_plan, gap)
    aligned = align(mock_plan, gap)
    assert (aligned.missing, aligned.first_missing) == (2, "Monday mon3")
    assert aligned.rows == rows
    with pytest.raises(InputError, match="7 of 7 steps have no row, the first is Monday mon1"):
        score(mock_plan, [])
    nothing = tally(mock_plan, align(mock_plan, []).rows).summary
    assert (nothing["set_tp"], nothing["set_fp"], nothing["set_fn"]) == (0, 0, 6)
