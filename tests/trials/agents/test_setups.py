"""Each architecture with a scripted model: what it is shown, and what becomes of its replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import pytest

from actmem.errors import InputError, ProviderError
from actmem.memory.tokens import count_tokens
from actmem.models.chat import Completion, Message, Usage
from actmem.models.structured import Schema, fit, unbounded
from actmem.models.tape import Tape
from actmem.trials.agents.agent import play
from actmem.trials.agents.memory import TOP, WINDOW
from actmem.trials.agents.reply import PLAIN, REFLEXION, Form, rules, schema
from actmem.trials.agents.setups import (
    FILES,
    MOST_CHARACTERS,
    SETUPS,
    SetupOptions,
    bound,
    built_in,
    find_setup,
    make_agent,
)
from actmem.trials.bank import frame
from actmem.trials.score import score
from actmem.trials.trial import Trial
from actmem.trials.wording import brief, brief_digest
from actmem.trials.world import Episode

THINKING = ("reflexion", "reflexion-memory")
MEMORY = ("memory", "reflexion-memory")
OPTIONS = SetupOptions(words=built_in())


class Model:
    """Gives its replies in turn, the last one for ever, and keeps every prompt."""

    name = "model"
    settings: Mapping[str, Any] = {}
    window = None
    parallel = 1

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.prompts: list[tuple[Message, ...]] = []
        self.schemas: list[Schema | None] = []

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        self.prompts.append(tuple(messages))
        self.schemas.append(schema)
        text = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        parsed, problem = fit(text, schema)
        return Completion(text=text, parsed=parsed, problem=problem, usage=Usage(calls=1))

    def close(self) -> None:
        pass


def says(setup: str, action: str) -> str:
    texts = {"thought": "nothing yet", "reflection": "I wait"} if setup in THINKING else {}
    return json.dumps(texts | {"action": action})


@pytest.fixture
def played(embedder: Any) -> Callable[..., tuple[Model, list[str]]]:
    """Play a trial in a setup; return the model with its prompts, and the agent's replies."""

    def run(
        setup: str, trial: Trial, *replies: str, options: SetupOptions = OPTIONS
    ) -> tuple[Model, list[str]]:
        model = Model(*(replies or (says(setup, "wait()"),)))
        with_embedder = msgspec.structs.replace(options, embedder=embedder)
        agent = make_agent(setup, trial, model, Tape(), with_embedder)
        return model, play(trial, agent)

    return run


def texts(prompt: Sequence[Message], role: str) -> list[str]:
    return [message.content for message in prompt if message.role == role]


@pytest.mark.parametrize("setup", ["base", "reflexion"])
def test_a_history_grows_and_states_the_intention_once(
    setup: str, played: Any, small: list[Trial]
) -> None:
    for trial in small:
        model, replies = played(setup, trial)
        assert replies == ["wait()"] * trial.steps
        assert len(model.prompts) == trial.steps  # one call a step
        for number, prompt in enumerate(model.prompts):
            assert sum(trial.intention in message.content for message in prompt) == 1
            assert prompt[0].role == "system"
            assert trial.intention in prompt[0].content
            assert [message.role for message in prompt[1::2]] == ["user"] * (number + 1)
            assert prompt[: len(model.prompts[0])] == model.prompts[0]


def test_a_step_is_shown_as_the_world_shows_it(played: Any, small: list[Trial]) -> None:
    for trial in small:
        model, replies = played("base", trial)
        episode = Episode(trial)
        observation = episode.reset()
        for prompt, reply in zip(model.prompts, replies, strict=True):
            assert observation is not None
            assert prompt[-1].content == observation.news
            observation = episode.act(reply)  # type: ignore[assignment]


def test_the_standing_reminder_is_at_every_step_and_labelled(
    played: Any, small: list[Trial]
) -> None:
    assert {name for name, setup in SETUPS.items() if setup.privilege} == {"pm-prompt"}
    for trial in small:
        model, _ = played("pm-prompt", trial)
        for prompt in model.prompts:
            assert all(trial.intention in text for text in texts(prompt, "user"))


@pytest.mark.parametrize("setup", MEMORY)
def test_a_memory_has_rules_observation_and_at_last_passages(
    setup: str, played: Any, trials: tuple[Trial, ...]
) -> None:
    for trial in (t for t in trials if t.subset == "C" and t.id.endswith(("1", "4"))):
        model, replies = played(setup, trial)
        assert len(replies) == trial.steps
        heads = set()
        for step, prompt in enumerate(model.prompts):
            assert [message.role for message in prompt] == ["system", "user"]
            heads.add(prompt[0].content)
            assert trial.intention not in prompt[0].content
            shown, passages = prompt[1].content.split("\n\nFrom memory:\n")
            assert trial.intention not in shown
            assert 0 < count_tokens(passages) <= OPTIONS.passage_tokens
            if step < WINDOW:  # the first prompt is all that there is
                assert trial.intention in passages
        assert len(heads) == 1  # what comes first stays in a prompt cache


