"""Every rule of the checks finds the week that breaks it, and names the place."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import convert

from actmem.week.check import check
from actmem.week.make import Knobs, make_week
from actmem.week.scenario import Scenario, dump

Week = dict[str, Any]
BASE = json.loads(dump(make_week(4, Knobs(profile="full"))))


def _copy() -> Week:
    return copy.deepcopy(BASE)


def _tasks(week: Week, **wanted: Any) -> list[tuple[Week, Week]]:
    """Return (day, task) of the tasks whose fields are as wanted; a type tests for presence."""
    return [
        (day, task)
        for day in week["days"]
        for task in day["tasks"]
        if all((name in task) == value if isinstance(value, bool) and name not in ("regular", "cross_day")
               else task.get(name, False) == value for name, value in wanted.items())
    ]  # fmt: skip


def _double_step_id(week: Week) -> None:
    week["days"][1]["steps"][0]["id"] = week["days"][0]["steps"][0]["id"]


def _double_task_id(week: Week) -> None:
    tasks = week["days"][0]["tasks"]
    tasks[0]["id"] = tasks[1]["id"]


def _lure_named_as_task(week: Week) -> None:
    day = week["days"][0]
    day["lures"][0]["id"] = day["tasks"][0]["id"]


def _time_runs_back(week: Week) -> None:
    steps = week["days"][2]["steps"]
    steps[4]["time"] = steps[3]["time"]


def _cue_never_comes(week: Week) -> None:
    _, task = next((d, t) for d, t in _tasks(week, type="event") if "cue_id" in t)
    task["cue_id"] = "nowhere"


def _time_off_the_steps(week: Week) -> None:
    _, task = _tasks(week, type="time", regular=True)[0]
    task["target_time"] = "23:01"


def _empty_window(week: Week) -> None:
    _, task = _tasks(week, type="time_check")[0]
    task["target_time"], task["window_before"], task["window_after"] = "23:30", 0, 5


def _unknown_channel(week: Week) -> None:
    _, task = next((d, t) for d, t in _tasks(week, type="event") if "cue_channel" in t)
    task["cue_channel"] = "fax"


def _condition_on_the_narrative(week: Week) -> None:
    _, task = next((d, t) for d, t in _tasks(week, type="event") if "condition" in t)
    del task["cue_channel"]


def _updates(week: Week) -> list[tuple[Week, Week, Week]]:
    return [(d, s, u) for d in week["days"] for s in d["steps"] for u in s.get("updates", ())]


def _update_of_nothing(week: Week) -> None:
    _updates(week)[0][2]["task_id"] = "nothing"


def _unknown_update(week: Week) -> None:
    _updates(week)[0][2]["action"] = "postpone"


def _update_after_cancel(week: Week) -> None:
    day, _step, update = next(x for x in _updates(week) if x[2]["action"] == "cancel"
                             and "target_day" not in x[2])  # fmt: skip
    later = day["steps"][-1]
    later.setdefault("updates", []).append({"task_id": update["task_id"], "action": "cancel"})


def _target_moves_back(week: Week) -> None:
    day, _step, update = next(x for x in _updates(week) if x[2]["action"] == "reschedule"
                             and "target_day" not in x[2])  # fmt: skip
    update["new_target_time"] = day["steps"][0]["time"]


def _notice_not_shown(week: Week) -> None:
    _, step, update = _updates(week)[0]
    step["cues"].remove(update["cue_id"])


def _told_after_cancel(week: Week) -> None:
    day, step, update = next(x for x in _updates(week) if x[2]["action"] == "cancel"
                             and "target_day" not in x[2])  # fmt: skip
    task = next(t for t in day["tasks"] if t["id"] == update["task_id"])
    last = day["steps"][-1]
    assert last is not step
    action = task["action_text"]
    last["text"] += f" Do not forget to {action[0].lower()}{action[1:]}"


def _clock_in_prose(week: Week) -> None:
    step = week["days"][3]["steps"][2]
    step["text"] += f" The station clock says {step['time']}."


def _cross_day_unannounced(week: Week) -> None:
    _day, task = next((d, t) for d, t in _tasks(week, cross_day=True) if d is not week["days"][1])
    task["cross_day_offset"] = 7


def _cross_day_announced_again(week: Week) -> None:
    day, task = _tasks(week, cross_day=True)[0]
    day.setdefault("start_instructions", []).append(f"Also: {task['action_text']}")


def _prerequisite_missing(week: Week) -> None:
    _, task = next((d, t) for d, t in _tasks(week) if "depends_on" in t)
    task["depends_on"] = "nothing"


def _cycle(week: Week) -> None:
    day, task = next((d, t) for d, t in _tasks(week) if "depends_on" in t)
    first = next(t for t in day["tasks"] if t["id"] == task["depends_on"])
    first["depends_on"] = task["id"]


def _process(week: Week) -> list[tuple[str, Week]]:
    return [
        (phase, event)
        for day in week["days"]
        for step in day["steps"]
        for name, events in step.get("state_events", {}).items()
        if name in ("shipment_status", "laundry_status")
        for event in events
        for phase in [event["meta"]["phase"]]
    ]


def _complete_before_progress(week: Week) -> None:
    for phase, event in _process(week):
        if phase == "in_progress":
            event["meta"]["phase"] = "complete"


def _prerequisite_comes_too_late(week: Week) -> None:
    day, task = next((d, t) for d, t in _tasks(week) if "depends_on" in t)
    first = next(t for t in day["tasks"] if t["id"] == task["depends_on"])
    del task["depends_on"]
    first["depends_on"] = task["id"]


CASES: list[tuple[str, Callable[[Week], None]]] = [
    ("unique ids", _double_step_id),
    ("unique ids", _double_task_id),
    ("unique ids", _lure_named_as_task),
    ("monotonic times", _time_runs_back),
    ("realizable conditions", _cue_never_comes),
    ("realizable conditions", _time_off_the_steps),
    ("realizable conditions", _empty_window),
    ("realizable cues", _unknown_channel),
    ("realizable conditions", _condition_on_the_narrative),
    ("valid updates", _update_of_nothing),
    ("valid updates", _unknown_update),
    ("valid updates", _update_after_cancel),
    ("valid updates", _target_moves_back),
    ("valid updates", _notice_not_shown),
    ("stale instructions", _told_after_cancel),
    ("hidden time", _clock_in_prose),
    ("cross-day exposure", _cross_day_unannounced),
    ("cross-day exposure", _cross_day_announced_again),
    ("dependencies", _prerequisite_missing),
    ("dependencies", _cycle),
    ("process stages", _complete_before_progress),
    ("perfect play", _prerequisite_comes_too_late),
]


def test_the_base_week_is_sound() -> None:
    assert check(convert(_copy(), Scenario)) == []


@pytest.mark.parametrize(("rule", "spoil"), CASES, ids=[spoil.__name__[1:] for _, spoil in CASES])
def test_a_broken_week_is_named(rule: str, spoil: Callable[[Week], None]) -> None:
    week = _copy()
    spoil(week)
    found = check(convert(week, Scenario))
    assert rule in {violation.rule for violation in found}
    assert all(violation.where and violation.message for violation in found)
