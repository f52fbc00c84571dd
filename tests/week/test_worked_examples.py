"""The worked examples of the PM-Bench paper (appendix A.1, A.3, A.4), in our own words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from actmem.week.menu import day_menu
from actmem.week.obligations import DayState, WeekPlan
from actmem.week.score import Row, score
from actmem.week.world import World

Build = Callable[..., WeekPlan]
Rows = Callable[..., list[Row]]


def test_a_breakfast_step_asks_for_one_of_many_visible_actions(
    build: Build, rows_for: Rows
) -> None:
    """A.1: of five menu entries one is due; a task can be active and visible without being due."""
    plan = build(
        {
            "opening": ["Take the tablet with breakfast.", "Hand in the form when the office asks."],
            "tasks": {
                "tablet": {"cue_id": "breakfast", "regular": True},
                "form": {"cue_id": "office_asks", "cue_channel": "portal"},
                "bag": {"cue_id": "shop_door"},
            },
            "lures": {"rinse": "start", "hold": "start"},
            "steps": [
                "08:20 breakfast",
                {"at": "10:00", "portal": ["office_asks"]},
                "17:00 shop_door",
            ],
        }
    )  # fmt: skip
    observation = World(plan).reset()
    assert len(observation.menu) == 5
    assert DayState(plan.days[0]).due(0) == ["tablet"]

    right = {"mon1": ["tablet"]}
    first = score(plan, rows_for(plan, right)).per_day["Monday"].metrics
    assert (first["set_tp"], first["set_fp"], first["hit"]) == (1, 0, 1)

    for wrong in ("form", "bag", "rinse", "hold"):
        spoiled = score(plan, rows_for(plan, {"mon1": ["tablet", wrong]})).summary
        assert (spoiled["set_tp"], spoiled["set_fp"], spoiled["hit"]) == (1, 1, 1)
        assert (spoiled["false_alarm"], spoiled["wrong_content"]) == (1, 1)
        assert spoiled["exact_set_match_steps"] == first["exact_set_match_steps"] - 1

    handle = day_menu(plan, 0).handles["tablet"]
    for choice in "ABC":  # which of the three is chosen makes no difference
        world = World(plan)
        world.reset()
        after = world.act(choice, (handle,))
        assert after is not None
        assert {item.handle for item in observation.menu} - {i.handle for i in after.menu} == {
            handle
        }


def test_after_an_override_only_the_new_cue_counts(build: Build, rows_for: Rows) -> None:
    """A.3: what was to be fetched when the counter is free is now due when a message comes."""
    change = {
        "task_id": "fetch",
        "action": "override",
        "new_cue_id": "message",
        "new_label": "Fetch the cartridge when the message comes",
    }
    plan = build(
        {
            "tasks": {"fetch": {"cue_id": "counter_free"}},
            "steps": ["09:00", {"at": "10:00", "updates": [change]}, "11:00 counter_free",
                      "12:00", "13:00 message"],
        }
    )  # fmt: skip
    state = DayState(plan.days[0])
    assert [state.due(step) for step in range(5)] == [[], [], [], [], ["fetch"]]
    versions = plan.days[0].timelines["fetch"].versions
    assert versions[0].action_text == versions[4].action_text, "the action keeps its words"

    old = score(plan, rows_for(plan, {"mon3": ["fetch"]})).summary
    assert (old["hit"], old["miss"], old["false_alarm"]) == (0, 1, 1)
    assert (old["update_violation"], old["stale_acts"], old["update_miss"]) == (1, 1, 1)
    new = score(plan, rows_for(plan, {"mon5": ["fetch"]})).summary
    assert (new["hit"], new["miss"], new["update_hit"], new["update_violation"]) == (1, 0, 1, 0)


@pytest.mark.parametrize(
    ("chosen", "tp", "fp", "fn", "wrong_content", "exact"),
    [
        (["note", "call"], 2, 0, 1, 0, 0),
        (["note", "sweep"], 1, 1, 2, 1, 0),
        (["note", "call", "manager"], 3, 0, 0, 0, 1),
        ([], 0, 0, 3, 0, 0),
    ],
)
def test_three_due_tasks_scored_together(
    build: Build, rows_for: Rows, chosen: list[str], tp: int, fp: int, fn: int,
    wrong_content: int, exact: int,
) -> None:  # fmt: skip
    """A.4: a note, a call and a word with the manager are due at once."""
    plan = build(
        {
            "tasks": {
                "note": {"target_time": "15:00"},
                "call": {"cue_channel": "calendar"},
                "manager": {},
            },
            "lures": {"sweep": "start"},
            "steps": [{"at": "15:00 manager_cue", "calendar": ["call_cue"]}],
        }
    )
    found = score(plan, rows_for(plan, {"mon1": chosen})).summary
    assert (found["set_tp"], found["set_fp"], found["set_fn"]) == (tp, fp, fn)
    assert found["wrong_content"] == wrong_content
    assert found["exact_set_match_steps"] == exact
    assert found["exact_set_match_reward"] == (1 if exact else -1)
