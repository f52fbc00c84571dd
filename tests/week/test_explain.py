"""Explanations in words: each state a task can be in, what was done, the record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from actmem.errors import InputError
from actmem.week.explain import BROKEN, VERDICTS, explain_step, explain_task, explain_week
from actmem.week.obligations import DayState, Verdict, WeekPlan
from actmem.week.records import LINKS
from actmem.week.score import Row

Build = Callable[..., WeekPlan]
Rows = Callable[..., list[Row]]


def reasons(plan: WeekPlan, task: str, acts: dict[int, list[str]] | None = None) -> list[str]:
    """Return why a task is or is not due at each step, given acts by step from 1."""
    state = DayState(plan.days[0])
    found = []
    for step in range(len(plan.days[0].times)):
        found.append(state.reason(step, task))
        state.act(step, (acts or {}).get(step + 1, ()), state.due(step))
    return found


def test_the_reasons_of_an_event(build: Build) -> None:
    plan = build(
        {
            "tasks": {"pill": {"encoding": "step:mon2"}},
            "steps": ["07:00", "08:00", "09:00 pill_cue", "10:00", "11:00"],
        }
    )
    assert reasons(plan, "pill") == [
        "not due: becomes active at step 2",
        "not due: waits for cue pill_cue in the narrative",
        "due: cue pill_cue in the narrative",
        "no longer due, would count as late: cue pill_cue in the narrative",
        "no longer due, too late to count: cue pill_cue in the narrative",
    ]
    assert reasons(plan, "pill", {3: ["pill"]})[3:] == ["not due: done at step 3"] * 2


def test_a_cue_that_comes_again_is_waited_for(build: Build) -> None:
    steps = ["08:00 pill_cue", "09:00", "10:00", "11:00 pill_cue"]
    found = reasons(build({"tasks": {"pill": {}}, "steps": steps}), "pill")
    assert found[2] == "not due: waits for cue pill_cue in the narrative"
    assert found[3] == "due: cue pill_cue in the narrative"


def test_the_reasons_of_cancels_and_changes(build: Build) -> None:
    steps: list[Any] = [
        "08:00",
        {
            "at": "09:00",
            "updates": [
                {"task_id": "gone", "action": "cancel"},
                {"task_id": "moved", "action": "override", "new_cue_id": "b"},
            ],
        },
        "10:00 moved_cue",
        "11:00 b",
    ]
    tasks = {"gone": {}, "moved": {}, "after": {"depends_on": "gone"}}
    plan = build({"tasks": tasks, "steps": steps})
    assert reasons(plan, "gone")[0] == "not due: waits for cue gone_cue in the narrative"
    assert reasons(plan, "gone")[1:] == ["not due: cancelled at step 2"] * 3
    assert reasons(plan, "after")[0] == "not due: gone has to be done before"
    assert reasons(plan, "after")[1:] == ["not due: cancelled at step 2"] * 3
    assert reasons(plan, "moved")[1:] == [
        "not due: waits for cue b in the narrative",
        "not due: waits for cue b in the narrative (the condition before the update holds)",
        "due: cue b in the narrative",
    ]


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ({"cue_channel": "email"}, "cue task_cue on email"),
        ({"target_time": "21:05"}, "time 21:05"),
        ({"target_time": "21:05", "window_before": 10, "window_after": 5}, "time 20:55 to 21:10"),
        (
            {"cue_channel": "price", "condition": {"op": "below", "threshold": 79.5}},
            "value on price below 79.5",
        ),
    ],
)
def test_conditions_in_words(build: Build, task: dict[str, Any], words: str) -> None:
    plan = build({"tasks": {"task": task}, "steps": ["08:00"]}, channels={"price": "snapshot"})
    assert reasons(plan, "task") == [f"not due: waits for {words}"]


def test_an_event_task_that_becomes_timed_without_a_time_says_so(build: Build) -> None:
    change = [{"task_id": "task", "action": "override", "new_type": "time"}]
    plan = build({"tasks": {"task": {}}, "steps": [{"at": "08:00", "updates": change}]})
    assert reasons(plan, "task") == ["not due: waits for a time, and none is set"]


def test_a_step_tells_what_happens_and_what_the_agent_did(
    mock_plan: WeekPlan, rows_for: Rows
) -> None:
    rows = rows_for(
        mock_plan, {"mon2": ["lease", "lease", "sweep"]}, {"mon2": {"clock": 2, "email": 1}}
    )
    lines = list(explain_step(mock_plan, "mon2", rows))
    assert lines[0] == "Monday mon2 09:40"
    assert "  [email] The landlord: the lease is ready." in lines
    assert "  lease (Sign the lease.) due: cue landlord_mail on email" in lines
    assert "  dentist (Ring the dentist.) not due: waits for time 11:00" in lines
    assert lines[-3:] == [
        "  agent asked: clock (2), email",
        "  agent chose: lease: on time",
        "  agent chose: sweep: false alarm: a lure",
    ]
    idle = list(explain_step(mock_plan, "mon3", rows))
    assert idle[-2:] == ["  agent asked: nothing", "  agent chose: nothing"]
    assert "  lease (Sign the lease.) not due: done at step 2" in idle


def test_a_step_tells_its_updates(mock_plan: WeekPlan) -> None:
    assert "  update: override cat" in list(explain_step(mock_plan, "tue1", None))


def test_without_a_log_the_tasks_are_seen_at_their_best(mock_plan: WeekPlan) -> None:
    lines = list(explain_step(mock_plan, "mon4", None))
    assert "  fern (Water the fern.) not due: done at step 1" in lines
    assert "  post (Post the lease.) due: cue letter_box in the narrative" in lines
    assert not any("agent" in line for line in lines)


def test_a_task_is_followed_through_its_day(mock_plan: WeekPlan, rows_for: Rows) -> None:
    rows = rows_for(mock_plan, {"tue2": ["cat"]})
    assert list(explain_task(mock_plan, "cat", rows)) == [
        "Tuesday: cat: Feed the cat when the lamps go on",
        "  tue1 07:45 not due: waits for cue lamps in the narrative",
        "  tue2 12:05 not due: waits for cue lamps in the narrative (the condition before the update holds)",
        "  tue3 18:30 due: cue lamps in the narrative",
        "  announced: Tuesday; active from tue1; watch: narrative",
        "  update: override Tuesday tue1",
        "  available: tue3",
        "  seen: tue3",
        "  acted: tue2",
        "  outcome: stale",
        "  first broken link: update: the act followed what an update had changed",
    ]


def test_a_late_task_says_by_how_much(mock_plan: WeekPlan, rows_for: Rows) -> None:
    lines = list(explain_task(mock_plan, "fern", rows_for(mock_plan, {"mon2": ["fern"]})))
    assert "  late by 1 step, 90 minutes" in lines


def test_a_week_explains_each_step(mock_plan: WeekPlan) -> None:
    lines = list(explain_week(mock_plan, None))
    heads = [line for line in lines if line and not line.startswith(" ")]
    assert len(heads) == 7
    assert lines.count("") == 7


def test_what_does_not_exist_is_named(mock_plan: WeekPlan) -> None:
    with pytest.raises(InputError, match="no step 'sun1' in mock"):
        list(explain_step(mock_plan, "sun1", None))
    with pytest.raises(InputError, match="no step 'mon1' in mock"):
        list(explain_step(mock_plan, "mon1", None, "Tuesday"))
    with pytest.raises(InputError, match="no task 'nap' in mock"):
        list(explain_task(mock_plan, "nap", None))


def test_every_verdict_and_link_has_words() -> None:
    assert set(VERDICTS) == set(Verdict)
    assert set(BROKEN) == set(LINKS)
