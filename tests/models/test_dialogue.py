from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actmem.errors import ActionError, DivergedError, ProviderError
from actmem.models.chat import Chat, Completion, Message, Usage, estimate_tokens
from actmem.models.dialogue import Dialogue, InvalidReplyError
from actmem.models.scripted import ScriptedChat
from actmem.models.structured import Schema
from actmem.models.tape import Called, Tape, prompt_digest

SCHEMA = Schema(
    "number",
    {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 0}},
        "required": ["n"],
        "additionalProperties": False,
    },
)


class Spy:
    """A model that keeps its prompts and counts tokens as told."""

    name = "spy"
    parallel = 1

    def __init__(self, replies: Sequence[Any], window: int | None = None) -> None:
        self.settings: dict[str, Any] = {}
        self.window = window
        self.prompts: list[tuple[Message, ...]] = []
        self._inner = ScriptedChat(list(replies))

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        self.prompts.append(tuple(messages))
        return self._inner.complete(messages, schema)

    def close(self) -> None:
        pass


def number(value: Any) -> int:
    if value["n"] > 9:
        raise ActionError("n", "is larger than 9")
    return int(value["n"])


def test_history_only_grows() -> None:
    spy = Spy([{"reply": {"n": 1}}, {"reply": {"n": 2}}])
    dialogue = Dialogue(spy)
    dialogue.say("Rules.", role="system")
    answers = []
    for i in range(3):
        dialogue.say(f"Step {i}.")
        answers.append(dialogue.ask(number, SCHEMA))
    assert answers == [1, 2, 1]
    for earlier, later in zip(spy.prompts, spy.prompts[1:], strict=False):
        assert later[: len(earlier)] == earlier
    assert dialogue.usage.calls == 3
    assert dialogue.invalid == dialogue.pruned == 0


def test_asked_again_with_the_reason() -> None:
    spy = Spy(["I think", {"reply": {"n": 12}}, {"reply": {"n": 3}}])
    dialogue = Dialogue(spy)
    dialogue.say("A number?")
    assert dialogue.ask(number, SCHEMA) == 3
    assert dialogue.invalid == 2
    last = spy.prompts[-1]
    assert [m.role for m in last] == ["user", "assistant", "user", "assistant", "user"]
    assert "no JSON object" in last[2].content
    assert "n: is larger than 9" in last[4].content


def test_three_times_again_then_given_up() -> None:
    spy = Spy(["", "x"])
    dialogue = Dialogue(spy)
    dialogue.say("A number?")
    with pytest.raises(InvalidReplyError, match="no valid reply in 4 attempts") as caught:
        dialogue.ask(number, SCHEMA)
    assert caught.value.attempts == len(spy.prompts) == dialogue.invalid == 4
    assert dialogue.messages[1].content == "(no reply)"
    dialogue.say("Next.")  # the dialogue goes on


def test_plain_text_is_decoded_without_schema() -> None:
    dialogue = Dialogue(Spy(["<think>hm</think> yes"]))
    dialogue.say("?")
    assert dialogue.ask(lambda text: text.split()[-1]) == "yes"
    assert dialogue.messages[-1].content == "yes"


def test_runaway_reply_does_not_fill_the_history() -> None:
    dialogue = Dialogue(Spy(["x" * 100_000]))
    dialogue.say("?")
    dialogue.ask(str)
    assert len(dialogue.messages[-1].content) == 4_000


def test_provider_error_passes() -> None:
    dialogue = Dialogue(Spy([{"fail": "gone"}]))
    dialogue.say("?")
    with pytest.raises(ProviderError, match="gone"):
        dialogue.ask(str)


def long_dialogue(chat: Chat, tape: Tape | None = None, steps: int = 40) -> Dialogue:
    dialogue = Dialogue(chat, tape, budget=1_000)
    dialogue.say("Rules. " * 10, role="system", pin="rules")
    for step in range(steps):
        if step % 10 == 0:
            dialogue.say(f"Plan of day {step // 10}. " * 5, pin="plan")
        dialogue.say(f"Step {step}: " + "something happens, " * 10)
        dialogue.ask(str)
    return dialogue


def test_pruning_keeps_what_is_pinned() -> None:
    spy = Spy(["fine, fine"])
    dialogue = long_dialogue(spy)
    assert dialogue.pruned > 1
    assert dialogue.dropped == 2 * 40 + 5 - len(dialogue.messages)
    for step, prompt in enumerate(spy.prompts):
        assert prompt[0].content.startswith("Rules.")
        assert sum(m.content.startswith("Plan") for m in prompt) >= 1
        assert any(f"Plan of day {step // 10}" in m.content for m in prompt)
        assert prompt[-1].content.startswith(f"Step {step}:")
        assert estimate_tokens(prompt) <= 1_000
        free = [m for m in prompt if not m.content.startswith(("Rules", "Plan"))]
        assert free[0].role == "user"
    cuts = [a for a, b in zip(spy.prompts, spy.prompts[1:], strict=False) if b[: len(a)] != a]
    assert len(cuts) == dialogue.pruned  # appended only, but for the cuts


