"""Watchers, coordinator and the votes over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from actmem.errors import DivergedError
from actmem.models.chat import Completion, Message
from actmem.models.scripted import ScriptedChat
from actmem.models.tape import Called, Tape
from actmem.trace import Event, Footer
from actmem.week.agents.hierarchy import WATCHERS, Hierarchy, due_handles
from actmem.week.agents.protocol import ASKED
from actmem.week.agents.setups import SetupOptions
from actmem.week.agents.votes import NEEDED, elected, vote
from actmem.week.agents.wording import built_in
from actmem.week.mock import mock
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.play import Acted, Asked, play
from actmem.week.replay import rows_of
from actmem.week.score import align, tally
from actmem.week.world import World

PLAN = prepare(mock())
OPTIONS = SetupOptions(words=built_in())
CHOOSE = {"action": "choose", "choice": "B", "task_ids": [], "channel": "NONE"}
EMPTY: dict[str, Any] = {"queries": [], "due": [], "later": [], "must_not_select": []}


def entry(key: str, name: str) -> dict[str, str]:
    return {key: name, "evidence": "the scene says so"}


class ByRole:
    """A model that answers each role by its own rule; keeps its prompts."""

    name = "roles"
    window = None
    parallel = 1
    settings: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, **roles: Any) -> None:
        self._chats = {role: ScriptedChat(_entries(given)) for role, given in roles.items()}
        self.prompts: list[tuple[str, Sequence[Message]]] = []

    def complete(self, messages: Sequence[Message], schema: Any = None) -> Completion:
        role = "coordinator"
        for name in WATCHERS:
            if built_in().get("hierarchy", name) in messages[0].content:
                role = name
        self.prompts.append((role, messages))
        return self._chats[role].complete(messages, schema)

    def close(self) -> None:
        pass


def _entries(given: Any) -> list[Any]:
    given = given if isinstance(given, list) else [given]
    return [g if isinstance(g, str) or "fail" in g else {"reply": g} for g in given]


def roles(**given: Any) -> ByRole:
    return ByRole(**(dict.fromkeys(WATCHERS, EMPTY) | {"coordinator": CHOOSE} | given))


def run(
    chat: ByRole, recorded: Sequence[Any] = (), plan: WeekPlan = PLAN
) -> tuple[Footer, list[Event]]:
    written: list[Event] = []
    tape = Tape([e for e in recorded if isinstance(e, Called)], written.append)
    agent = Hierarchy(chat, tape, OPTIONS)
    steps = [e for e in recorded if not isinstance(e, Called)]
    footer = play(agent, World(plan), written.append, steps, resumed=bool(recorded))
    return footer, written


def of(kind: type, events: Sequence[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def test_the_union_of_the_queries_runs_once_before_the_coordinator_is_asked() -> None:
    chat = roles(
        event_watcher=EMPTY | {"queries": [entry("channel", "email")]},
        status_watcher=EMPTY | {"queries": [entry("channel", "clock"), entry("channel", "email")]},
    )
    footer, events = run(chat)
    first = events[: events.index(of(Acted, events)[0])]
    assert [e.channel for e in of(Asked, first)] == ["email", "clock"]
    assert [e.dialogue for e in of(Called, first)] == [*WATCHERS, "coordinator"]
    last = chat.prompts[3][1][-1].content
    assert all(event.reply in last for event in of(Asked, first))
    assert "the scene says so" in last
    assert footer.status == "complete"


def test_watchers_see_the_plan_at_each_step_and_their_own_last_report_alone() -> None:
    report = EMPTY | {"later": [{"task_id": "task_3", "evidence": "kettle not heard yet"}]}
    chat = roles(event_watcher=[report])
    _, events = run(chat)
    own = [m for role, m in chat.prompts if role == "event_watcher"]
    others = [m for role, m in chat.prompts if role == "status_watcher"]
    assert len(own) == len(of(Acted, events))
    assert all(len(messages) == 2 for messages in own)
    assert "kettle not heard yet" not in own[0][1].content
    assert "kettle not heard yet" in own[1][1].content
    assert not any("kettle not heard yet" in m[1].content for m in others)
    for messages, day in zip(own, [e.day for e in of(Acted, events)], strict=True):
        opening = next(d.start_instructions for d in mock().days if d.name == day)
        assert all(line in messages[1].content for line in opening)


def test_the_coordinator_may_still_query() -> None:
    query = {"action": "query_state", "choice": "NONE", "task_ids": [], "channel": "email"}
    chat = roles(coordinator=[query, CHOOSE])
    _, events = run(chat)
    assert len(of(Asked, events)) == len(of(Acted, events))


def test_a_coordinator_that_only_asks_passes_each_step() -> None:
    query = {"action": "check_time", "choice": "NONE", "task_ids": [], "channel": "clock"}
    footer, events = run(roles(coordinator=query))
    acted = of(Acted, events)
    assert len(of(Asked, events)) == ASKED * len(acted)
    assert not any(event.valid for event in acted)
    assert footer.status == "failed"


def test_a_failed_watcher_proposes_nothing_and_the_others_go_on() -> None:
    chat = roles(
        event_watcher="rubbish",
        status_watcher=EMPTY | {"due": [entry("task_id", "task_1")]},
    )
    footer, events = run(chat)
    assert footer.status == "complete"
    assert (
        "event_watcher: none" in next(m for r, m in chat.prompts if r == "coordinator")[1].content
    )
    assert all(event.valid for event in of(Acted, events))


def test_a_coordinator_without_a_valid_reply_passes() -> None:
    footer, events = run(roles(coordinator="rubbish"))
    assert not any(event.valid for event in of(Acted, events))
    assert footer.status == "failed"


def test_resume_at_every_event_gives_the_same_trace() -> None:
    def chat() -> ByRole:
        return roles(
            event_watcher=["rubbish", EMPTY | {"queries": [entry("channel", "email")]}],
            update_watcher=EMPTY | {"due": [entry("task_id", "task_1")]},
        )

    _, whole = run(chat())
    for cut in range(0, len(whole), 3):
        model = chat()
        _, rest = run(model, whole[:cut])
        assert timeless([*whole[:cut], *rest]) == timeless(whole)
        assert len(model.prompts) == len(of(Called, rest))


def timeless(events: Sequence[Event]) -> list[Any]:
    values = [msgspec.to_builtins(event) for event in events]
    for value in values:
        value.get("completion", {}).get("usage", {}).pop("seconds", None)
    return values


def voted() -> tuple[ByRole, list[Event]]:
    """A run in which task_1 has three votes, task_3 two and task_4 one, where they are on the menu."""
    chat = roles(
        event_watcher=[EMPTY | {"due": [entry("task_id", "task_1"), entry("task_id", "task_1")]}],
        status_watcher=[EMPTY | {"due": [entry("task_id", "task_3"), entry("task_id", "task_1")]}],
        update_watcher=[
            EMPTY | {"due": [entry("task_id", n) for n in ("task_1", "task_3", "task_4")],
                     "queries": [entry("channel", "email")]}
        ],
    )  # fmt: skip
    return chat, run(chat)[1]


@pytest.mark.parametrize(
    ("rule", "handles"), [("majority", ("task_1", "task_3")), ("unanimous", ("task_1",))]
)
def test_votes_replace_the_handles_and_nothing_else(rule: str, handles: tuple[str, ...]) -> None:
    chat, recorded = voted()
    before = len(chat.prompts)
    events = vote(rule, World(PLAN), chat, OPTIONS, recorded)
    assert len(chat.prompts) == before
    assert of(Acted, events)[0].handles == handles
    steps = [event for event in recorded if not isinstance(event, Called)]
    assert of(Asked, events) == of(Asked, steps)
    assert [(e.step_id, e.choice) for e in of(Acted, events)] == [
        (e.step_id, e.choice) for e in of(Acted, steps)
    ]
    assert vote(rule, World(PLAN), chat, OPTIONS, recorded) == events
    tally(PLAN, align(PLAN, rows_of(PLAN, events)).rows)  # folds like any other run


def test_votes_need_a_record_of_the_same_prompts() -> None:
    chat, recorded = voted()
    shorter = [e for e in recorded if not (isinstance(e, Called) and e.dialogue == WATCHERS[1])]
    with pytest.raises(DivergedError):
        vote("majority", World(PLAN), chat, OPTIONS, shorter)


def test_votes_over_a_run_that_broke_off_end_where_it_ended() -> None:
    chat, recorded = voted()
    cut = recorded.index(of(Acted, recorded)[2]) + 1
    events = vote("majority", World(PLAN), chat, OPTIONS, recorded[:cut])
    assert len(of(Acted, events)) == 3


def test_a_step_without_a_valid_choice_stays_empty() -> None:
    chat = roles(
        coordinator=["rubbish"] * 4,
        **dict.fromkeys(WATCHERS, EMPTY | {"due": [entry("task_id", "task_1")]}),
    )
    _, recorded = run(chat)
    events = vote("majority", World(PLAN), chat, OPTIONS, recorded)
    assert all((event.handles, event.valid) == ((), False) for event in of(Acted, events))


def test_how_many_votes_are_needed() -> None:
    assert NEEDED == {"majority": 2, "unanimous": 3}
    proposed = {"a": ("x", "y"), "b": ("y",), "c": ("z", "y")}
    assert elected(proposed, 2) == ("y",)
    assert elected(proposed, 1) == ("x", "y", "z")
    assert elected({}, 2) == ()


def test_flags_propose_what_is_due_now() -> None:
    flags = {"queries": [], "tasks": {
        "task_1": {"condition": "now", "due_now": True},
        "task_2": {"condition": "never", "due_now": False},
    }}  # fmt: skip
    assert due_handles(flags) == ("task_1",)


def test_hidden_fields_reach_no_prompt(marked_plan: WeekPlan, sentinel: str) -> None:
    queries = [entry("channel", name) for name in mock().state_channels]
    report = EMPTY | {"queries": queries, "due": [entry("task_id", "task_1")]}
    chat = roles(event_watcher=report, update_watcher=[EMPTY, report])
    _, events = run(chat, plan=marked_plan)
    assert of(Asked, events)
    assert {role for role, _ in chat.prompts} == {*WATCHERS, "coordinator"}
    for _, prompt in chat.prompts:
        assert not any(sentinel in message.content for message in prompt)
