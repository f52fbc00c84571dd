"""Replies are read by a grammar: whatever comes gets a text, and nothing is ever evaluated."""

import builtins

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actmem.trials.agents.agent import play
from actmem.trials.grammar import Call, parse
from actmem.trials.released import released
from actmem.trials.score import score
from actmem.trials.world import FREE_PER_STEP, Episode, Observation
from actmem.trials.worlds.shopping import Shopping

SIGNATURES = {"add_item": (str,), "add_meeting": (str, str), "flip": (int,), "wait": ()}

GOOD = {
    "add_item('coffee')": Call("add_item", ("coffee",)),
    '  add_item( "coffee" )\n': Call("add_item", ("coffee",)),
    r"add_item('baker\'s yeast')": Call("add_item", ("baker's yeast",)),
    "add_meeting('Standup', '09:30')": Call("add_meeting", ("Standup", "09:30")),
    "flip(3)": Call("flip", (3,)),
    "wait()": Call("wait"),
    "submit('done')": Call("submit", ("done",)),
    "intend('buy (one), at 19:15')": Call("intend", ("buy (one), at 19:15",)),
}
BAD = [
    "", " ", "wait", "wait(", "wait)", "wait(1)", "coffee", "add_item(coffee)", "add_item('coffee)",
    "add_item('a', 'b')", "add_item(3)", "flip('3')", "flip(3.0)", "flip(3,)", "flip(,3)",
    "add_item(add_item('x'))", "add_item('a') ; wait()", "wait()\nwait()", "dance()",
    "__import__('os').system('x')", "add_item(__import__('os'))", "add_item('a' + 'b')",
    "add_item(f'{1}')", "add_item('a\nb')", "wait()" * 20_000, "flip(" + "9" * 100_000 + ")",
    "add_item(" + "'" * 1_900 + ")", "\x00", "submit()", "flip(--3)",
]  # fmt: skip


@pytest.mark.parametrize(("text", "call"), GOOD.items())
def test_calls_are_read(text: str, call: Call) -> None:
    assert parse(text, SIGNATURES) == call
    assert parse(str(call), SIGNATURES) == call


@pytest.mark.parametrize("text", BAD)
def test_everything_else_gets_a_sentence(text: str) -> None:
    reply = parse(text, SIGNATURES)
    assert isinstance(reply, str)
    assert 10 < len(reply) < 300
    assert reply.endswith(".")


@pytest.mark.parametrize(
    "text", ["add_item('a')\nadd_meeting('b', '09:30')", "wait(); wait()", "flip(1) flip(2)"]
)
def test_two_calls_are_told_that_they_are_two(text: str) -> None:
    reply = parse(text, SIGNATURES)
    assert isinstance(reply, str)
    assert "more than one call" in reply
    assert "more than one call" not in str(parse("add_item(add_item('x'))", SIGNATURES))


@given(st.text(max_size=300) | st.sampled_from(BAD))
@settings(max_examples=400, deadline=None)
def test_no_text_breaks_a_world(text: str) -> None:
    trial = released()[0]
    episode = Episode(trial)
    observation: Observation | None = episode.reset()
    for _ in range(3):
        observation = episode.act(text)
        assert observation is not None
        assert len(observation.text) < 10_000


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_quoted_argument_comes_back(one: str, two: str) -> None:
    call = Call("add_meeting", (" ".join(one.split()), " ".join(two.split())))
    if all("\x00" not in str(a) for a in call.args):
        assert parse(str(call), SIGNATURES) == call


def test_nothing_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("evaluated")

    for name in ("eval", "exec", "compile"):
        monkeypatch.setattr(builtins, name, never)
    for text in BAD:
        parse(text, SIGNATURES)


def test_the_first_observation_alone_says_how_to_reply() -> None:
    for trial in released()[::50]:
        episode = Episode(trial)
        first = episode.reset()
        assert "Answer with exactly one call, nothing else.\n\n" in first.text
        assert trial.intention in first.text
        later = episode.act("wait()")
        assert later is not None
        assert "Answer with" not in later.text


def test_a_bad_reply_costs_a_step_and_is_counted() -> None:
    trial = released()[0]
    episode = Episode(trial)
    episode.reset()
    observation = episode.act("please wait")
    assert observation is not None
    assert observation.step == 1
    assert "exactly one call" in observation.text
    assert score(trial, ["please wait"]).malformed == 1


def test_free_actions_cost_no_step_up_to_a_limit() -> None:
    trial = released()[0]
    episode = Episode(trial)
    episode.reset()
    for _ in range(FREE_PER_STEP):
        observation = episode.act("intend('buy vanilla at 18:35')")
        assert observation is not None
        assert observation.step == 0
        assert "buy vanilla" in observation.text
    last = episode.act("submit('done')")
    assert last is not None
    assert last.step == 1


def test_an_agent_that_only_declares_comes_to_an_end() -> None:
    class Talker:
        def decide(self, observation: Observation) -> str:
            return "submit('done')"

    trial = released()[0]
    result = score(trial, play(trial, Talker()))
    assert not result.passed
    assert result.declared == "done"
    assert result.played == trial.steps


def test_the_signatures_of_the_shop_are_its_actions() -> None:
    assert set(Shopping.SIGNATURES) == {"add_item", "wait"}