def test_pruning_drops_about_half_at_once() -> None:
    spy = Spy(["fine"])
    long_dialogue(spy)
    sizes = [estimate_tokens(p) for p in spy.prompts]
    drops = [b / a for a, b in itertools.pairwise(sizes) if b < a]
    assert drops
    assert all(0.4 < drop < 0.75 for drop in drops)


def test_nothing_to_drop() -> None:
    spy = Spy(["fine"])
    dialogue = Dialogue(spy, budget=50)
    dialogue.say("Rules. " * 100, role="system", pin="rules")
    dialogue.say("Step. " * 100)
    dialogue.ask(str)
    assert dialogue.pruned == 0
    assert len(spy.prompts[0]) == 2


def test_window_limits_the_budget() -> None:
    assert Dialogue(Spy(["x"], window=8_192)).limit == 6_192
    assert Dialogue(Spy(["x"], window=1_000)).limit == 750
    assert Dialogue(Spy(["x"], window=200_000)).limit == 32_000


def test_counted_tokens_replace_the_estimate() -> None:
    class Counting(Spy):
        def complete(self, messages: Any, schema: Any = None) -> Completion:
            got = super().complete(messages, schema)
            usage = Usage(calls=1, prompt_tokens=900, completion_tokens=2)
            return msgspec.structs.replace(got, usage=usage)

    dialogue = Dialogue(Counting(["ok"]), budget=1_000)
    dialogue.say("short")
    dialogue.ask(str)
    assert 900 < dialogue.tokens < 920
    dialogue.say("more " * 200)
    dialogue.ask(str)
    assert dialogue.pruned == 1


def test_restored_without_calls_and_continued() -> None:
    record: list[Called] = []
    whole = Spy(["one", "", "three"])
    first = long_dialogue(whole, Tape(write=record.append))
    for cut in (0, 1, 17, 39, 40):
        spy = Spy(["one", "", "three"])
        more: list[Called] = []
        again = long_dialogue(spy, Tape(record[:cut], more.append))
        assert again.messages == first.messages
        assert (again.pruned, again.dropped) == (first.pruned, first.dropped)
        assert spy.prompts == whole.prompts[cut:]
        assert [c.prompt for c in more] == [c.prompt for c in record[cut:]]


def test_record_holds_each_message_once() -> None:
    record: list[Called] = []
    spy = Spy(["I", {"reply": {"n": 1}}])
    dialogue = Dialogue(spy, Tape(write=record.append))
    dialogue.say("Rules.", role="system")
    for step in range(3):
        dialogue.say(f"Step {step}.")
        dialogue.ask(number, SCHEMA)
    rebuilt: list[Message] = []
    for call, prompt in zip(record, spy.prompts, strict=True):
        rebuilt += call.messages
        assert tuple(rebuilt) == prompt
        assert call.prompt == prompt_digest(prompt, SCHEMA)
        assert call.completion.parsed is None
        rebuilt.append(Message("assistant", call.completion.text))
    line = msgspec.json.encode(record[-1])
    assert msgspec.json.decode(line, type=Called) == record[-1]


def test_written_before_it_is_used() -> None:
    record: list[Called] = []
    dialogue = Dialogue(Spy(["x"]), Tape(write=record.append))
    dialogue.say("?")

    def decode(_: str) -> int:
        return len(record)

    assert dialogue.ask(decode) == 1


def test_other_prompt_than_recorded_diverges() -> None:
    record: list[Called] = []
    long_dialogue(Spy(["a"]), Tape(write=record.append), steps=2)
    tape = Tape(record)
    dialogue = Dialogue(Spy(["a"]), tape)
    dialogue.say("Something else.")
    with pytest.raises(DivergedError, match="'agent'"):
        dialogue.ask(str)


def test_tape_sums_over_dialogues() -> None:
    tape = Tape()
    for name in ("one", "two"):
        dialogue = Dialogue(Spy(["a"]), tape, name=name)
        dialogue.say("?")
        dialogue.ask(str)
    assert tape.usage.calls == 2
    assert tape.usage.estimated


@given(st.lists(st.integers(0, 400), max_size=40), st.integers(50, 600))
def test_pruned_history_is_always_a_dialogue(sizes: list[int], budget: int) -> None:
    spy = Spy(["reply " * 5])
    dialogue = Dialogue(spy, budget=budget)
    dialogue.say("Rules.", role="system", pin="rules")
    for size in sizes:
        dialogue.say("x" * size)
        dialogue.ask(str)
    for prompt in spy.prompts:
        assert [m.role for m in prompt[:2]] == ["system", "user"]
        assert prompt[-1].role == "user"