def test_chunks_are_windows_of_steps_and_chunk_0_the_first_prompt(
    played: Any, trials: tuple[Trial, ...]
) -> None:
    trial = max(trials, key=lambda t: t.steps)
    wide = msgspec.structs.replace(OPTIONS, passage_tokens=10_000)
    model, _ = played("memory", trial, options=wide)
    found = set()
    for step, prompt in enumerate(model.prompts):
        passages = prompt[1].content.split("\n\nFrom memory:\n")[1]
        heads = [line for line in passages.splitlines() if line.startswith("Steps ")]
        assert len(heads) + (trial.intention in passages) == min(TOP, 1 + step // WINDOW)
        assert all(int(head.split()[3].rstrip(",")) < step for head in heads)
        assert heads == sorted(heads, key=lambda head: int(head.split()[1]))
        found |= set(heads)
        if heads:
            assert passages.count("> wait()") == WINDOW * len(heads)
    assert "Steps 0 to 3, each call after >:" in found


def test_what_is_like_the_first_prompt_brings_it_back(
    played: Any, trials: tuple[Trial, ...]
) -> None:
    trial = max(trials, key=lambda t: t.steps)  # more chunks than are retrieved
    wide = msgspec.structs.replace(OPTIONS, passage_tokens=10_000)
    said = f"intend({trial.intention.replace(chr(39), '')!r})"
    late = trial.steps - 2
    model, replies = played(
        "memory",
        trial,
        *[says("memory", "wait()")] * late,
        says("memory", said),
        says("memory", "wait()"),
        options=wide,
    )
    assert replies[late] == said
    # The answer to intend repeats the intention, and so finds it.
    assert trial.intention in model.prompts[late + 1][1].content


@pytest.mark.parametrize("setup", SETUPS)
def test_nothing_hidden_reaches_a_prompt(setup: str, played: Any, small: list[Trial]) -> None:
    for trial in small:
        hidden = msgspec.structs.replace(
            trial,
            id="SENTINEL",
            pattern="SENTINEL",
            delay=987654,
            trigger=msgspec.structs.replace(trial.trigger, names=("SENTINEL",), at=987654),
            intended=msgspec.structs.replace(trial.intended, args=("SENTINEL",)),
        )
        model, _ = played(setup, hidden)
        for prompt in model.prompts:
            for message in prompt:
                assert "SENTINEL" not in message.content
                assert "987654" not in message.content


@pytest.mark.parametrize("setup", SETUPS)
def test_the_rules_name_the_actions(setup: str, played: Any, small: list[Trial]) -> None:
    for trial in small:
        model, _ = played(setup, trial)
        told = model.prompts[0][0].content
        for word in ("submit('done')", "intend('...')", "wait()"):
            assert word in told


@pytest.mark.parametrize("form", [PLAIN, REFLEXION])
def test_the_rules_of_no_trial_are_long(form: Form, trials: tuple[Trial, ...]) -> None:
    for trial in trials:
        assert count_tokens(rules(OPTIONS, brief(trial), "base", form)) <= 500


def test_all_setups_have_the_same_rules_of_a_call(played: Any, small: list[Trial]) -> None:
    ends = set()
    for setup in SETUPS:
        told = played(setup, small[0])[0].prompts[0][0].content
        assert "exactly one call" not in told  # the form of an agent that replies with a bare call
        assert "A reply that is not a legal call costs a step." in told
        assert told.count("JSON object") == 1
        ends.add(told.rpartition("\n\n")[2])
    (end,) = ends
    assert end.startswith("Make one call")


def test_every_part_of_a_prompt_has_a_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    known = OPTIONS.settings([])["prompts"]
    assert known.keys() == {*FILES, "brief", "dialogue"}
    changed = frame() | {"brief": frame()["brief"] | {"frame": "{world} In {steps} steps."}}
    monkeypatch.setattr("actmem.trials.wording.frame", lambda: changed)
    brief_digest.cache_clear()
    try:
        assert OPTIONS.settings([])["prompts"]["brief"] != known["brief"]
    finally:
        brief_digest.cache_clear()


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("action", ["add_item('tea')", "I would rather not", "wait()\nwait()", ""])
def test_an_action_goes_to_the_world_as_it_is(
    setup: str, action: str, played: Any, small: list[Trial]
) -> None:
    model, replies = played(setup, small[0], says(setup, action))
    assert replies[0] == action
    assert len(model.prompts) == len(replies)  # a malformed action is not asked again


@pytest.mark.parametrize("form", [PLAIN, REFLEXION])
def test_a_reply_is_held_to_bounds(form: Form) -> None:
    for tokens in (1, 256, 100_000):
        options = msgspec.structs.replace(OPTIONS, characters=bound(tokens))
        assert 1 <= options.characters <= min(max(1, tokens // 4), MOST_CHARACTERS)
        definition = schema(form, options).definition
        assert unbounded(definition) == []
        assert list(definition["properties"])[-1] == "action"
    assert REFLEXION.texts == ("thought", "reflection")


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("rubbish", ["wait()", '{"act": "wait()"}', "{" * 5000, "", "[1]"])
def test_a_reply_that_is_no_such_object_is_asked_again_three_times(
    setup: str, rubbish: str, played: Any, small: list[Trial]
) -> None:
    trial = small[0]
    model, replies = played(setup, trial, *[rubbish] * 3, says(setup, "wait()"))
    assert replies == ["wait()"] * trial.steps
    assert len(model.prompts) == trial.steps + 3
    assert "not accepted" in model.prompts[1][-1].content
    model, replies = played(setup, trial, *[rubbish] * 4, says(setup, "wait()"))
    assert replies == ["", *["wait()"] * (trial.steps - 1)]
    assert score(trial, replies).malformed == 1


@pytest.mark.parametrize("setup", SETUPS)
def test_a_providers_failure_passes_through(setup: str, embedder: Any, small: list[Trial]) -> None:
    class Dead(Model):
        def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
            raise ProviderError("model: gone")

    options = msgspec.structs.replace(OPTIONS, embedder=embedder)
    agent = make_agent(setup, small[0], Dead(""), Tape(), options)
    with pytest.raises(ProviderError):
        play(small[0], agent)


def test_there_are_five_architectures() -> None:
    assert [*SETUPS] == ["base", "reflexion", "memory", "reflexion-memory", "pm-prompt"]
    with pytest.raises(InputError, match="no setup 'react'"):
        find_setup("react")
