from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from pydantic import BaseModel, Field
from tests.memory.conftest import HashingEmbedder
from tests.memory.scribe import Listed

from actmem.errors import ProviderError
from actmem.memory.langchain import TextEmbeddings, ToolChat
from actmem.memory.model import Model
from actmem.memory.sealed import Seal
from actmem.models.structured import Schema
from actmem.models.tape import Called, Tape

REPLY = Schema(
    "reply",
    {
        "type": "object",
        "properties": {"text": {"type": "string", "maxLength": 5}},
        "required": ["text"],
        "additionalProperties": False,
    },
)


class Keep(BaseModel):
    """Keep a text."""

    text: str = Field(description="What to keep.")


class Drop(BaseModel):
    """Drop a text."""

    number: int


def adapter(*replies: Any, **given: Any) -> tuple[ToolChat, Listed]:
    chat = Listed(*replies)
    return ToolChat(model=Model(chat), step="try", seal=Seal(), **given), chat


def calling(*names: str) -> dict[str, Any]:
    args = {"Keep": {"text": "a"}, "Drop": {"number": 2}}
    return {"calls": [{"name": name, "args": args[name]} for name in names]}


def test_tools_become_a_schema_and_replies_become_tool_calls() -> None:
    model, chat = adapter(calling("Keep", "Drop"), calling("Keep"))
    bound = model.bind_tools([Keep, Drop])
    reply = bound.invoke([SystemMessage("You remember."), HumanMessage("Keep a, drop 2.")])
    assert [(call["name"], call["args"], call["id"]) for call in reply.tool_calls] == [
        ("Keep", {"text": "a"}, "call-1"), ("Drop", {"number": 2}, "call-2"),
    ]  # fmt: skip
    assert bound.invoke("Again.").tool_calls[0]["id"] == "call-3"
    prompt = chat.prompts[0]
    assert prompt.index('"Keep a text."') < prompt.index("You remember.") < prompt.index("user: ")
    assert "the list is empty" in prompt
    assert model.model.usage.calls == 2
    assert model.model.usage.tokens == 220


def test_the_choice_of_a_tool_binds() -> None:
    model, chat = adapter(calling("Drop"), calling("Keep"), calling(), calling("Keep"))
    assert model.bind_tools([Keep, Drop], tool_choice="Drop").invoke("x").tool_calls
    assert "Keep" not in chat.prompts[0]
    assert model.bind_tools([Keep, Drop], tool_choice="any").invoke("x").tool_calls
    assert "at least one call" in chat.prompts[1]
    assert model.bind_tools([Keep], tool_choice="any").invoke("x").tool_calls  # asked again
    assert "0 items, it must be 1 to" in chat.prompts[3]


def test_structured_output_is_read_from_a_call() -> None:
    model, _ = adapter(calling("Keep"))
    assert model.with_structured_output(Keep).invoke("x") == Keep(text="a")


def test_an_invalid_reply_is_asked_again_and_then_calls_nothing() -> None:
    model, chat = adapter("prose", calling("Keep"), "prose", "prose")
    bound = model.bind_tools([Keep])
    assert len(bound.invoke("x").tool_calls) == 1
    reply = bound.invoke("x")
    assert (reply.content, reply.tool_calls) == ("", [])
    assert model.model.usage.invalid == 3
    assert len(chat.prompts) == 4


def test_without_tools_a_reply_is_text_or_fits_its_schema() -> None:
    assert adapter("prose")[0].invoke("x").content == "prose"
    model, _ = adapter('Yes: {"text": "é"}', {"text": "too long"}, "prose", reply=REPLY)
    assert model.invoke("x").content == '{"text": "é"}'
    assert model.invoke("x").content == ""


def test_messages_of_other_roles_become_text() -> None:
    model, chat = adapter("prose")
    call = {"id": "call-1", "name": "Keep", "args": {"text": "a"}}
    model.invoke([HumanMessage("x"), AIMessage("", tool_calls=[call]), ToolMessage("no", tool_call_id="call-1")])  # fmt: skip
    _, said, told = chat.prompts[0].splitlines()
    assert said.startswith('assistant: {"calls": [{"id": "call-1", "name": "Keep"')
    assert told == "user: Answer to call-1: no"


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(TypeError, match="not supported: stop"):
        adapter("prose")[0].invoke("x", stop=["."])
    with pytest.raises(TypeError, match="not supported: top_k"):
        adapter("prose")[0].invoke("x", top_k=3)


def test_a_failure_comes_out_of_the_seal_however_it_was_hidden() -> None:
    model, chat = adapter(None, "prose")

    def library() -> str:
        for _ in range(3):
            try:
                model.invoke("x")
            except Exception:  # as libraries do
                continue
        return "all is well"

    with pytest.raises(ProviderError, match="no answer"):
        model.seal.run(0, library)
    assert len(chat.prompts) == 1
    with pytest.raises(ProviderError, match="no answer"):
        model.seal.run(0, lambda: "later")


def test_embeddings_are_those_of_the_embedder_and_their_failure_is_kept() -> None:
    seal = Seal()
    embeddings = TextEmbeddings(HashingEmbedder(), seal)
    rows = embeddings.embed_documents(["red boat", "oar"])
    assert rows[0] == embeddings.embed_query("red boat") != rows[1]
    assert all(isinstance(value, float) for value in rows[0])

    class Broken:
        def embed(self, texts: Any) -> Any:
            raise MemoryError("too many")

    with pytest.raises(MemoryError):
        TextEmbeddings(Broken(), seal).embed_query("x")
    with pytest.raises(MemoryError):
        seal.run(0, lambda: None)


def test_a_trace_holds_each_message_once() -> None:
    calls: list[Called] = []
    model = ToolChat(model=Model(Listed("a", "b"), Tape(write=calls.append)), step="s", seal=Seal())
    model.invoke([SystemMessage("long"), HumanMessage("one")])
    model.invoke([SystemMessage("long"), HumanMessage("two")])
    assert [[m.content for m in call.messages] for call in calls] == [["long", "one"], ["two"]]
