from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from actmem.errors import DivergedError, InputError, ProviderError
from actmem.models.chat import Message
from actmem.models.dialogue import Dialogue
from actmem.models.replay import ReplayChat
from actmem.models.scripted import ScriptedChat
from actmem.models.structured import Schema
from actmem.models.tape import Called, Tape
from actmem.trace import Header, TraceWriter

SCHEMA = Schema(
    "a", {"type": "object", "properties": {"x": {"enum": [1]}}, "additionalProperties": False}
)
HI = [Message("user", "Hi.")]


def turn(number: int) -> list[Message]:
    return [*HI, *([Message("assistant", "x"), Message("user", "More.")] * number)]


def test_replies_by_turn() -> None:
    chat = ScriptedChat(["a", {"reply": {"x": 1}}])
    assert [chat.complete(turn(i)).text for i in range(3)] == ["a", '{"x": 1}', "a"]
    assert chat.complete(turn(1), SCHEMA).parsed == {"x": 1}
    assert "no JSON object" in chat.complete(turn(0), SCHEMA).problem
    assert chat.complete(turn(0)).usage.cached_tokens == 0
    assert chat.complete(turn(1)).usage.cached_tokens > 0


def test_replies_by_digest_are_a_function_of_the_prompt() -> None:
    chat = ScriptedChat([{"pick": "digest"}, "a", "b", "c"])
    prompts = [[Message("user", str(i))] for i in range(60)]
    texts = [chat.complete(p).text for p in prompts]
    assert texts == [chat.complete(p).text for p in prompts]
    assert set(texts) == {"a", "b", "c"}


def test_entries_for_some_prompts() -> None:
    chat = ScriptedChat(
        [{"reply": "hello", "when": "Hi"}, {"reply": {"x": 1}, "schema": "a", "when": "More"}]
    )
    assert chat.complete(HI).text == "hello"
    assert chat.complete(turn(1), SCHEMA).parsed == {"x": 1}
    with pytest.raises(ProviderError, match="no entry"):
        chat.complete(turn(1))


def test_failure() -> None:
    with pytest.raises(ProviderError, match="scripted: out of order"):
        ScriptedChat([{"fail": "out of order"}]).complete(HI)


@pytest.mark.parametrize(
    "entry", [{}, {"reply": "a", "fail": "b"}, {"replies": "a"}, {"seconds": "x"}, {"pick": "x"}]
)
def test_bad_entry(entry: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="entry 2"):
        ScriptedChat(["a", entry])


def test_files(tmp_path: Path) -> None:
    lines, array = tmp_path / "a.jsonl", tmp_path / "b.json"
    lines.write_text('"a"\n\n{"reply": "b"}\n')
    array.write_text('["a", {"reply": "b"}]')
    one, two = ScriptedChat.load(lines), ScriptedChat.load(array)
    assert [c.complete(turn(1)).text for c in (one, two)] == ["b", "b"]
    assert one.settings == two.settings
    assert one.name == f"scripted:{lines}"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"pick": "turn"}', "[1", "[1]"])
def test_bad_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"bad\.json"):
        ScriptedChat.load(path)


def test_replay_in_order_then_an_error() -> None:
    chat = ReplayChat(["a", '{"x": 1}'])
    assert chat.complete(HI).text == "a"
    assert chat.complete(HI, SCHEMA).parsed == {"x": 1}
    assert chat.left == 0
    with pytest.raises(DivergedError, match="all 2 recorded replies"):
        chat.complete(HI)


def record(path: Path) -> list[Called]:
    calls: list[Called] = []
    header = Header(suite="s", unit="u", unit_digest="d", agent="a")
    with TraceWriter(path) as writer:
        writer.write(header)

        def write(call: Called) -> None:
            calls.append(call)
            writer.write(call)

        dialogue = Dialogue(ScriptedChat(["one", "two"]), Tape(write=write))
        for text in ("first", "second"):
            dialogue.say(text)
            dialogue.ask(str)
    return calls


def test_replay_of_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    record(path)
    dialogue = Dialogue(ReplayChat.from_trace(path))
    dialogue.say("first")
    assert dialogue.ask(str) == "one"
    dialogue.say("another")
    with pytest.raises(DivergedError, match="prompt 2 is not the recorded one"):
        dialogue.ask(str)


@pytest.mark.parametrize("text", ["", '{"event": "act"}\n', "rubbish\n", '{"event": "model"}\n'])
def test_replay_of_no_trace(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=r"t\.jsonl"):
        ReplayChat.from_trace(path)


def test_settings_are_json() -> None:
    for chat in (ScriptedChat(["a"]), ReplayChat(["a"])):
        assert json.loads(json.dumps(chat.settings)) == chat.settings
