"""Setups over scripted models: what they are shown, what their replies do, how they resume."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest

from actmem.errors import DivergedError
from actmem.models.chat import Message
from actmem.models.scripted import ScriptedChat
from actmem.models.tape import Called, Tape
from actmem.trace import Event, Footer
from actmem.week.agents.protocol import ASKED
from actmem.week.agents.setups import SetupOptions, make_agent
from actmem.week.agents.wording import built_in
from actmem.week.mock import mock
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.play import Acted, Asked, HeartbeatSet, Refused, play
from actmem.week.world import World

CHATS = ("single", "ledger", "heartbeat", "heartbeat-60", "heartbeat-30")


def reply(setup: str, form: str = "list", **given: Any) -> dict[str, Any]:
    """A reply in the form that a setup asks for: choose A and nothing, but for what is given."""
    value: dict[str, Any] = {"action": "choose", "choice": "A", "channel": "NONE"}
    if form == "list":
        value["task_ids"] = []
    else:
        value["tasks"] = None
    if setup == "heartbeat":
        value |= {"heartbeat_enabled": None, "heartbeat_minutes": None}
    if setup == "ledger":
        value["ledger"] = []
    return value | given


def query(setup: str, channel: str, form: str = "list") -> dict[str, Any]:
    action = "check_time" if channel == "clock" else "query_state"
    return reply(setup, form, action=action, choice="NONE", channel=channel)


class Recording(ScriptedChat):
    """A scripted model that keeps its prompts."""

    def __init__(self, entries: Sequence[str | Mapping[str, Any]]) -> None:
        super().__init__(entries)
        self.prompts: list[Sequence[Message]] = []

    def complete(self, messages: Any, schema: Any = None) -> Any:
        self.prompts.append(list(messages))
        return super().complete(messages, schema)


def run(
    setup: str,
    replies: Sequence[Any],
    recorded: Sequence[Any] = (),
    plan: WeekPlan | None = None,
    **options: Any,
) -> tuple[Footer, list[Event], Recording]:
    chat = Recording([r if isinstance(r, str) or "fail" in r else {"reply": r} for r in replies])
    written: list[Event] = []
    tape = Tape([e for e in recorded if isinstance(e, Called)], written.append)
    agent = make_agent(setup, chat, tape, SetupOptions(words=built_in(), **options))
    world = World(plan or prepare(mock()))
    steps = [e for e in recorded if not isinstance(e, Called)]
    footer = play(agent, world, written.append, steps, resumed=bool(recorded))
    return footer, written, chat


def of(kind: type, events: Sequence[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.parametrize("setup", CHATS)
def test_a_query_and_an_act_reach_the_world(setup: str) -> None:
    footer, events, chat = run(
        setup, [query(setup, "email"), query(setup, "clock"), reply(setup, task_ids=["task_3"])]
    )
    asked, acted = of(Asked, events), of(Acted, events)
    assert [event.channel for event in asked[:2]] == ["email", "clock"]
    assert (acted[0].handles, acted[0].valid) == (("task_3",), True)
    assert footer.status in ("complete", "failed")
    assert chat.prompts[1][-1].content == asked[0].reply


@pytest.mark.parametrize("setup", CHATS)
def test_each_reply_is_written_before_it_is_used(setup: str) -> None:
    _, events, _ = run(setup, [reply(setup)])
    kinds = [type(event) for event in events if not isinstance(event, HeartbeatSet)]
    assert kinds == [Called, Acted] * (len(kinds) // 2)


@pytest.mark.parametrize("setup", CHATS)
def test_prompts_only_grow(setup: str) -> None:
    _, _, chat = run(setup, [query(setup, "email"), reply(setup), "rubbish", reply(setup)])
    assert len(chat.prompts) > 5
    for before, after in zip(chat.prompts, chat.prompts[1:], strict=False):
        assert after[: len(before)] == before


@pytest.mark.parametrize("setup", CHATS)
def test_invalid_replies_become_an_empty_act_marked_invalid(setup: str) -> None:
    footer, events, chat = run(setup, ["rubbish"] * 4 + [reply(setup, choice="B")] * 40)
    acted = of(Acted, events)
    assert [event.valid for event in acted] == [False] + [True] * (len(acted) - 1)
    assert (acted[0].choice, acted[0].handles) == ("", ())
    assert acted[1].choice == "B"
    assert "no JSON object" in chat.prompts[1][-1].content
    assert footer.status == "complete"


@pytest.mark.parametrize("setup", CHATS)
def test_nothing_but_rubbish_fails_the_episode(setup: str) -> None:
    footer, events, _ = run(setup, ["{"])
    assert footer.status == "failed"
    assert not any(event.valid for event in of(Acted, events))


@pytest.mark.parametrize("setup", CHATS)
def test_a_dead_endpoint_fails_the_episode_and_chooses_nothing(setup: str) -> None:
    footer, events, _ = run(setup, [{"fail": "connection refused"}])
    assert (footer.status, footer.provider) == ("failed", True)
    assert "connection refused" in footer.error
    assert not of(Acted, events)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"choice": "NONE"}, "A, B or C"),
        ({"channel": "email"}, "must be NONE"),
        ({"action": "query_state", "channel": "email"}, "choose afterwards"),
        ({"action": "query_state", "choice": "NONE"}, "a channel"),
        ({"action": "check_time", "choice": "NONE", "channel": "email"}, "clock"),
        ({"task_ids": ["task_3", "task_3"]}, "twice"),
        ({"task_ids": ["task_999"]}, "task_999"),
        (
            {"action": "query_state", "choice": "NONE", "channel": "email", "task_ids": ["task_3"]},
            "nothing can be done",
        ),
    ],
)
def test_a_reply_that_contradicts_itself_is_asked_again(wrong: Any, problem: str) -> None:
    _, events, chat = run("single", [reply("single", **wrong), reply("single", choice="C")])
    assert problem in chat.prompts[1][-1].content
    first = of(Acted, events)[0]
    assert (first.valid, first.choice, first.handles) == (True, "C", ())


@pytest.mark.parametrize("setup", CHATS)
def test_resume_at_every_event_gives_the_same_trace(setup: str) -> None:
    replies = [query(setup, "email"), reply(setup), "rubbish", reply(setup, choice="B")]
    if setup == "heartbeat":
        replies[1:1] = [
            reply(setup, action="set_heartbeat", choice="NONE", heartbeat_enabled=True,
                  heartbeat_minutes=30)
        ]  # fmt: skip
    _, whole, _ = run(setup, replies)
    for cut in range(len(whole)):
        _, rest, chat = run(setup, replies, whole[:cut])
        assert without_times([*whole[:cut], *rest]) == without_times(whole)
        assert len(chat.prompts) == len(of(Called, rest))


def without_times(events: Sequence[Event]) -> list[Any]:
    values = [msgspec.to_builtins(event) for event in events]
    for value in values:
        value.get("completion", {}).get("usage", {}).pop("seconds", None)
    return values


def test_a_record_of_another_prompt_is_refused() -> None:
    _, whole, _ = run("single", [reply("single")])
    with pytest.raises(DivergedError):
        run("ledger", [reply("ledger")], whole[:3])


def test_the_model_switches_its_heartbeat() -> None:
    switch = reply("heartbeat", action="set_heartbeat", choice="NONE", heartbeat_enabled=True,
                   heartbeat_minutes=60)  # fmt: skip
    _, events, chat = run("heartbeat", [switch, *[reply("heartbeat")] * 40])
    assert [event.minutes for event in of(HeartbeatSet, events)] == [60]
    assert "on, every 60" in chat.prompts[1][-1].content
    nudged = [event for event in of(Acted, events) if event.nudge]
    assert nudged
    assert any("Heartbeat:" in message.content for message in chat.prompts[-1][1:])


@pytest.mark.parametrize(("setup", "minutes"), [("heartbeat-60", 60), ("heartbeat-30", 30)])
def test_the_heartbeat_is_on_from_each_days_start(setup: str, minutes: int) -> None:
    _, events, chat = run(setup, [reply(setup)])
    switched = of(HeartbeatSet, events)
    assert [(event.day, event.minutes) for event in switched] == [
        (day.name, minutes) for day in mock().days
    ]
    assert f"every {minutes} minutes" in chat.prompts[0][0].content


def test_the_ledger_is_carried_and_shown_again() -> None:
    item = {"task_id": "task_5", "when": "11:00", "status": "pending", "notes": "by phone"}
    _, _, chat = run("ledger", [reply("ledger", ledger=[item]), reply("ledger")])
    assert "Your ledger: []" in chat.prompts[0][-1].content
    assert f"Your ledger: {json.dumps([item])}" in chat.prompts[1][-1].content
    assert "Your ledger: []" in chat.prompts[2][-1].content


@pytest.mark.parametrize(
    "item",
    [
        {"task_id": "dentist", "when": "11:00", "status": "pending", "notes": ""},
        {"task_id": "task_5", "when": "11:00", "status": "pending", "notes": "a b c d e f g h i"},
        {"task_id": "task_5", "when": "11:00", "status": "open", "notes": ""},
        {"task_id": "task_5", "when": "x" * 61, "status": "done", "notes": ""},
    ],
)
def test_a_ledger_that_breaks_its_rules_is_asked_again(item: dict[str, str]) -> None:
    _, events, chat = run("ledger", [reply("ledger", ledger=[item]), reply("ledger", choice="C")])
    assert "was not accepted" in chat.prompts[1][-1].content
    assert of(Acted, events)[0].choice == "C"


def test_six_items_are_too_many() -> None:
    item = {"task_id": "task_5", "when": "11:00", "status": "pending", "notes": ""}
    _, _, chat = run("ledger", [reply("ledger", ledger=[item] * 6), reply("ledger")])
    assert "was not accepted" in chat.prompts[1][-1].content


@pytest.mark.parametrize("setup", CHATS)
def test_flags_name_what_is_due(setup: str) -> None:
    menu = [item.handle for item in World(prepare(mock())).reset().menu]
    flags = {h: {"condition": "now", "due_now": h == "task_3"} for h in menu}
    _, events, chat = run(
        setup,
        [query(setup, "email", "flags"), reply(setup, "flags", tasks=flags)]
        + [reply(setup, "flags")] * 4,
        form="flags",
    )
    acted = of(Acted, events)
    assert acted[0].handles == ("task_3",)
    assert not acted[1].valid
    assert "each handle" in chat.prompts[3][-1].content


def test_a_long_history_is_pruned_and_keeps_rules_and_plan() -> None:
    _, events, chat = run("single", [reply("single")], history_tokens=1200)
    assert any(event.dropped for event in of(Called, events))
    last = chat.prompts[-1]
    assert last[0].role == "system"
    assert last[1].content.startswith(f"{mock().days[-1].name} begins.")
    assert sum(message.content.endswith("begins.") for message in last[1:]) == 0


@pytest.mark.parametrize("setup", CHATS)
def test_a_model_that_only_asks_passes_each_step(setup: str) -> None:
    footer, events, chat = run(setup, [query(setup, "email")])
    acted = of(Acted, events)
    assert len(acted) == sum(len(day.steps) for day in mock().days)
    assert not any(event.valid for event in acted)
    assert not of(Refused, events)
    assert len(of(Asked, events)) == ASKED * len(acted)
    assert "choose now" in chat.prompts[ASKED + 1][-1].content
    assert footer.error == "not one valid act in the whole week"


@pytest.mark.parametrize("setup", CHATS)
def test_hidden_fields_reach_no_prompt(setup: str, marked_plan: WeekPlan, sentinel: str) -> None:
    replies: list[Any] = [query(setup, name) for name in mock().state_channels]
    _, events, chat = run(setup, [*replies, reply(setup)], plan=marked_plan)
    assert of(Asked, events)
    for prompt in chat.prompts:
        assert not any(sentinel in message.content for message in prompt)
