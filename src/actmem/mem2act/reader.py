"""The reader: passages and a request in, a tool call out, by one model and one prompt for all systems.

The reply is held to a JSON Schema made from the tool's. Every string and list of it is bounded, by
numbers that no gold value has a part in. A nested parameter without named parts cannot be bounded
part by part: it is asked for as JSON text of at most ``MAX_TEXT`` signs and read after.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from actmem.hashing import digest
from actmem.mem2act.data import Task
from actmem.mem2act.predictions import Prediction
from actmem.mem2act.schema import kind_of, options, parameters, required, required_parts
from actmem.memory.protocol import Passage
from actmem.models.chat import Chat
from actmem.models.dialogue import Dialogue, InvalidReplyError
from actmem.models.structured import ReplyError, Schema, check
from actmem.models.tape import Tape

MAX_TEXT = 400
"""Most signs of a text value."""
MAX_ITEMS = 20
"""Most items of a list."""
MAX_NESTING = 8
"""Deepest nesting that is asked for part by part."""

CALLS = ("call", "choice")
"""Names of the schemas of a call: of the one tool, and of one of several."""


@cache
def prompts() -> dict[str, str]:
    """Return the prompt's parts by name."""
    text = files("actmem.mem2act").joinpath("prompts.toml").read_text("utf-8")
    found: dict[str, str] = tomllib.loads(text)
    return found


def reader_digest() -> str:
    """Return the digest of the reader's prompts and bounds, for the record."""
    return digest([prompts(), MAX_TEXT, MAX_ITEMS, MAX_NESTING])


def ask(
    chat: Chat,
    tape: Tape,
    qa_id: str,
    query: str,
    tools: Sequence[Mapping[str, Any]],
    passages: Sequence[Passage],
) -> tuple[Prediction, int, str]:
    """Ask for the call that ``query`` wants, among ``tools``.

    Returns the prediction, how many replies were invalid, and why the last one was where there is
    no usable call. Raises ``ProviderError`` and ``DivergedError`` as model and tape do.
    """
    words = prompts()
    dialogue = Dialogue(chat, tape, name=qa_id)
    dialogue.say(words["system"], role="system")
    known = "\n".join(f"- {passage.text}" for passage in passages) or words["nothing"]
    dialogue.say(
        words["task"].format(
            memory=known,
            tools="\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools),
            request=query,
            form=words["one" if len(tools) == 1 else "several"],
        )
    )
    by_name = {str(tool["name"]): tool for tool in tools}

    def decode(parsed: Any) -> Prediction:
        call = parsed if len(tools) == 1 else parsed["call"]
        found = _read(call["arguments"], {"properties": parameters(by_name[call["name"]])}, 0)
        return Prediction(qa_id, call["name"], found)

    try:
        prediction = dialogue.ask(decode, call_schema(tools))
    except InvalidReplyError as error:
        return Prediction(qa_id, None, None), dialogue.invalid, error.problem
    return prediction, dialogue.invalid, ""


def call_schema(tools: Sequence[Mapping[str, Any]]) -> Schema:
    """Return the schema of a call: of the one tool, or ``{"call": …}`` of any of several."""
    calls = [_call(tool) for tool in tools]
    if len(calls) == 1:
        return Schema(CALLS[0], calls[0])
    return Schema(CALLS[1], _object({"call": {"anyOf": calls}}, ("call",)))


def _call(tool: Mapping[str, Any]) -> dict[str, Any]:
    names = parameters(tool)
    parts = {name: _parameter(part, 1) for name, part in names.items()}
    arguments = _object(parts, [name for name in required(tool) if name in names])
    return _object({"name": {"enum": [str(tool["name"])]}, "arguments": arguments},
                   ("name", "arguments"))  # fmt: skip


def _object(properties: Mapping[str, Any], needed: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(needed),
        "additionalProperties": False,
    }


def _is_free(parameter: Any, depth: int) -> bool:
    """Return whether a nested parameter is asked for as JSON text."""
    return kind_of(parameter) == "object" and (
        not isinstance(parameter.get("properties"), Mapping)
        or not parameter["properties"]
        or depth >= MAX_NESTING
    )


def _parameter(parameter: Any, depth: int) -> dict[str, Any]:
    """Return the bounded schema of one parameter; what declares no type is text."""
    kind = kind_of(parameter) or "string"
    choice = options(parameter)
    if choice and all(isinstance(option, str | int) for option in choice):
        scalar = {"enum": choice}
        if kind != "array":
            return scalar
        return {"type": "array", "items": scalar, "maxItems": MAX_ITEMS}
    if kind == "string" or _is_free(parameter, depth):
        return {"type": "string", "maxLength": MAX_TEXT}
    if kind == "array":
        if depth >= MAX_NESTING:
            items: dict[str, Any] = {"type": "string", "maxLength": MAX_TEXT}
        else:
            items = _parameter(parameter.get("items"), depth + 1)
        return {"type": "array", "items": items, "maxItems": MAX_ITEMS}
    if kind == "object":
        parts = {n: _parameter(part, depth + 1) for n, part in parameter["properties"].items()}
        return _object(parts, [name for name in required_parts(parameter) if name in parts])
    return {"type": kind}


def unsayable(task: Task) -> str:
    """Return why no reply can be the task's gold call; empty where one can."""
    tool = {**task.target_tool_schema, "name": task.tool}
    arguments = _written(task.tool_call.arguments, {"properties": parameters(tool)}, 0)
    return check({"name": task.tool, "arguments": arguments}, _call(tool))


def _written(value: Any, parameter: Any, depth: int) -> Any:
    """Return a value as a reply would hold it: the inverse of ``_read``."""
    if isinstance(value, dict):
        if depth and _is_free(parameter, depth):
            return json.dumps(value, ensure_ascii=False)
        known = parameter.get("properties") if isinstance(parameter, Mapping) else None
        parts = known if isinstance(known, Mapping) else {}
        return {name: _written(part, parts.get(name), depth + 1) for name, part in value.items()}
    if isinstance(value, list):
        items = parameter.get("items") if isinstance(parameter, Mapping) else None
        return [_written(part, items, depth + 1) for part in value]
    return value


def _read(value: Any, parameter: Any, depth: int) -> Any:
    """Return a value with what was asked for as JSON text read.

    Raises ``ReplyError`` where such a text is no JSON object.
    """
    if isinstance(value, dict):
        known = parameter.get("properties") or {}
        return {name: _read(part, known.get(name), depth + 1) for name, part in value.items()}
    if isinstance(value, list):
        items = parameter.get("items") if isinstance(parameter, Mapping) else None
        return [_read(part, items, depth + 1) for part in value]
    if isinstance(value, str) and _is_free(parameter, depth):
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise ReplyError(f"{value[:60]!r} must be a JSON object as text")
        return found
    return value
