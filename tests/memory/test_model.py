from __future__ import annotations

from typing import Any

import pytest
from tests.memory.conftest import Answering

from actmem.errors import DivergedError, ProviderError
from actmem.memory.model import Model
from actmem.models.chat import Message
from actmem.models.structured import Schema, closed
from actmem.models.tape import Called, Tape

SCHEMA = Schema("word", closed({"word": {"type": "string", "maxLength": 9}}))


def test_calls_are_taped_and_counted() -> None:
    calls: list[Called] = []
    chat = Answering({"word": {"word": "tea"}})
    model = Model(chat, Tape(write=calls.append))
    assert model.ask("pick", "Pick a word.", "One of many.", SCHEMA) == {"word": "tea"}
    assert model.ask("pick", "Pick a word.", "Another.", SCHEMA) == {"word": "tea"}
    assert [call.dialogue for call in calls] == ["memory/pick"] * 2
    # The instruction of a step stands in the trace once.
    assert [[m.role for m in call.messages] for call in calls] == [["system", "user"], ["user"]]
    used = [call.completion.usage for call in calls]
    assert model.usage.calls == 2
    assert model.usage.tokens == sum(one.prompt_tokens + one.completion_tokens for one in used)
    assert (model.usage.invalid, model.failure) == (0, None)


def test_an_invalid_reply_is_asked_again_once_and_counted() -> None:
    replies = iter(["no", {"word": "tea"}, "no", "no"])
    chat = Answering({"word": lambda _: next(replies)})
    model = Model(chat)
    assert model.ask("pick", "Pick a word.", "x", SCHEMA) == {"word": "tea"}
    assert model.usage.invalid == 1
    assert "JSON" in chat.prompts[1][1]
    assert model.ask("pick", "Pick a word.", "x", SCHEMA) is None
    assert (model.usage.calls, model.usage.invalid) == (4, 3)


def test_recorded_replies_are_given_again_and_their_time_counts() -> None:
    calls: list[Called] = []
    first = Model(Answering({"word": {"word": "tea"}}), Tape(write=calls.append))
    first.ask("pick", "Pick a word.", "x", SCHEMA)
    slow = calls[0].completion.usage.__class__(calls=1, prompt_tokens=5, seconds=100.0)
    recorded: Any = calls[0].completion.__class__(text=calls[0].completion.text, usage=slow)
    called = Called(dialogue="memory/pick", prompt=calls[0].prompt, completion=recorded)
    chat = Answering({})
    again = Model(chat, Tape([called]))
    before = again.clock()
    assert again.ask("pick", "Pick a word.", "x", SCHEMA) == {"word": "tea"}
    assert again.clock() - before >= 100
    assert again.usage.seconds == 100
    assert chat.prompts == []


@pytest.mark.parametrize("kind", [ProviderError, OSError])
def test_after_a_failure_there_is_no_call(kind: type[Exception]) -> None:
    chat = Answering({"word": {"word": "tea"}}, dies=0, error=kind("gone"))
    model = Model(chat)
    for _ in range(2):
        with pytest.raises(kind, match="gone"):
            model.ask("pick", "Pick a word.", "x", SCHEMA)
    assert isinstance(model.failure, kind)
    chat._dies = 10
    with pytest.raises(kind, match="gone"):
        model.complete("pick", [Message("user", "x")], SCHEMA)
    assert chat.prompts == []


def test_another_question_than_the_recorded_one_is_a_failure() -> None:
    calls: list[Called] = []
    first = Model(Answering({"word": {"word": "tea"}}), Tape(write=calls.append))
    first.ask("pick", "Pick a word.", "x", SCHEMA)
    model = Model(Answering({}), Tape(calls))
    with pytest.raises(DivergedError):
        model.ask("pick", "Pick a word.", "y", SCHEMA)
    assert isinstance(model.failure, DivergedError)


def test_a_small_window_leaves_less_room() -> None:
    assert Model(Answering({})).room(300) == 300
    assert Model(Answering({}, window=32_768)).room(300) == 300
    assert Model(Answering({}, window=912)).room(300) == 200
    assert Model(Answering({}, window=512)).room(300) == 0
