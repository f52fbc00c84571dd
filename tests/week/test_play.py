"""Episodes with agents of every kind: well-behaved, broken, hostile, resumed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pytest

from actmem.errors import DivergedError, ProviderError
from actmem.trace import Footer
from actmem.week.agents.floor import All, Nop, Random
from actmem.week.agents.oracle import Oracle
from actmem.week.obligations import WeekPlan
from actmem.week.play import RETRIES, Acted, Asked, HeartbeatSet, Refused, WeekEvent, play
from actmem.week.replay import rows_of
from actmem.week.score import Score, score, tally
from actmem.week.world import Act, Observation, Query, SetHeartbeat, World


class Scripted:
    """Returns what a list holds, one a turn, then acts on nothing."""

    def __init__(self, *decisions: Any) -> None:
        self._decisions = iter(decisions)
        self.observations: list[Observation] = []

    def decide(self, observation: Observation) -> Any:
        self.observations.append(observation)
        decision = next(self._decisions, Act("A"))
        if isinstance(decision, BaseException):
            raise decision
        return decision


class Always:
    """Returns one thing for ever."""

    def __init__(self, decision: Any) -> None:
        self._decision = decision

    def decide(self, observation: Observation) -> Any:
        if isinstance(self._decision, BaseException):
            raise self._decision
        return self._decision


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


class RaisesUnprintable:
    def decide(self, observation: Observation) -> Any:
        class UnprintableError(Exception):
            def __str__(self) -> str:
                raise RuntimeError("no words")

        raise UnprintableError


def episode(
    agent: Any, plan: WeekPlan, recorded: Iterable[WeekEvent] = ()
) -> tuple[Footer, list[WeekEvent]]:
    """Play and return the footer and what was written; every event must be writable."""
    written: list[WeekEvent] = []

    def write(event: WeekEvent) -> None:
        line = msgspec.json.encode(event)
        assert len(line) < 1000
        assert msgspec.json.decode(line, type=WeekEvent) == event
        written.append(event)

    footer = play(agent, World(plan), write, list(recorded))
    assert len(msgspec.json.encode(footer)) < 1000
    return footer, written


def scored(plan: WeekPlan, events: Iterable[WeekEvent]) -> Score:
    return score(plan, rows_of(plan, events))


# Agents that play


def test_the_oracle_is_perfect_and_sees_before_it_acts(mock_plan: WeekPlan) -> None:
    footer, events = episode(Oracle(mock_plan), mock_plan)
    summary = scored(mock_plan, events).summary
    assert footer == Footer(status="complete")
    assert (summary["set_tp"], summary["set_fp"], summary["set_fn"]) == (7, 0, 0)
    assert (summary["hit"], summary["late"], summary["miss"]) == (7, 0, 0)
    asked = [event.channel for event in events if isinstance(event, Asked)]
    assert asked == ["email", "clock", "price_tracker"]


def test_the_oracle_keeps_to_eight_handles(build: Callable[..., WeekPlan]) -> None:
    tasks = {f"t{n}": {"cue_id": "all"} for n in range(9)}
    plan = build({"tasks": tasks, "steps": ["08:00 all", "09:00 all"]})
    footer, events = episode(Oracle(plan), plan)
    assert footer.status == "complete"
    assert [len(event.handles) for event in events if isinstance(event, Acted)] == [8, 1]


def test_nop_completes_with_nothing_done(mock_plan: WeekPlan) -> None:
    footer, events = episode(Nop(), mock_plan)
    summary = scored(mock_plan, events).summary
    assert footer.status == "complete"
    assert (summary["set_tp"], summary["set_fp"], summary["set_fn"]) == (0, 0, 6)
    assert summary["miss"] == 7, "what waits for a task that was not done is missed, and never due"


def test_floors_stay_within_the_rules(mock_plan: WeekPlan) -> None:
    for agent in (All(), Random(seed=3)):
        footer, events = episode(agent, mock_plan)
        assert footer.status == "complete"
        assert [type(event) for event in events] == [Acted] * 7


def test_each_decision_is_one_event_with_its_place(mock_plan: WeekPlan) -> None:
    agent = Scripted(
        SetHeartbeat(30), Query("clock"), Act("B"), Query("email"), Query("fax"), Act("C", ("no",))
    )
    _, events = episode(agent, mock_plan)
    assert events[:6] == [
        HeartbeatSet(day="Monday", step_id="mon1", minutes=30),
        Asked(
            day="Monday",
            step_id="mon1",
            channel="clock",
            reply="State [clock]: Time 08:10 | Stopwatch: 0 min",
        ),
        Acted(day="Monday", step_id="mon1", choice="B"),
        Asked(
            day="Monday",
            step_id="mon2",
            channel="email",
            reply="State [email]: The landlord: the lease is ready.",
        ),
        Refused(
            day="Monday",
            step_id="mon2",
            error="channel: 'fax' is none of clock, email, price_tracker",
        ),
        Refused(day="Monday", step_id="mon2", error="task_ids: 'no' is not in the menu"),
    ]
    assert [event.nudge for event in events if isinstance(event, Acted)] == [
        False, True, True, True, False, True, True,
    ]  # fmt: skip


def test_the_agent_is_told_why_and_keeps_its_replies(mock_plan: WeekPlan) -> None:
    agent = Scripted(Query("email"), Act("Z"), Act("A"))
    episode(agent, mock_plan)
    asked, told, after = agent.observations[1:4]
    assert asked.error is None
    assert told.error == "choice: 'Z' is none of A, B, C"
    assert msgspec.structs.replace(told, error=None) == asked
    assert after.error is None
    assert after.replies == ()


def test_a_query_after_a_refusal_clears_the_error(mock_plan: WeekPlan) -> None:
    agent = Scripted(Act("Z"), Query("email"), Act("A"))
    episode(agent, mock_plan)
    assert agent.observations[1].error is not None
    assert agent.observations[2].error is None


def test_handles_may_come_as_a_list(mock_plan: WeekPlan) -> None:
    first = World(mock_plan).reset()
    fern = next(item.handle for item in first.menu if item.text == "Water the fern.")
    _, events = episode(Scripted(Act("A", [fern])), mock_plan)  # type: ignore[arg-type]
    assert scored(mock_plan, events).summary["set_tp"] == 1


# Agents that fail

RUBBISH = [
    None, "", "act A", "x" * 1_000_000, 7, 1.5, b"A", [], {}, object(), Unprintable(), Act,
    Act("D"), Act("x" * 1_000_000), Act(None), Act(7), Act("A", "task_1"), Act("A", None),  # type: ignore[arg-type]
    Act("A", (1, 2)), Act("A", (None,)), Act("A", ("y" * 1_000_000,)), Act("A", ("\ud800",)),  # type: ignore[arg-type]
    Act("A", ("task_1", "task_1")), Act("A", tuple(f"task_{n}" for n in range(99))),
    Query(None), Query(7), Query("fax"), Query("\x00\ud800"), Query(["clock"]),  # type: ignore[arg-type]
    SetHeartbeat(17), SetHeartbeat("30"), SetHeartbeat([30]), SetHeartbeat(float("nan")),  # type: ignore[arg-type]
    SetHeartbeat(Unprintable()), Act(Unprintable()), Query(Unprintable()),  # type: ignore[arg-type]
]  # fmt: skip


@pytest.mark.parametrize("rubbish", RUBBISH, ids=range(len(RUBBISH)))
def test_rubbish_is_refused_and_in_the_end_an_empty_act(rubbish: Any, mock_plan: WeekPlan) -> None:
    footer, events = episode(Always(rubbish), mock_plan)
    assert footer.status == "failed"
    last = next(event.error for event in events[::-1] if isinstance(event, Refused))
    assert footer.error == f"not one valid act in the whole week; refused last: {last}"
    assert not footer.provider
    assert [type(event) for event in events] == ([Refused] * (RETRIES + 1) + [Acted]) * 7
    assert all(event.valid is False for event in events if isinstance(event, Acted))
    summary = scored(mock_plan, events).summary
    assert (summary["set_tp"], summary["set_fp"], summary["set_fn"]) == (0, 0, 6)


RAISED = [
    ValueError("boom"), Exception(), RuntimeError("two\nlines"), RuntimeError("z" * 1_000_000),
    RuntimeError("\ud800"), RecursionError("deep"), SystemExit(3), StopIteration(),
    DivergedError("I say so"),
]  # fmt: skip


@pytest.mark.parametrize("raised", RAISED, ids=lambda error: type(error).__name__)
def test_an_agent_that_raises_fails_the_episode(raised: BaseException, mock_plan: WeekPlan) -> None:
    footer, events = episode(Always(raised), mock_plan)
    assert footer.status == "failed"
    assert footer.error.startswith(type(raised).__name__)
    assert "\n" not in footer.error
    assert not footer.provider
    assert events == []
    assert tally(mock_plan, rows_and_empty(mock_plan, events)).summary["set_tp"] == 0


def rows_and_empty(plan: WeekPlan, events: Iterable[WeekEvent]) -> list[Any]:
    from actmem.week.score import align

    return align(plan, rows_of(plan, events)).rows


def test_an_error_without_words_is_named_by_its_type(mock_plan: WeekPlan) -> None:
    footer, _ = episode(RaisesUnprintable(), mock_plan)
    assert footer.error == "UnprintableError"


def test_a_failed_provider_is_told_apart(mock_plan: WeekPlan) -> None:
    footer, events = episode(Scripted(Act("A"), ProviderError("no answer")), mock_plan)
    assert footer == Footer(status="failed", error="no answer", provider=True)
    assert len(events) == 1


def test_what_was_done_before_the_failure_is_kept(mock_plan: WeekPlan) -> None:
    footer, events = episode(Scripted(Act("A"), Query("clock"), KeyError("x")), mock_plan)
    assert footer.status == "failed"
    assert [type(event) for event in events] == [Acted, Asked]


def test_four_refusals_pass_the_step_and_the_next_counts_anew(mock_plan: WeekPlan) -> None:
    agent = Scripted(*[Act("Z")] * (RETRIES + 1), *[Act("Z")] * RETRIES, Act("B"))
    footer, events = episode(agent, mock_plan)
    assert footer.status == "complete"
    acts = [event for event in events if isinstance(event, Acted)]
    assert [(act.valid, act.choice) for act in acts[:3]] == [(False, ""), (True, "B"), (True, "A")]
    assert len(acts) == 7


def test_queries_between_refusals_do_not_buy_more_tries(mock_plan: WeekPlan) -> None:
    turns = [Act("Z"), Query("clock")] * (RETRIES + 1)
    _, events = episode(Scripted(*turns[:-1]), mock_plan)
    first = [event for event in events if event.step_id == "mon1"]
    assert [type(event) for event in first] == [Refused, Asked] * RETRIES + [Refused, Acted]
    assert isinstance(first[-1], Acted)
    assert not first[-1].valid


def test_an_agent_that_asks_for_ever_ends(mock_plan: WeekPlan) -> None:
    footer, events = episode(Always(Query("clock")), mock_plan)
    assert footer.status == "failed"
    assert sum(isinstance(event, Asked) for event in events) == 24 * 7


# Resuming


def talkative() -> Scripted:
    return Scripted(
        Query("email"), SetHeartbeat(30), Act("Z"), Act("A"), Query("email"), Act("B"), Act("C"),
        Query("clock"), *[Act("Z")] * 4, Query("price_tracker"), Act("A"),
    )  # fmt: skip


def test_resuming_at_any_cut_gives_the_same_trace(mock_plan: WeekPlan) -> None:
    footer, whole = episode(talkative(), mock_plan)
    for cut in range(len(whole) + 1):
        again, rest = episode(talkative(), mock_plan, whole[:cut])
        assert again == footer
        assert whole[:cut] + rest == whole


def test_a_failed_start_stays_failed_when_resumed(mock_plan: WeekPlan) -> None:
    """That no act was valid is told from the whole episode, not from the resumed part."""
    footer, whole = episode(Always(None), mock_plan)
    again, _ = episode(Always(None), mock_plan, whole[: len(whole) // 2])
    assert again == footer


def test_an_agent_that_decides_otherwise_has_diverged(mock_plan: WeekPlan) -> None:
    _, whole = episode(talkative(), mock_plan)
    for position in range(len(whole)):
        if isinstance(whole[position], Asked):
            changed = [*whole[:position], msgspec.structs.replace(whole[position], reply="else")]
            with pytest.raises(DivergedError, match=whole[position].step_id):
                episode(talkative(), mock_plan, changed)
    with pytest.raises(DivergedError):
        episode(Nop(), mock_plan, whole)
    with pytest.raises(DivergedError, match="goes on"):
        episode(talkative(), mock_plan, [*whole, whole[-1]])


def test_a_trace_of_another_week_has_diverged(build: Callable[..., WeekPlan]) -> None:
    one = build({"tasks": {}, "steps": ["08:00", "09:00"]})
    other = build({"tasks": {}, "steps": ["08:00", "09:00", "10:00"]})
    _, whole = episode(Nop(), other)
    with pytest.raises(DivergedError):
        episode(Nop(), one, whole)


def test_on_step_counts_the_steps(mock_plan: WeekPlan) -> None:
    steps = []
    play(talkative(), World(mock_plan), lambda _: None, on_step=lambda: steps.append(1))
    assert len(steps) == 7
