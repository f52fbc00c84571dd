"""The rules of obligations, one by one, on weeks of a few steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from actmem.errors import InputError
from actmem.week.obligations import DayState, Verdict, WeekPlan

Build = Callable[..., WeekPlan]
HIT, LATE, EARLY = Verdict.HIT, Verdict.LATE, Verdict.EARLY
BLOCKED, CANCELLED, COMPLETED = Verdict.BLOCKED, Verdict.CANCELLED, Verdict.COMPLETED


def due_steps(plan: WeekPlan, task: str, day: int = 0) -> list[int]:
    """Return the steps, from 1, at which a task is due if nobody ever acts."""
    state = DayState(plan.days[day])
    return [step + 1 for step in range(len(plan.days[day].times)) if task in state.due(step)]


def verdicts(plan: WeekPlan, acts: Mapping[int, Sequence[str]], day: int = 0) -> list[Verdict]:
    """Play the acts, by step from 1, and return what each chosen id amounts to, in order."""
    state = DayState(plan.days[day])
    return [
        verdict
        for step in range(len(plan.days[day].times))
        for verdict in state.act(step, acts.get(step + 1, ()), state.due(step))
    ]


def verdict_at(plan: WeekPlan, task: str, step: int) -> Verdict:
    """Return what the first act on a task amounts to at a step, from 1."""
    return verdicts(plan, {step: [task]})[0]


def update(action: str, task: str = "pill", **fields: Any) -> dict[str, Any]:
    return {"task_id": task, "action": action, **fields}


# Conditions


def test_a_cue_in_the_narrative_makes_due_at_its_steps_alone(build: Build) -> None:
    plan = build({"tasks": {"pill": {}}, "steps": ["08:00", "09:00 pill_cue x", "10:00 pill_cue"]})
    assert due_steps(plan, "pill") == [2, 3]


def test_a_cue_counts_only_where_the_task_looks_for_it(build: Build) -> None:
    steps = ["08:00 a b", {"at": "09:00", "email": ["a", "b"]}, {"at": "10:00", "notes": ["b"]}]
    tasks = {"narrative": {"cue_id": "a"}, "mail": {"cue_id": "b", "cue_channel": "email"}}
    plan = build({"tasks": tasks, "steps": steps})
    assert due_steps(plan, "narrative") == [1]
    assert due_steps(plan, "mail") == [2]


def test_a_channel_without_events_makes_nothing_due(build: Build) -> None:
    tasks = {"mail": {"cue_channel": "email"}}
    plan = build({"tasks": tasks, "steps": ["08:00 mail_cue"]}, channels={"email": "delta"})
    assert due_steps(plan, "mail") == []


def test_a_time_is_due_at_the_very_minute(build: Build) -> None:
    steps = ["08:59", "09:00", "09:01"]
    plan = build({"tasks": {"call": {"target_time": "09:00"}}, "steps": steps})
    assert due_steps(plan, "call") == [2]


@pytest.mark.parametrize(
    ("before", "after", "steps"), [(0, 0, [3]), (30, 0, [2, 3]), (29, 20, [3, 4]), (60, 60, [1, 2, 3, 4, 5])]
)  # fmt: skip
def test_a_window_is_due_from_its_first_to_its_last_minute(
    build: Build, before: int, after: int, steps: list[int]
) -> None:
    task = {"target_time": "09:00", "window_before": before, "window_after": after}
    plan = build({"tasks": {"oven": task}, "steps": ["08:00", "08:30", "09:00", "09:20", "10:00"]})
    assert due_steps(plan, "oven") == steps


# Activation


def test_a_task_is_active_from_the_step_that_announces_it(build: Build) -> None:
    tasks = {"pill": {"encoding": "step:mon2"}}
    plan = build({"tasks": tasks, "steps": ["08:00 pill_cue", "09:00", "10:00 pill_cue"]})
    assert due_steps(plan, "pill") == [3]
    assert verdict_at(plan, "pill", 1) is Verdict.INACTIVE
    assert [DayState(plan.days[0]).open(step) for step in range(3)] == [[], ["pill"], ["pill"]]


def test_the_step_that_announces_a_task_can_make_it_due(build: Build) -> None:
    plan = build({"tasks": {"pill": {"encoding": "step:mon1"}}, "steps": ["08:00 pill_cue"]})
    assert due_steps(plan, "pill") == [1]


def test_a_cue_before_activation_was_not_seen(build: Build) -> None:
    """One step late counts from a cue that came while the task was active, not from an older one."""
    steps = ["08:00 pill_cue", "09:00", "10:00"]
    plan = build({"tasks": {"pill": {"encoding": "step:mon2"}}, "steps": steps})
    assert verdict_at(plan, "pill", 2) is EARLY


def test_tasks_that_cannot_be_laid_out_are_named(build: Build) -> None:
    with pytest.raises(InputError, match="'pill' starts at 'tue1', which is no step"):
        build({"tasks": {"pill": {"encoding": "step:tue1"}}, "steps": ["08:00"]})


# Lateness


def test_an_event_is_late_one_step_after_its_first_cue_and_no_more(build: Build) -> None:
    plan = build({"tasks": {"pill": {}}, "steps": ["08:00 pill_cue", "12:00", "12:10"]})
    assert verdict_at(plan, "pill", 2) is LATE
    assert verdict_at(plan, "pill", 3) is EARLY


def test_lateness_of_an_event_counts_from_the_first_cue(build: Build) -> None:
    steps = ["08:00 pill_cue", "09:00 pill_cue", "10:00", "11:00"]
    plan = build({"tasks": {"pill": {}}, "steps": steps})
    assert [verdict_at(plan, "pill", step) for step in (1, 2, 3)] == [HIT, HIT, EARLY]


@pytest.mark.parametrize(("step", "verdict"), [(1, EARLY), (2, HIT), (3, LATE), (4, LATE), (5, EARLY)])  # fmt: skip
def test_a_time_is_late_for_sixty_minutes(build: Build, step: int, verdict: Verdict) -> None:
    steps = ["08:59", "09:00", "09:01", "10:00", "10:01"]
    plan = build({"tasks": {"call": {"target_time": "09:00"}}, "steps": steps})
    assert verdict_at(plan, "call", step) is verdict


@pytest.mark.parametrize(
    ("step", "verdict"), [(1, EARLY), (2, HIT), (3, HIT), (4, LATE), (5, LATE), (6, EARLY)]
)
def test_a_window_is_late_from_its_end_to_an_hour_past_its_target(
    build: Build, step: int, verdict: Verdict
) -> None:
    task = {"target_time": "09:00", "window_before": 15, "window_after": 10}
    steps = ["08:44", "08:45", "09:10", "09:11", "10:00", "10:01"]
    plan = build({"tasks": {"oven": task}, "steps": steps})
    assert verdict_at(plan, "oven", step) is verdict


def test_a_window_longer_than_an_hour_leaves_no_late_act(build: Build) -> None:
    task = {"target_time": "09:00", "window_after": 90}
    plan = build({"tasks": {"oven": task}, "steps": ["10:30", "10:31"]})
    assert [verdict_at(plan, "oven", step) for step in (1, 2)] == [HIT, EARLY]


def test_a_late_act_completes_the_task(build: Build) -> None:
    plan = build({"tasks": {"pill": {}}, "steps": ["08:00 pill_cue", "09:00", "10:00 pill_cue"]})
    assert verdicts(plan, {2: ["pill"], 3: ["pill"]}) == [LATE, COMPLETED]


def test_an_early_act_does_not_complete_the_task(build: Build) -> None:
    plan = build({"tasks": {"pill": {}}, "steps": ["08:00", "09:00 pill_cue"]})
    assert verdicts(plan, {1: ["pill"], 2: ["pill"]}) == [EARLY, HIT]


# Updates


def test_cancel_takes_the_task_out_from_its_step_on(build: Build) -> None:
    steps = ["08:00 pill_cue", {"at": "09:00 pill_cue", "updates": [update("cancel")]}, "10:00"]
    plan = build({"tasks": {"pill": {}}, "steps": steps})
    assert due_steps(plan, "pill") == [1]
    assert [verdict_at(plan, "pill", step) for step in (1, 2, 3)] == [HIT, CANCELLED, CANCELLED]
    assert DayState(plan.days[0]).cancelled("pill") == 1
    assert DayState(plan.days[0]).open(2) == ["pill"], "a cancelled task stays in the menu"


def test_reschedule_moves_the_time(build: Build) -> None:
    steps = [
        {"at": "08:00", "updates": [update("reschedule", new_target_time="10:00")]}, "09:00", "10:00",
    ]  # fmt: skip
    plan = build({"tasks": {"pill": {"target_time": "09:00"}}, "steps": steps})
    assert due_steps(plan, "pill") == [3]
    assert plan.days[0].timelines["pill"].stale == {1}


def test_override_replaces_the_cue_label_and_action(build: Build) -> None:
    change = update("override", new_cue_id="b", new_label="New words", new_action_text="Do it so")
    steps = ["08:00", {"at": "09:00", "updates": [change]}, "10:00 pill_cue", "11:00 b"]
    plan = build({"tasks": {"pill": {}}, "steps": steps})
    assert due_steps(plan, "pill") == [4]
    line = plan.days[0].timelines["pill"]
    assert [v.label for v in line.versions] == ["pill when it is time"] * 1 + ["New words"] * 3
    assert [v.action_text for v in line.versions] == ["Do pill"] * 1 + ["Do it so"] * 3
    assert line.stale == {2}
    assert line.updated == 1


def test_an_update_applies_before_the_due_set_of_its_step(build: Build) -> None:
    change = {"at": "08:00 pill_cue b", "updates": [update("override", new_cue_id="c")]}
    plan = build({"tasks": {"pill": {}}, "steps": [change, "09:00 c"]})
    assert due_steps(plan, "pill") == [2]


def test_override_can_change_the_type_and_windows(build: Build) -> None:
    change = update(
        "override", new_type="time_check", new_target_time="10:00", new_window_before=30,
        new_window_after=5,
    )  # fmt: skip
    steps = [{"at": "08:00", "updates": [change]}, "09:30 pill_cue", "10:05", "10:06"]
    plan = build({"tasks": {"pill": {}}, "steps": steps})
    assert due_steps(plan, "pill") == [2, 3]
    assert verdict_at(plan, "pill", 4) is LATE
    assert plan.days[0].timelines["pill"].versions[0].source == "clock"


def test_a_channel_task_keeps_its_channel(build: Build) -> None:
    change = {"at": "08:00", "updates": [update("override", new_cue_id="b")]}
    steps = [change, "09:00 b", {"at": "10:00", "email": ["b"]}]
    plan = build({"tasks": {"pill": {"cue_channel": "email"}}, "steps": steps})
    assert due_steps(plan, "pill") == [3]


def test_a_new_cue_or_time_forgets_the_cue_that_was_seen(build: Build) -> None:
    def late_after(**fields: Any) -> Verdict:
        change = {"at": "09:00", "updates": [update("override", **fields)]}
        plan = build({"tasks": {"pill": {}}, "steps": ["08:00 pill_cue", change, "10:00 b"]})
        return verdict_at(plan, "pill", 2)

    assert late_after(new_label="Other words") is LATE
    assert late_after(new_cue_id="b") is EARLY
    assert late_after(new_target_time="12:00") is EARLY


def test_an_unknown_action_has_no_effect(build: Build) -> None:
    change = {"at": "08:00", "updates": [update("ponder", new_cue_id="b")]}
    plan = build({"tasks": {"pill": {}}, "steps": [change, "09:00 pill_cue"]})
    assert due_steps(plan, "pill") == [2]
    assert plan.days[0].timelines["pill"].updated is None


def test_an_update_announced_on_an_earlier_day_holds_from_the_first_step(build: Build) -> None:
    change = {
        "at": "08:00",
        "updates": [update("override", target_day="Tuesday", new_cue_id="b")],
    }
    tasks: dict[str, Any] = {"pill": {}}
    plan = build(
        {"tasks": tasks, "steps": [change, "09:00 pill_cue"]},
        {"tasks": tasks, "steps": ["08:00 pill_cue", "09:00 b"]},
    )
    assert due_steps(plan, "pill", day=0) == [2], "the namesake of the first day is untouched"
    assert due_steps(plan, "pill", day=1) == [2]
    given = plan.days[1].timelines["pill"].given[0]
    assert (given.step, given.day, given.announced) == (0, "Monday", "mon1")


def test_an_update_for_a_day_gone_by_has_no_effect(build: Build) -> None:
    change = {"at": "08:00", "updates": [update("cancel", target_day="Monday")]}
    tasks: dict[str, Any] = {"pill": {}}
    plan = build({"tasks": tasks, "steps": ["08:00 pill_cue"]}, {"tasks": {}, "steps": [change]})
    assert due_steps(plan, "pill") == [1]
    assert plan.days[0].timelines["pill"].given == ()


def test_a_second_update_changes_the_first(build: Build) -> None:
    steps = [
        {"at": "08:00", "updates": [update("override", new_cue_id="b")]},
        {"at": "09:00 b", "updates": [update("override", new_cue_id="c")]},
        "10:00 pill_cue",
        "11:00 c",
    ]
    plan = build({"tasks": {"pill": {}}, "steps": steps})
    assert due_steps(plan, "pill") == [4]
    assert plan.days[0].timelines["pill"].stale == {1, 2}


def test_two_updates_of_one_step_apply_in_order(build: Build) -> None:
    both = [update("override", new_cue_id="b"), update("reschedule", new_cue_id="c")]
    steps = [{"at": "08:00", "updates": both}, "09:00 b", "10:00 c"]
    assert due_steps(build({"tasks": {"pill": {}}, "steps": steps}), "pill") == [3]


def test_an_update_of_a_completed_task_is_ignored(build: Build) -> None:
    steps = ["08:00 pill_cue", {"at": "09:00", "updates": [update("cancel")]}, "10:00"]
    plan = build({"tasks": {"pill": {}}, "steps": steps})
    assert verdicts(plan, {1: ["pill"], 3: ["pill"]}) == [HIT, COMPLETED]
    state = DayState(plan.days[0])
    state.act(0, ["pill"], state.due(0))
    assert state.cancelled("pill") is None
    assert state.open(1) == []


def test_stale_steps_are_those_of_the_old_condition_alone(build: Build) -> None:
    steps = [
        "08:00 pill_cue",
        {"at": "09:00", "updates": [update("override", new_cue_id="b")]},
        "10:00 pill_cue b",
        "11:00 pill_cue",
    ]
    plan = build({"tasks": {"pill": {}}, "steps": steps})
    assert plan.days[0].timelines["pill"].stale == {3}


# Dependencies


def test_a_task_waits_for_its_prerequisite(build: Build) -> None:
    tasks = {"pack": {}, "send": {"depends_on": "pack"}}
    plan = build({"tasks": tasks, "steps": ["08:00 pack_cue send_cue", "09:00 send_cue", "10:00"]})
    assert due_steps(plan, "send") == []
    assert verdicts(plan, {1: ["send"], 2: ["send"]}) == [BLOCKED, BLOCKED]
    assert verdicts(plan, {1: ["pack"], 2: ["send"]}) == [HIT, HIT]


def test_a_cue_seen_while_the_prerequisite_was_open_counts_for_lateness(build: Build) -> None:
    tasks = {"pack": {}, "send": {"depends_on": "pack"}}
    plan = build({"tasks": tasks, "steps": ["08:00 pack_cue send_cue", "09:00", "10:00"]})
    assert verdicts(plan, {1: ["pack"], 2: ["send"]}) == [HIT, LATE]
    assert verdicts(plan, {1: ["pack"], 3: ["send"]}) == [HIT, EARLY]


def test_a_prerequisite_done_in_the_same_step_opens_the_way_in_the_order_of_the_acts(
    build: Build,
) -> None:
    tasks = {"pack": {}, "send": {"depends_on": "pack"}}
    plan = build({"tasks": tasks, "steps": ["08:00 pack_cue send_cue", "09:00 send_cue"]})
    assert verdicts(plan, {1: ["send", "pack"]}) == [BLOCKED, HIT]
    first = verdicts(plan, {1: ["pack", "send"], 2: ["send"]})
    assert first == [HIT, EARLY, HIT], "the due set of a step is taken before its acts"


def test_a_prerequisite_done_late_opens_the_way_too(build: Build) -> None:
    tasks = {"pack": {}, "send": {"depends_on": "pack"}}
    plan = build({"tasks": tasks, "steps": ["08:00 pack_cue", "09:00", "10:00 send_cue"]})
    assert verdicts(plan, {2: ["pack"], 3: ["send"]}) == [LATE, HIT]


def test_a_cancel_reaches_what_depends_on_the_task(build: Build) -> None:
    tasks = {"pack": {}, "send": {"depends_on": "pack"}, "track": {"depends_on": "send"}}
    steps = ["08:00", {"at": "09:00", "updates": [update("cancel", "pack")]}, "10:00 send_cue"]
    plan = build({"tasks": tasks, "steps": steps})
    state = DayState(plan.days[0])
    assert [state.cancelled(name) for name in ("pack", "send", "track")] == [1, 1, 1]
    assert verdict_at(plan, "send", 3) is BLOCKED


def test_a_cancel_in_cascade_spares_what_was_done_before(build: Build) -> None:
    tasks = {"pack": {}, "send": {"depends_on": "pack"}, "track": {"depends_on": "send"}}
    steps = [
        "08:00 pack_cue",
        "09:00 send_cue",
        {"at": "10:00", "updates": [update("cancel", "pack")]},
        "11:00 track_cue",
    ]
    plan = build({"tasks": tasks, "steps": steps})
    assert verdicts(plan, {1: ["pack"], 2: ["send"], 4: ["track"]}) == [HIT, HIT, HIT]


def test_a_cancel_in_the_middle_of_a_chain_spares_the_head(build: Build) -> None:
    tasks = {"pack": {}, "send": {"depends_on": "pack"}, "track": {"depends_on": "send"}}
    steps = ["08:00", {"at": "09:00 pack_cue", "updates": [update("cancel", "send")]}]
    plan = build({"tasks": tasks, "steps": steps})
    state = DayState(plan.days[0])
    assert [state.cancelled(name) for name in ("pack", "send", "track")] == [None, 1, 1]
    assert verdict_at(plan, "pack", 2) is HIT


# Conditions on a value

BELOW = {"cue_channel": "price", "condition": {"op": "below", "threshold": 80}}
ABOVE = {"cue_channel": "price", "condition": {"op": "above", "threshold": 80}}
PRICE = {"price": "snapshot"}


def prices(*values: float | str | None) -> list[dict[str, Any]]:
    """Return hourly steps with a price each; None for a step without one."""
    return [
        {"at": f"{8 + hour:02}:00"} | ({} if value is None else {"price": [(f"p{hour}", value)]})
        for hour, value in enumerate(values)
    ]


def test_a_value_makes_due_once_at_the_first_step_where_it_holds(build: Build) -> None:
    steps = prices(90, 80, 79, None, 70, 90, 60)
    plan = build({"tasks": {"buy": BELOW}, "steps": steps}, channels=PRICE)
    assert due_steps(plan, "buy") == [3]
    assert verdict_at(plan, "buy", 4) is LATE
    assert verdict_at(plan, "buy", 5) is EARLY


def test_above_is_strict_too(build: Build) -> None:
    plan = build({"tasks": {"sell": ABOVE}, "steps": prices(80, 81)}, channels=PRICE)
    assert due_steps(plan, "sell") == [2]


def test_a_value_that_is_no_number_never_holds(build: Build) -> None:
    plan = build({"tasks": {"buy": BELOW}, "steps": prices("cheap", True, None)}, channels=PRICE)
    assert due_steps(plan, "buy") == []


def test_a_value_from_before_activation_holds_at_the_first_active_step(build: Build) -> None:
    task = BELOW | {"encoding": "step:mon3"}
    plan = build({"tasks": {"buy": task}, "steps": prices(70, None, None, None)}, channels=PRICE)
    assert due_steps(plan, "buy") == [3]


def test_a_new_threshold_starts_the_condition_anew(build: Build) -> None:
    steps = prices(75, None, 65, None)
    steps[1]["updates"] = [
        update("override", "buy", new_condition={"op": "below", "threshold": 70})
    ]
    plan = build({"tasks": {"buy": BELOW}, "steps": steps}, channels=PRICE)
    assert due_steps(plan, "buy") == [1, 3]
    assert plan.days[0].timelines["buy"].stale == {1}, "75 satisfies the old one alone; 65 both"


def test_a_new_cue_takes_the_place_of_a_value(build: Build) -> None:
    steps = prices(90, 75, 74)
    steps[0]["updates"] = [update("override", "buy", new_cue_id="p2")]
    plan = build({"tasks": {"buy": BELOW}, "steps": steps}, channels=PRICE)
    assert due_steps(plan, "buy") == [3]


def test_a_condition_on_an_unknown_channel_never_holds(build: Build) -> None:
    task = BELOW | {"cue_channel": "nowhere"}
    plan = build({"tasks": {"buy": task}, "steps": prices(70)}, channels=PRICE)
    assert due_steps(plan, "buy") == []


# Days and identities


def test_days_keep_their_obligations_apart(build: Build) -> None:
    day = {"tasks": {"pill": {}}, "steps": ["08:00 pill_cue"]}
    plan = build(day, day)
    assert verdicts(plan, {1: ["pill"]}, day=0) == verdicts(plan, {1: ["pill"]}, day=1) == [HIT]


def test_a_lure_or_nonsense_is_unknown(build: Build) -> None:
    plan = build({"tasks": {}, "lures": {"sweep": "start"}, "steps": ["08:00"]})
    assert verdicts(plan, {1: ["sweep", "nonsense"]}) == [Verdict.UNKNOWN] * 2


def test_two_tasks_of_one_id_are_refused(mock_plan: WeekPlan) -> None:
    from msgspec.structs import replace

    from actmem.week.obligations import prepare

    scenario = mock_plan.scenario
    monday = scenario.days[0]
    twice = replace(monday, tasks=(*monday.tasks, monday.tasks[0]))
    with pytest.raises(InputError, match="two tasks of Monday have the id 'fern'"):
        prepare(replace(scenario, days=(twice,)))
