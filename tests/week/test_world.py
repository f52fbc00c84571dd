"""The world as a participant meets it: what it shows, what it answers, what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from actmem.errors import ActionError
from actmem.week.heartbeat import NUDGES, Heartbeat, Nudge
from actmem.week.menu import day_menu
from actmem.week.obligations import WeekPlan
from actmem.week.world import MAX_HANDLES, MAX_QUERIES, NO_UPDATES, Observation, World

Build = Callable[..., WeekPlan]


def handles(world: World, observation: Observation, *texts: str) -> tuple[str, ...]:
    """Return the handles whose action texts are given."""
    by_text = {item.text: item.handle for item in observation.menu}
    return tuple(by_text[text] for text in texts)


def texts(observation: Observation | None) -> set[str]:
    assert observation is not None
    return {item.text for item in observation.menu}


def reply(world: World, channel: str) -> str:
    return world.query(channel).replies[-1].text


def walk(world: World) -> Iterator[Observation]:
    """Yield each observation, acting on nothing."""
    observation: Observation | None = world.reset()
    while observation is not None:
        yield observation
        observation = world.act("A")


# What is shown


def test_the_first_step_of_a_day_brings_its_opening(mock_plan: WeekPlan) -> None:
    seen = list(walk(World(mock_plan)))
    assert len(seen) == 7
    assert [o.first for o in seen] == [True, False, False, False, True, False, False]
    assert [bool(o.opening) for o in seen] == [o.first for o in seen]
    assert [o.day for o in seen] == ["Monday"] * 4 + ["Tuesday"] * 3
    steps = [step for day in mock_plan.scenario.days for step in day.steps]
    assert [o.text for o in seen] == [step.text for step in steps]
    assert [o.options for o in seen] == [step.options for step in steps]
    assert {o.channels for o in seen} == {("clock", "email", "price_tracker")}


def test_the_week_ends_with_none_and_then_refuses(mock_plan: WeekPlan) -> None:
    world = World(mock_plan)
    with pytest.raises(ActionError, match=r"^action: the week has not begun or is over"):
        world.act("A")
    for _ in walk(world):
        pass
    calls: list[Callable[[], object]] = [
        lambda: world.query("clock"),
        lambda: world.act("A"),
        world.skip,
    ]
    for call in calls:
        with pytest.raises(ActionError, match=r"^action: "):
            call()


def test_reset_begins_anew(mock_plan: WeekPlan) -> None:
    world = World(mock_plan)
    first = world.reset()
    world.set_heartbeat(30)
    world.query("email")
    world.act("A", handles(world, first, "Water the fern."))
    assert world.reset() == first
    assert [o.nudge for o in walk(world)] == [None] * 7


def test_the_time_is_shown_where_the_clock_is_visible(build: Build) -> None:
    day = {"tasks": {}, "steps": ["08:00", "09:30"]}
    assert [o.time for o in walk(World(build(day)))] == [None, None]
    assert [o.time for o in walk(World(build(day, clock_visible=True)))] == ["08:00", "09:30"]


# Menus


def test_a_persistent_menu_keeps_lures_and_hides_what_is_done(build: Build) -> None:
    plan = build(
        {
            "tasks": {"pill": {}, "call": {"encoding": "step:mon2", "target_time": "09:30"}},
            "lures": {"sweep": "start", "knit": "step:mon3"},
            "steps": ["08:00 pill_cue", "09:00", "10:00"],
        }
    )
    world = World(plan)
    first = world.reset()
    assert texts(first) == {"Do pill", "Fancy sweep"}
    second = world.act("B", handles(world, first, "Do pill", "Fancy sweep"))
    assert texts(second) == {"Do call", "Fancy sweep"}, "a lure stays although it was chosen"
    assert texts(world.act("C")) == {"Do call", "Fancy sweep", "Fancy knit"}


def test_a_menu_holds_cancelled_tasks_and_the_words_of_the_update(build: Build) -> None:
    updates = [
        {"task_id": "pill", "action": "cancel"},
        {"task_id": "call", "action": "override", "new_action_text": "Do it otherwise"},
    ]
    plan = build(
        {
            "tasks": {"pill": {}, "call": {}},
            "steps": ["08:00", {"at": "09:00", "updates": updates}],
        }
    )
    world = World(plan)
    assert texts(world.reset()) == {"Do pill", "Do call"}
    assert texts(world.act("A")) == {"Do pill", "Do it otherwise"}


@pytest.mark.parametrize("rule", ["persistent", "pmbench"])
def test_handles_name_one_thing_all_day_and_are_reshuffled_overnight(
    build: Build, rule: str
) -> None:
    day = {
        "tasks": {f"t{n}": {} for n in range(8)},
        "lures": {f"l{n}": "start" for n in range(6)},
        "steps": ["08:00", "09:00", "10:00"],
    }
    meaning: dict[str, dict[str, str]] = {"Monday": {}, "Tuesday": {}}
    for observation in walk(World(build(day, day, menu=rule))):
        for item in observation.menu:
            assert meaning[observation.day].setdefault(item.handle, item.text) == item.text
    days = list(meaning.values())
    assert days[0] != days[1]
    assert all(len(set(day.values())) == len(day) for day in days)


def test_a_persistent_menu_does_not_tell_tasks_from_lures_by_place(build: Build) -> None:
    day = {
        "tasks": {f"t{n}": {} for n in range(8)},
        "lures": {f"l{n}": "start" for n in range(8)},
        "steps": ["08:00"],
    }
    kinds = [item.text.split()[0] for item in World(build(day)).reset().menu]
    assert kinds != sorted(kinds)
    assert kinds != sorted(kinds, reverse=True)


def test_a_pmbench_menu_draws_three_lures_a_step(build: Build) -> None:
    day = {
        "tasks": {"pill": {}},
        "lures": {f"l{n}": "start" for n in range(9)},
        "steps": ["08:00", "09:00", "10:00"],
    }
    shown = [texts(o) - {"Do pill"} for o in walk(World(build(day, menu="pmbench")))]
    assert [len(lures) for lures in shown] == [3, 3, 3]
    assert len(set(map(frozenset, shown))) > 1


def test_a_menu_with_an_id_twice_is_refused(build: Build) -> None:
    from actmem.errors import InputError

    plan = build({"tasks": {"pill": {}}, "lures": {"pill": "start"}, "steps": ["08:00"]})
    with pytest.raises(InputError, match="tasks and lures of Monday share an id"):
        day_menu(plan, 0)
    plan = build({"tasks": {}, "lures": {"sweep": "step:nowhere"}, "steps": ["08:00"]})
    with pytest.raises(InputError, match="lure 'sweep' starts at 'nowhere'"):
        day_menu(plan, 0)


# Channels


def test_the_clock_tells_time_and_minutes_of_the_day(build: Build) -> None:
    day = {"tasks": {}, "steps": ["08:05", "10:00"]}
    world = World(build(day, day))
    world.reset()
    assert reply(world, "clock") == "State [clock]: Time 08:05 | Stopwatch: 0 min"
    world.act("A")
    assert reply(world, "clock") == "State [clock]: Time 10:00 | Stopwatch: 115 min"
    world.act("A")
    assert reply(world, "clock").endswith("Stopwatch: 0 min")


def test_a_delta_answers_all_since_the_last_query_of_the_day(build: Build) -> None:
    steps: list[dict[str, Any]] = [
        {"at": "08:00", "email": ["a"]},
        {"at": "09:00"},
        {"at": "10:00", "email": ["b", "c"]},
        {"at": "11:00", "email": ["d"]},
    ]
    world = World(build({"tasks": {}, "steps": steps}, {"tasks": {}, "steps": ["08:00"]}))
    world.reset()
    world.act("A")
    assert reply(world, "email") == "State [email]: email says a"
    assert reply(world, "email") == f"State [email]: {NO_UPDATES}"
    world.act("A")
    world.act("A")
    assert reply(world, "email") == "State [email]: email says b | email says c | email says d"
    assert reply(world, "email") == f"State [email]: {NO_UPDATES}", "each event is told once"
    world.act("A")
    assert reply(world, "email") == f"State [email]: {NO_UPDATES}", "a new day begins empty"


SNAPSHOTS: list[dict[str, Any]] = [
    {"at": "08:00"},
    {"at": "09:00", "price": ["a", "b"]},
    {"at": "10:00"},
    {"at": "11:00", "price": ["c"]},
    {"at": "12:00"},
]


def snapshots(build: Build, rule: str, asked: set[int]) -> list[str]:
    """Return what the price channel answers at the steps, from 1, at which it is asked."""
    plan = build({"tasks": {}, "steps": SNAPSHOTS}, channels={"price": "snapshot"}, snapshot=rule)
    world = World(plan)
    world.reset()
    answers = []
    for step in range(1, len(SNAPSHOTS) + 1):
        if step in asked:
            answers.append(reply(world, "price").removeprefix("State [price]: ").split()[-1])
        world.act("A")
    return answers


def test_a_current_snapshot_answers_the_latest_event(build: Build) -> None:
    assert snapshots(build, "current", {1, 2, 3, 4, 5}) == ["updates)", "b", "b", "c", "c"]
    assert snapshots(build, "current", {3, 5}) == ["b", "c"]


def test_a_seen_snapshot_answers_what_a_query_saw_last(build: Build) -> None:
    assert snapshots(build, "seen", {1, 2, 3, 4, 5}) == ["updates)", "b", "b", "c", "c"]
    assert snapshots(build, "seen", {3, 5}) == ["updates)", "updates)"]
    assert snapshots(build, "seen", {2, 5}) == ["b", "b"]


def test_a_snapshot_answers_its_default_before_any_event(mock_plan: WeekPlan) -> None:
    world = World(mock_plan)
    world.reset()
    assert reply(world, "price_tracker") == "State [price_tracker]: The kettle costs 100."


def test_replies_gather_within_a_step_and_end_with_it(mock_plan: WeekPlan) -> None:
    world = World(mock_plan)
    world.reset()
    world.query("email")
    assert [r.channel for r in world.query("clock").replies] == ["email", "clock"]
    following = world.act("A")
    assert following is not None
    assert following.replies == ()


# Refusals: typed, naming the field, and the world is as it was


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("channel", lambda w, o: w.query("fax")),
        ("channel", lambda w, o: w.query("")),
        ("heartbeat_minutes", lambda w, o: w.set_heartbeat(45)),
        ("heartbeat_minutes", lambda w, o: w.set_heartbeat(True)),
        ("heartbeat_minutes", lambda w, o: w.set_heartbeat(30.0)),
        ("heartbeat_minutes", lambda w, o: w.set_heartbeat("30")),
        ("choice", lambda w, o: w.act("D")),
        ("choice", lambda w, o: w.act("a")),
        ("choice", lambda w, o: w.act("AB")),
        ("choice", lambda w, o: w.act("")),
        ("task_ids", lambda w, o: w.act("A", ("task_999",))),
        ("task_ids", lambda w, o: w.act("A", ("fern",))),
        ("task_ids", lambda w, o: w.act("A", ("sweep",))),
        ("task_ids", lambda w, o: w.act("A", ("Water the fern.",))),
        ("task_ids", lambda w, o: w.act("A", (o.menu[0].handle, o.menu[0].handle))),
        ("task_ids", lambda w, o: w.act("A", (o.menu[0].handle, "task_999"))),
        ("task_ids", lambda w, o: w.act("A", tuple(f"task_{n}" for n in range(1, 10)))),
        ("task_ids", lambda w, o: w.act("A", ("x" * 1_000_000,))),
        ("channel", lambda w, o: w.query("x" * 1_000_000)),
        ("choice", lambda w, o: w.act("x" * 1_000_000)),
    ],
)
def test_a_wrong_action_names_its_field_and_changes_nothing(
    mock_plan: WeekPlan, field: str, wrong: Callable[[World, Observation], object]
) -> None:
    world = World(mock_plan)
    world.reset()
    before = world.query("email")
    place = world.place
    with pytest.raises(ActionError) as caught:
        wrong(world, before)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")
    assert len(str(caught.value)) < 400
    assert world.place == place
    refused = world.refuse(str(caught.value))
    assert refused.error == str(caught.value)
    assert msgspec.structs.replace(refused, error=None) == before
    # the rest of the week goes as if nothing had happened
    other = World(mock_plan)
    other.reset()
    other.query("email")
    chosen = handles(world, before, "Water the fern.")
    assert world.act("B", chosen) == other.act("B", chosen)
    assert world.query("clock") == other.query("clock")


def test_a_handle_of_another_step_is_refused(mock_plan: WeekPlan) -> None:
    world = World(mock_plan)
    first = world.reset()
    fern = handles(world, first, "Water the fern.")
    knit = (day_menu(mock_plan, 0).handles["knit"],)
    with pytest.raises(ActionError, match="not in the menu"):
        world.act("A", knit)  # enters at the second step
    world.act("A", fern)
    with pytest.raises(ActionError, match="not in the menu"):
        world.act("A", fern)  # is done


def test_eight_handles_are_allowed_and_nine_are_not(build: Build) -> None:
    plan = build({"tasks": {f"t{n}": {} for n in range(9)}, "steps": ["08:00", "09:00"]})
    world = World(plan)
    all_nine = tuple(item.handle for item in world.reset().menu)
    assert MAX_HANDLES == 8
    with pytest.raises(ActionError, match=r"^task_ids: 9 handles, at most 8"):
        world.act("A", all_nine)
    assert world.act("A", all_nine[:8]) is not None


def test_queries_and_heartbeats_share_a_limit_of_24_a_step(mock_plan: WeekPlan) -> None:
    world = World(mock_plan)
    world.reset()
    for number in range(MAX_QUERIES):
        if number % 2:
            world.query("clock")
        else:
            world.set_heartbeat(30)
    assert MAX_QUERIES == 24
    calls: dict[str, Callable[[], object]] = {
        "channel": lambda: world.query("clock"),
        "heartbeat_minutes": lambda: world.set_heartbeat(60),
    }
    for field, call in calls.items():
        with pytest.raises(ActionError) as caught:
            call()
        assert caught.value.field == field
    assert world.act("A") is not None
    world.query("clock")  # the next step counts anew


def test_refused_queries_are_free(mock_plan: WeekPlan) -> None:
    world = World(mock_plan)
    world.reset()
    for _ in range(2 * MAX_QUERIES):
        with pytest.raises(ActionError):
            world.query("fax")
    world.query("clock")


# The heartbeat


def beats(build: Build, times: list[str], minutes: int | None, at: int = 1) -> list[int]:
    """Return the steps, from 1, that show a nudge when it is switched at a step."""
    world = World(build({"tasks": {}, "steps": times}))
    observation: Observation | None = world.reset()
    nudged = []
    for step in range(1, len(times) + 1):
        assert observation is not None
        if observation.nudge:
            nudged.append(step)
        if step == at:
            world.set_heartbeat(minutes)
        observation = world.act("A")
    return nudged


TIMES = ["08:00", "08:29", "08:30", "08:50", "09:30", "09:31", "10:00"]


def test_a_nudge_comes_at_the_first_step_past_each_interval(build: Build) -> None:
    assert beats(build, TIMES, 30) == [3, 5, 7]
    assert beats(build, TIMES, 60) == [5, 7]
    assert beats(build, TIMES, None) == []


def test_one_nudge_stands_for_several_intervals_gone_by(build: Build) -> None:
    assert beats(build, ["08:00", "12:10", "12:20", "12:31"], 30) == [2, 4]


def test_a_heartbeat_switched_on_later_keeps_the_grid_of_the_day(build: Build) -> None:
    assert beats(build, ["08:00", "08:20", "08:29", "08:30"], 30, at=2) == [4]


def test_a_heartbeat_stays_on_overnight_and_begins_anew(build: Build) -> None:
    day = {"tasks": {}, "steps": ["08:00", "08:30"]}
    late = {"tasks": {}, "steps": ["07:10", "07:39", "07:40"]}
    world = World(build(day, late))
    world.reset()
    world.set_heartbeat(30)
    shown = [world.act("A") for _ in range(4)]
    assert [bool(o and o.nudge) for o in shown] == [True, False, False, True]


def test_a_heartbeat_can_be_switched_off() -> None:
    heartbeat = Heartbeat()
    heartbeat.start_day(480)
    heartbeat.set(30, 480)
    assert heartbeat.beat(510)
    heartbeat.set(None, 510)
    assert not heartbeat.beat(600)


NUDGED = {
    "tasks": {
        "mail": {"cue_channel": "email"},
        "scene": {},
        "gone": {"cue_channel": "notes"},
        "later": {"cue_channel": "fax", "encoding": "step:mon3"},
    },
    "steps": [
        {"at": "08:00", "email": [], "notes": [], "fax": []},
        "08:30",
        {"at": "09:00", "updates": [{"task_id": "gone", "action": "cancel"}]},
    ],
}


@pytest.mark.parametrize(
    ("kind", "second", "third"),
    [
        ("neutral", set[str](), set[str]()),
        ("channels", {"clock", "email", "notes", "fax"}, {"clock", "email", "notes", "fax"}),
        ("informed", {"email", "notes"}, {"email", "fax"}),
        ("task-reminder", {"mail", "scene", "gone"}, {"mail", "scene", "later"}),
    ],
)
def test_a_nudge_names_what_its_kind_says_and_no_future(
    build: Build, kind: Nudge, second: set[str], third: set[str]
) -> None:
    """A task that a later step cancels or announces is named as it stands now."""
    world = World(build(NUDGED), nudge=kind)
    world.reset()
    world.set_heartbeat(30)
    words = {"clock", "email", "notes", "fax", "mail", "scene", "gone", "later"}
    for named in (second, third):
        observation = world.act("A")
        assert observation is not None
        assert observation.nudge is not None
        found = set(observation.nudge.replace(",", " ").replace(";", " ").strip(".").split())
        assert found & words == named


# Nothing hidden is shown

HIDDEN = "hidden-"
NUMBER = 918_273


def planted(build: Build, menu: str, snapshot: str) -> WeekPlan:
    """Return a week whose hidden fields all hold a sentinel."""
    change = {
        "task_id": f"{HIDDEN}task",
        "action": "override",
        "cue_id": f"{HIDDEN}notice",
        "new_cue_id": f"{HIDDEN}new",
        "new_label": f"{HIDDEN}new label",
        "new_window_before": 7,
    }
    tomorrow = change | {"target_day": "Tuesday", "task_id": f"{HIDDEN}other"}
    tasks = {
        f"{HIDDEN}task": {"label": f"{HIDDEN}label", "action_text": "Water the fern."},
        f"{HIDDEN}timed": {
            "label": f"{HIDDEN}label",
            "target_time": "13:57",
            "window_before": 7,
            "action_text": "Ring.",
            "depends_on": f"{HIDDEN}task",
        },
        f"{HIDDEN}value": {
            "label": f"{HIDDEN}label",
            "cue_channel": "price",
            "condition": {"op": "below", "threshold": NUMBER},
            "action_text": "Buy.",
        },
    }
    other = {f"{HIDDEN}other": {"label": f"{HIDDEN}label", "action_text": "Sew."}}
    steps: list[dict[str, Any]] = [
        {"at": f"08:11 {HIDDEN}cue", "price": [(f"{HIDDEN}p", NUMBER)]},
        {"at": f"12:22 {HIDDEN}notice", "updates": [change, tomorrow]},
        {"at": f"13:57 {HIDDEN}new", "price": [(f"{HIDDEN}q", NUMBER - 1)]},
    ]
    plan = build(
        {"tasks": tasks, "lures": {f"{HIDDEN}lure": "start"}, "steps": steps},
        {"tasks": other, "lures": {f"{HIDDEN}l2": "start"}, "steps": ["09:33"]},
        channels={"price": "snapshot"},
        menu=menu,
        snapshot=snapshot,
    )
    return _reword(plan)


def _reword(plan: WeekPlan) -> WeekPlan:
    """Give what may be shown other words, and hide sentinels in metadata and provenance."""
    from actmem.week.obligations import prepare
    from actmem.week.scenario import Scenario

    week = msgspec.to_builtins(plan.scenario)
    week["scenario_name"] = f"{HIDDEN}name"
    week["generator"] = {
        "version": f"{HIDDEN}v", "seed": NUMBER, "attempt": 0, "profile": f"{HIDDEN}p",
        "content": f"{HIDDEN}c",
    }  # fmt: skip
    for day in week["days"]:
        day["archetype"] = f"{HIDDEN}archetype"
        for lure in day["lures"]:
            lure["action_text"] = "Sweep."
        for step in day["steps"]:
            step["id"] = f"{HIDDEN}{step['id']}"
            for event in step.get("state_events", {}).get("price", ()):
                event["text"] = "The price has moved."
                event["meta"] = {"phase": f"{HIDDEN}phase", f"{HIDDEN}key": NUMBER}
    return prepare(msgspec.convert(week, Scenario))


@pytest.mark.parametrize("nudge", NUDGES)
@pytest.mark.parametrize("menu", ["persistent", "pmbench"])
@pytest.mark.parametrize("snapshot", ["current", "seen"])
def test_no_hidden_field_reaches_an_observation(
    build: Build, menu: str, snapshot: str, nudge: Nudge
) -> None:
    plan = planted(build, menu, snapshot)
    random = Random(1)
    world = World(plan, nudge)
    observation: Observation | None = world.reset()
    shown = []
    while observation is not None:
        shown += [observation, world.query("price"), world.set_heartbeat(30)]
        for wrong in ("nonsense", "task_77"):
            with pytest.raises(ActionError) as caught:
                world.act("A", (wrong,))
            shown.append(world.refuse(str(caught.value)))
        chosen = tuple(i.handle for i in observation.menu if random.random() < 0.5)
        observation = world.act("A", chosen)
    assert len(shown) == 5 * 4
    for observation in shown:
        text = msgspec.json.encode(observation).decode()
        if nudge == "task-reminder":  # privileged: names labels, and nothing else that is hidden
            text = text.replace(f"{HIDDEN}label", "").replace(f"{HIDDEN}new label", "")
        assert HIDDEN not in text
        for secret in (str(NUMBER), str(NUMBER - 1), "08:11", "12:22", "13:57", "09:33"):
            assert secret not in text


def test_nothing_is_shown_before_its_step(mock_plan: WeekPlan) -> None:
    """Texts of later steps, messages, openings and menu entries are not in any earlier view."""
    first_shown: dict[str, int] = {}
    number = 0
    for day_number, day in enumerate(mock_plan.days):
        for index, step in enumerate(day.day.steps):
            for text in (step.text, *step.options):
                first_shown.setdefault(text, number)
            for events in step.state_events.values():
                for event in events:
                    first_shown.setdefault(event.text, number)
            menu = day_menu(mock_plan, day_number)
            if index == 0:
                first_shown |= dict.fromkeys(day.day.start_instructions, number)
            for name, line in day.timelines.items():
                if line.start == index:
                    first_shown.setdefault(line.versions[index].action_text, number)
                assert name not in menu.texts
            for lure, entry in menu.entries.items():
                if entry == index:
                    first_shown.setdefault(menu.texts[lure], number)
            number += 1
    world = World(mock_plan)
    for number, observation in enumerate(walk(world)):
        views = [observation, *(world.query(name) for name in observation.channels)]
        text = msgspec.json.encode(views).decode()
        early = [t for t, first in first_shown.items() if first > number and f'"{t}"' in text]
        assert early == []
    assert max(first_shown.values()) == 6
