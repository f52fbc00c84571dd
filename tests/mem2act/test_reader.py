from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.memory.conftest import HashingEmbedder

from actmem.errors import InputError
from actmem.mem2act.data import load
from actmem.mem2act.negatives import choices, hard_negatives
from actmem.mem2act.reader import MAX_ITEMS, MAX_TEXT, ask, call_schema
from actmem.memory.protocol import Passage
from actmem.models.scripted import ScriptedChat
from actmem.models.tape import Called, Tape

Row = Callable[..., dict[str, Any]]
Build = Callable[..., Path]


def tool(name: str = "post", **parts: Any) -> dict[str, Any]:
    return {"name": name, "parameters": {"type": "dict", "properties": parts, "required": [*parts]}}


def arguments_of(schema: dict[str, Any]) -> Any:
    return call_schema([schema]).definition["properties"]["arguments"]["properties"]


TEXT = {"type": "string", "maxLength": MAX_TEXT}


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"type": "string"}, TEXT),
        ({"type": "int"}, {"type": "integer"}),
        ({"type": "float"}, {"type": "number"}),
        ({"type": "Boolean"}, {"type": "boolean"}),
        ({"type": "string", "enum": ["a", "b"]}, {"enum": ["a", "b"]}),
        ({"type": "float", "enum": [0.5]}, {"type": "number"}),
        ({"type": "array"}, {"type": "array", "items": TEXT, "maxItems": MAX_ITEMS}),
        ({"type": "array", "enum": ["a"]},
         {"type": "array", "items": {"enum": ["a"]}, "maxItems": MAX_ITEMS}),
        ({"type": "dict"}, TEXT),
        ({}, TEXT),
        ({"type": "dict", "properties": {"x": {"type": "int"}}, "required": ["x", "y"]},
         {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"],
          "additionalProperties": False}),
    ],
)  # fmt: skip
def test_each_type_has_a_bounded_schema(part: dict[str, Any], expected: dict[str, Any]) -> None:
    assert arguments_of(tool(x=part)) == {"x": expected}


def test_every_tool_of_the_sample_has_a_bounded_schema(sample: Path) -> None:
    for schema in load(sample).tools.values():
        assert call_schema([schema]).name == "call"


def test_deep_nesting_ends_as_text() -> None:
    part: dict[str, Any] = {"type": "string"}
    for _ in range(60):
        part = {"type": "dict", "properties": {"x": part}}
    assert call_schema([tool(x=part)])


def asked(
    replies: list[Any], tools: list[dict[str, Any]], passages: tuple[Passage, ...] = ()
) -> tuple[Any, list[Called]]:
    calls: list[Called] = []
    chat = ScriptedChat(replies)
    return ask(chat, Tape(write=calls.append), "t1", "Do it.", tools, passages), calls


def test_a_call_is_read_and_the_prompt_holds_what_it_must() -> None:
    reply = {"reply": {"name": "post", "arguments": {"x": 4}}}
    (found, invalid, problem), calls = asked(
        [reply], [tool(x={"type": "int"})], (Passage("day 1, user: four"),)
    )
    assert (found.name, found.arguments, invalid, problem) == ("post", {"x": 4}, 0, "")
    prompt = calls[0].messages[-1].content
    for part in ("- day 1, user: four", '"name": "post"', "Request: Do it."):
        assert part in prompt


def test_an_invalid_reply_is_asked_again() -> None:
    wrong = {"reply": {"name": "post", "arguments": {"x": "four"}}}
    right = {"reply": {"name": "post", "arguments": {"x": 4}}}
    (found, invalid, _), _ = asked([wrong, right], [tool(x={"type": "int"})])
    assert (found.arguments, invalid) == ({"x": 4}, 1)


def test_no_valid_reply_is_no_call() -> None:
    (found, invalid, problem), calls = asked(["I cannot."], [tool(x={"type": "int"})])
    assert (found.usable, invalid, len(calls)) == (False, 4, 4)
    assert "no JSON object" in problem


def test_a_free_object_comes_as_text() -> None:
    schema = tool(x={"type": "dict"}, y={"type": "array", "items": {"type": "dict"}})
    bad = {"reply": {"name": "post", "arguments": {"x": "[1]", "y": []}}}
    good = {"reply": {"name": "post", "arguments": {"x": '{"a": 1.5}', "y": ["{}"]}}}
    (found, invalid, _), _ = asked([bad, good], [schema])
    assert (found.arguments, invalid) == ({"x": {"a": 1.5}, "y": [{}]}, 1)


def test_a_choice_among_tools() -> None:
    tools = [tool("post", x={"type": "int"}), tool("fax", y={"type": "string"})]
    mixed = {"reply": {"call": {"name": "fax", "arguments": {"x": 4}}}}
    right = {"reply": {"call": {"name": "fax", "arguments": {"y": "now"}}}}
    (found, invalid, _), _ = asked([mixed, right], tools)
    assert (found.name, found.arguments, invalid) == ("fax", {"y": "now"}, 1)


def test_negatives_are_the_most_alike_and_seeded(build: Build, task_row: Row) -> None:
    others = [
        {"name": "cancel_table", "description": "Cancel a table."},
        {"name": "measure_depth", "description": "Measure how deep the sea is."},
        {"name": "book_room", "description": "Book a table in a room."},
    ]
    data = load(build([task_row(f"t{i}") for i in range(20)], tools=others))
    negatives = hard_negatives(data, 2, HashingEmbedder())["book_table"]
    assert set(negatives) == {"cancel_table", "book_room"}
    shown = choices(data, 3, HashingEmbedder(), seed=1)
    assert all(sorted(names) == sorted(data.tools) for names in shown.values())
    assert shown == choices(data, 3, HashingEmbedder(), seed=1)
    assert shown != choices(data, 3, HashingEmbedder(), seed=2)
    with pytest.raises(InputError, match="has tools for 3 negatives at most, not 4"):
        choices(data, 4, HashingEmbedder(), seed=1)
    assert len({names.index("book_table") for names in shown.values()}) > 1
