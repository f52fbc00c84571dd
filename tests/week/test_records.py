"""The story of each obligation: every outcome, every link that can break first, the evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import pytest

from actmem.week.obligations import WeekPlan
from actmem.week.records import LINKS, Link, Obligation, Outcome, count_links, records
from actmem.week.score import Row, score

Build = Callable[..., WeekPlan]
Rows = Callable[..., list[Row]]

CHANGED = [{"task_id": "task", "action": "override", "new_cue_id": "b"}]
CANCELLED = [{"task_id": "task", "action": "cancel"}]
PLAIN = ["08:00", "09:00 task_cue", "10:00", "11:00"]
MAIL: list[Any] = ["08:00", {"at": "09:00", "email": ["task_cue"]}, "10:00", "11:00"]

CASES: list[tuple[str, dict[str, Any], list[Any], dict[int, list[str]], str, str, int]] = [
    # name, task, steps, acts by step, outcome, first broken link, steps played
    ("in time", {}, PLAIN, {2: ["task"]}, "on_time", "", 4),
    ("late", {}, PLAIN, {3: ["task"]}, "late", "timing", 4),
    ("early", {}, PLAIN, {1: ["task"]}, "early", "timing", 4),
    ("too late to count", {}, PLAIN, {4: ["task"]}, "missed", "timing", 4),
    ("early and too late", {}, PLAIN, {1: ["task"], 4: ["task"]}, "early", "timing", 4),
    ("nothing followed", {}, PLAIN, {}, "missed", "action", 4),
    ("not played that far", {}, PLAIN, {}, "missed", "played", 1),
    ("just played", {}, PLAIN, {}, "missed", "action", 2),
    ("never asked", {"cue_channel": "email"}, MAIL, {}, "missed", "evidence", 4),
    ("never asked, early", {"cue_channel": "email"}, MAIL, {1: ["task"]}, "early", "evidence", 4),
    ("clock unseen, late", {"target_time": "09:00"}, PLAIN, {3: ["task"]}, "late", "evidence", 4),
    ("old cue", {}, ["08:00", {"at": "09:00", "updates": CHANGED}, "10:00 task_cue", "11:00 b"],
     {3: ["task"]}, "stale", "update", 4),
    ("after the cancel", {}, ["08:00", {"at": "09:00", "updates": CANCELLED}, "10:00", "11:00"],
     {3: ["task"]}, "after_cancel", "update", 4),
    ("at the step of the cancel", {}, ["08:00", {"at": "09:00", "updates": CANCELLED}],
     {2: ["task"]}, "after_cancel", "update", 2),
    ("before the cancel", {}, ["08:00", {"at": "09:00", "updates": CANCELLED}],
     {1: ["task"]}, "withheld", "", 2),
    ("rightly withheld", {}, ["08:00", {"at": "09:00", "updates": CANCELLED}, "10:00 task_cue"],
     {}, "withheld", "", 3),
    ("cancelled at once", {}, [{"at": "08:00 task_cue", "updates": CANCELLED}], {}, "withheld", "", 1),
    ("done before the cancel", {}, ["08:00 task_cue", {"at": "09:00", "updates": CANCELLED}],
     {1: ["task"]}, "on_time", "", 2),
    ("old cue, then right", {}, ["08:00", {"at": "09:00", "updates": CHANGED}, "10:00 task_cue", "11:00 b"],
     {3: ["task"], 4: ["task"]}, "on_time", "", 4),
    ("waits for another", {"depends_on": "first"}, ["08:00 first_cue", "09:00 task_cue"],
     {2: ["task"]}, "early", "prerequisite", 2),
    ("waits, nothing done", {"depends_on": "first"}, ["08:00 first_cue", "09:00 task_cue"],
     {}, "missed", "prerequisite", 2),
    ("the way opened too late", {"depends_on": "first"}, ["08:00 task_cue", "09:00 first_cue", "10:00"],
     {2: ["first"], 3: ["task"]}, "missed", "prerequisite", 3),
    ("the way opened in time", {"depends_on": "first"}, ["08:00 first_cue", "09:00 task_cue"],
     {1: ["first"]}, "missed", "action", 2),
]  # fmt: skip


def record_of(
    plan: WeekPlan, rows: Sequence[Row], task: str = "task", played: int | None = None
) -> Obligation:
    return next(o for o in records(plan, rows, played) if o.task_id == task)


@pytest.mark.parametrize(
    ("task", "steps", "acts", "outcome", "broken", "played"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_outcome_and_first_broken_link(
    build: Build, rows_for: Rows, task: Mapping[str, Any], steps: list[Any],
    acts: dict[int, list[str]], outcome: Outcome, broken: Link, played: int,
) -> None:  # fmt: skip
    tasks = {"task": task} | ({"first": {}} if "depends_on" in task else {})
    plan = build({"tasks": tasks, "steps": steps})
    rows = rows_for(plan, {f"mon{step}": ids for step, ids in acts.items()})
    record = record_of(plan, rows, played=played)
    assert (record.outcome, record.broken) == (outcome, broken)


def test_the_cases_hold_every_outcome_and_link() -> None:
    assert {case[4] for case in CASES} == set(get_args(Outcome))
    assert {case[5] for case in CASES} == set(get_args(Link))
    assert {"", *LINKS} == set(get_args(Link))


def test_a_record_tells_the_whole_story(build: Build, rows_for: Rows) -> None:
    early = [{"task_id": "task", "action": "override", "target_day": "Tuesday", "new_cue_id": "b"}]
    late = [{"task_id": "task", "action": "override", "new_label": "at last"}]
    plan = build(
        {"tasks": {}, "steps": [{"at": "08:00", "updates": early}]},
        {
            "tasks": {"task": {"cue_channel": "email", "encoding": "step:tue1"}},
            "steps": [
                "08:00",
                {"at": "09:00", "updates": late, "email": ["b"]},
                {"at": "10:07", "email": ["b"]},
                "11:20",
                "12:00",
            ],
        },
    )
    rows = rows_for(
        plan,
        {"tue1": ["task"], "tue4": ["task"], "tue5": ["task"]},
        {"tue3": ["email"], "tue1": ["clock"]},
    )
    record = record_of(plan, rows)
    assert record == Obligation(
        day="Tuesday",
        task_id="task",
        label="at last",
        source="email",
        announced="Tuesday tue1",
        activated="tue1",
        updates=("override Monday mon1", "override Tuesday tue2"),
        available=("tue2", "tue3"),
        seen=("tue3",),
        acted=("tue1", "tue4", "tue5"),
        outcome="early",
        broken="timing",
    )


def test_lateness_counts_steps_and_minutes(build: Build, rows_for: Rows) -> None:
    task = {"target_time": "09:00", "window_after": 10}
    plan = build({"tasks": {"task": task}, "steps": ["09:00", "09:10", "09:31", "09:50"]})
    record = record_of(plan, rows_for(plan, {"mon4": ["task"]}, {"mon2": ["clock"]}))
    assert (record.outcome, record.late_steps, record.late_minutes) == ("late", 2, 40)
    assert record.available == ("mon1", "mon2")
    on_time = record_of(plan, rows_for(plan, {"mon2": ["task"]}))
    assert (on_time.outcome, on_time.late_steps, on_time.late_minutes) == ("on_time", 0, 0)


def test_what_was_not_played_was_not_seen(build: Build, rows_for: Rows) -> None:
    plan = build({"tasks": {"task": {}}, "steps": PLAIN})
    for played, seen_at in ((1, ()), (2, ("mon2",))):
        assert record_of(plan, rows_for(plan), played=played).seen == seen_at
        assert record_of(plan, rows_for(plan), played=played).available == ("mon2",)


def test_conditions_after_completion_are_left_out(build: Build, rows_for: Rows) -> None:
    plan = build({"tasks": {"task": {}}, "steps": ["08:00 task_cue", "09:00", "10:00 task_cue"]})
    assert record_of(plan, rows_for(plan, {"mon1": ["task"]})).available == ("mon1",)
    assert record_of(plan, rows_for(plan)).available == ("mon1", "mon3")


@pytest.mark.parametrize(
    ("fields", "announced"),
    [
        ({}, "Tuesday"),
        ({"regular": True}, "Monday"),
        ({"encoding": "step:tue1"}, "Tuesday tue1"),
        ({"cross_day": True, "cross_day_offset": 1}, "Monday"),
    ],
)
def test_where_a_task_was_announced(
    build: Build, rows_for: Rows, fields: dict[str, Any], announced: str
) -> None:
    plan = build(
        {"tasks": {}, "steps": ["08:00"]},
        {"tasks": {"task": fields}, "steps": ["08:00 task_cue"]},
    )
    assert record_of(plan, rows_for(plan)).announced == announced


# Evidence


def seen(plan: WeekPlan, rows: Sequence[Row]) -> tuple[str, ...]:
    return record_of(plan, rows).seen


def test_the_narrative_is_always_seen(build: Build, rows_for: Rows) -> None:
    plan = build({"tasks": {"task": {}}, "steps": ["08:00 task_cue"]})
    assert seen(plan, rows_for(plan)) == ("mon1",)


def test_a_time_is_seen_on_a_clock_that_was_asked_or_is_visible(
    build: Build, rows_for: Rows
) -> None:
    day = {"tasks": {"task": {"target_time": "09:00"}}, "steps": ["08:00", "09:00"]}
    plan = build(day)
    assert seen(plan, rows_for(plan, {}, {"mon1": ["clock"]})) == ()
    assert seen(plan, rows_for(plan, {}, {"mon2": ["clock"]})) == ("mon2",)
    assert seen(plan, rows_for(plan, {}, {"mon2": {"clock": 0}})) == ()
    visible = build(day, clock_visible=True)
    assert seen(visible, rows_for(visible)) == ("mon2",)


def test_a_message_is_seen_in_a_reply_of_its_step(build: Build, rows_for: Rows) -> None:
    plan = build({"tasks": {"task": {"cue_channel": "email"}}, "steps": MAIL})
    assert seen(plan, rows_for(plan, {}, {"mon2": ["email"]})) == ("mon2",)
    for step in ("mon1", "mon3"):
        assert seen(plan, rows_for(plan, {}, {step: ["email"]})) == ()
    assert seen(plan, rows_for(plan, {}, {"mon2": ["fax"]})) == ()


def test_a_snapshot_shows_only_the_last_event_of_a_step(build: Build, rows_for: Rows) -> None:
    steps = [{"at": "08:00", "price": ["task_cue", "other"]}]
    tasks = {"task": {"cue_channel": "price"}}
    hidden = build({"tasks": tasks, "steps": steps}, channels={"price": "snapshot"})
    shown = build({"tasks": tasks, "steps": steps}, channels={"price": "delta"})
    assert seen(hidden, rows_for(hidden, {}, {"mon1": ["price"]})) == ()
    assert seen(shown, rows_for(shown, {}, {"mon1": ["price"]})) == ("mon1",)


VALUE = {"cue_channel": "price", "condition": {"op": "below", "threshold": 80}}


def test_a_value_from_an_earlier_step_is_seen_on_a_current_snapshot(
    build: Build, rows_for: Rows
) -> None:
    steps = [{"at": "08:00", "price": [("a", 70)]}, "09:00"]
    tasks = {"task": VALUE | {"encoding": "step:mon2"}}
    for rule, evidence in (("current", ("mon2",)), ("seen", ())):
        plan = build(
            {"tasks": tasks, "steps": steps}, channels={"price": "snapshot"}, snapshot=rule
        )
        assert seen(plan, rows_for(plan, {}, {"mon2": ["price"]})) == evidence
    assert seen(plan, rows_for(plan, {}, {"mon1": ["price"], "mon2": ["price"]})) == ("mon2",)


def test_a_default_value_can_be_evidence(mock_plan: WeekPlan, rows_for: Rows) -> None:
    from msgspec.structs import replace

    from actmem.week.obligations import prepare
    from actmem.week.scenario import Condition

    scenario = mock_plan.scenario
    tuesday = scenario.days[1]
    tasks = tuple(
        replace(task, condition=Condition("above", 90)) if task.id == "kettle" else task
        for task in tuesday.tasks
    )
    plan = prepare(replace(scenario, days=(scenario.days[0], replace(tuesday, tasks=tasks))))
    record = record_of(plan, rows_for(plan, {}, {"tue1": ["price_tracker"]}), "kettle")
    assert (record.available, record.seen) == (("tue1",), ("tue1",))


def test_hits_with_and_without_evidence_are_told_apart(build: Build, rows_for: Rows) -> None:
    plan = build({"tasks": {"task": {"cue_channel": "email"}}, "steps": MAIL})
    guess = count_links(records(plan, rows_for(plan, {"mon2": ["task"]})))
    assert (guess.hits_with_evidence, guess.hits_without_evidence) == (0, 1)
    knowing = count_links(records(plan, rows_for(plan, {"mon2": ["task"]}, {"mon2": ["email"]})))
    assert (knowing.hits_with_evidence, knowing.hits_without_evidence) == (1, 0)


def test_links_are_counted_over_episodes(mock_plan: WeekPlan, rows_for: Rows) -> None:
    rows = rows_for(mock_plan, {"mon1": ["fern"], "tue2": ["cat"], "tue3": ["ladder"]})
    found = count_links([*records(mock_plan, rows), *records(mock_plan, rows)])
    assert found.hits_with_evidence == 2
    assert found.hits_without_evidence == 0
    assert found.late_steps == {"1": 2}
    assert found.broken == {
        "played": 0, "prerequisite": 2, "evidence": 6, "action": 0, "timing": 2, "update": 2,
    }  # fmt: skip


def test_records_and_score_agree(mock_plan: WeekPlan, rows_for: Rows) -> None:
    rows = rows_for(
        mock_plan, {"mon1": ["fern", "post"], "mon3": ["lease"], "tue2": ["cat", "kettle"]}
    )
    outcomes = [record.outcome for record in records(mock_plan, rows)]
    summary = score(mock_plan, rows).summary
    assert outcomes.count("on_time") == summary["hit"] == 2
    assert outcomes.count("late") == summary["late"] == 1
    assert len(outcomes) - 3 == summary["miss"]
