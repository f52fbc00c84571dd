from __future__ import annotations

from typing import Any

import pytest

from actmem.errors import InputError
from actmem.memory.tool_schema import MAX_CALLS, MAX_ITEMS, MAX_TEXT, bounded_tool, calls_schema


def tool(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, **more}
    return {"type": "function", "function": {"name": "keep", "parameters": parameters}}


def bounded(schema: Any, **more: Any) -> Any:
    return bounded_tool(tool({"part": schema}, **more))["parameters"]["properties"].get("part")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"type": "string"}, {"type": "string", "maxLength": MAX_TEXT}),
        ({"type": "string", "maxLength": 9}, {"type": "string", "maxLength": 9}),
        ({"type": "string", "maxLength": 9999}, {"type": "string", "maxLength": MAX_TEXT}),
        ({"const": "a"}, {"enum": ["a"]}),
        ({"enum": ["a", 1], "type": "string"}, {"enum": ["a", 1]}),
        ({"type": "integer", "minimum": 0, "format": "x"}, {"type": "integer", "minimum": 0}),
        ({"type": ["boolean", "null"]}, {"anyOf": [{"type": "boolean"}, {"type": "null"}]}),
        ({"anyOf": [{"type": "number"}, {"type": "object", "additionalProperties": {}}]},
         {"type": "number"}),
        ({"oneOf": [{"type": "number"}, {"type": "number"}]}, {"type": "number"}),
        ({"allOf": [{"$ref": "#/$defs/Day"}], "description": "a\n day"},
         {"enum": ["mon"], "description": "a day"}),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 99},
         {"type": "array", "items": {"type": "boolean"}, "maxItems": MAX_ITEMS, "minItems": 1}),
        ({"type": "object", "properties": {"a": {"type": "null"}, "b": {}}, "required": ["a"]},
         {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"],
          "additionalProperties": False}),
    ],
)  # fmt: skip
def test_parts_are_bounded(given: Any, expected: Any) -> None:
    assert bounded(given, **{"$defs": {"Day": {"enum": ["mon"]}}}) == expected


@pytest.mark.parametrize(
    "given",
    [
        {}, {"type": "object", "additionalProperties": True}, {"type": "array"},
        {"type": "array", "items": {}}, {"$ref": "#/$defs/None"}, {"$ref": "#/$defs/Tree"},
        {"anyOf": [{}]}, True,
    ],
)  # fmt: skip
def test_what_has_no_bound_is_left_out_or_refused(given: Any) -> None:
    tree = {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
    assert bounded(given, **{"$defs": {"Tree": tree}}) is None
    with pytest.raises(InputError, match="tool keep: 'part' cannot be bounded"):
        bounded(given, required=["part"], **{"$defs": {"Tree": tree}})


def test_parameters_must_be_an_object() -> None:
    wrong = {"type": "function", "function": {"name": "keep", "parameters": {"type": "string"}}}
    with pytest.raises(InputError, match="tool keep: its parameters cannot be bounded"):
        bounded_tool(wrong)


def test_calls_are_held_to_the_tools() -> None:
    keep = bounded_tool(tool({"text": {"type": "string"}}, required=["text"]))
    done = bounded_tool({"type": "function", "function": {"name": "done", "description": " a\nb"}})
    assert done["description"] == "a b"
    call = {"name": "keep", "args": {"text": "x"}}
    schema = calls_schema([keep, done], least=1)
    assert schema.parse('{"calls": [{"name": "done", "args": {}}]}')["calls"][0]["args"] == {}
    assert schema.parse(f'{{"calls": {[call] * MAX_CALLS}}}'.replace("'", '"'))
    for wrong in (
        '{"calls": []}', '{"calls": [{"name": "drop", "args": {}}]}',
        '{"calls": [{"name": "keep", "args": {}}]}',
        f'{{"calls": {[call] * (MAX_CALLS + 1)}}}'.replace("'", '"'),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"\$"):
            schema.parse(wrong)
    assert calls_schema([keep], least=0).parse('{"calls": []}') == {"calls": []}
