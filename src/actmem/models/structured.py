"""Structured replies: one JSON Schema is sent, and the reply is held to the same schema.

The dialect is small on purpose (``KEYWORDS``): what a schema may say, this module can check. A
``Schema`` refuses anything else when it is made, and anything unbounded: a small model that may
write strings or lists without end does so until its token limit.

Reading is lenient about what stands around the object (code fences, thinking, prose) and strict
about the object itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from actmem.errors import InputError

MAX_TEXT = 200_000
"""Most characters of a reply that are searched for an object."""
MAX_STARTS = 1_000
"""Most opening braces at which an object is looked for."""
MAX_DEPTH = 40
"""Deepest nesting of a schema or of a reply's object."""

KEYWORDS: dict[str, frozenset[str]] = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "string": frozenset({"minLength", "maxLength"}),
    "integer": frozenset({"minimum", "maximum"}),
    "number": frozenset({"minimum", "maximum"}),
    "boolean": frozenset(),
    "null": frozenset(),
}
"""What a schema of each type may say beside ``type``, ``title`` and ``description``."""
_THINKING = re.compile(r"(?i)(</?(?:think|thinking|reasoning)>)")
_NOTES = frozenset({"type", "title", "description"})


class ReplyError(ValueError):
    """A reply that cannot be used; the text says why, in words that a model can act on."""


class Schema:
    """A named, bounded JSON Schema for an object. Make it once and use it for many calls."""

    def __init__(self, name: str, definition: Mapping[str, Any]) -> None:
        """``name`` is an identifier. Raises ``InputError`` for a schema beyond the dialect."""
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,63}", name):
            raise InputError(f"{name!r} is no identifier", "schema")
        self.name = name
        self.definition = dict(definition)
        problems = unbounded(self.definition)
        if self.definition.get("type") != "object":
            problems.insert(0, "$: the whole must be of type object")
        if problems:
            raise InputError("; ".join(problems), f"schema {name}")

    def parse(self, text: str) -> Any:
        """Return the one object in ``text`` that fits; raises ``ReplyError`` where there is none.

        Several objects are accepted only where all that fit are equal.
        """
        found = find_objects(text)
        fits: list[Any] = []
        first = ""
        for value in found:
            problem = check(value, self.definition)
            if not problem:
                fits.append(value)
            first = first or problem
        if not fits:
            raise ReplyError(first)
        if any(value != fits[0] for value in fits[1:]):
            raise ReplyError(f"the reply holds {len(fits)} different JSON objects; give one")
        return fits[0]


def closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition of an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def fit(text: str, schema: Schema | None) -> tuple[Any, str]:
    """Return what a reply holds under ``schema``, or None and the problem."""
    if schema is None:
        return None, ""
    try:
        return schema.parse(text), ""
    except ReplyError as error:
        return None, str(error)


def answer(text: str) -> str:
    """Return a reply without the model's thinking.

    Thinking stands in ``<think>`` tags. Where only the closing tag is there, the opening one stood
    in the prompt; where only the opening one is, the reply was cut off while thinking.
    """
    kept: list[str] = []
    thinking = False
    for part in _THINKING.split(text):
        if not _THINKING.fullmatch(part):
            kept += [] if thinking else [part]
        elif part.startswith("</"):
            kept = kept if thinking else []
            thinking = False
        else:
            thinking = True
    return "".join(kept).strip()


def find_objects(text: str) -> list[Any]:
    """Return the whole JSON objects of a reply, in order, none from inside another.

    Raises ``ReplyError`` where there is none: an empty reply, prose, or an object cut off.
    """
    if len(text) > MAX_TEXT:
        raise ReplyError(f"the reply has {len(text)} characters, more than {MAX_TEXT}")
    text = answer(text)
    if not text:
        raise ReplyError("the reply is empty")
    found: list[Any] = []
    problem = "the reply holds no JSON object"
    start = text.find("{")
    for _ in range(MAX_STARTS):
        if start < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, start)
            found.append(value)
        except json.JSONDecodeError as error:
            # Going on behind what was read keeps parts of a broken object from passing as a whole.
            end = max(error.pos, start + 1)
            problem = f"the JSON object is broken or cut off: {error.msg} at character {error.pos}"
        except RecursionError:
            raise ReplyError("the JSON object is nested too deeply") from None
        start = text.find("{", end)
    if not found:
        raise ReplyError(problem)
    return found


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ReplyError("the JSON object has a key twice")
    return value


def _constant(name: str) -> Any:
    raise ReplyError(f"{name} is no JSON number")


def _integer(digits: str) -> int:
    if len(digits) > 20:
        raise ReplyError("the JSON object holds a number that is too long")
    return int(digits)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_integer, strict=False
)


def check(value: Any, schema: Mapping[str, Any], path: str = "$") -> str:
    """Return the first way in which ``value`` does not fit ``schema``; empty where it fits."""
    if "anyOf" in schema:
        problems = [check(value, option, path) for option in schema["anyOf"]]
        return "" if "" in problems else problems[0]
    if "enum" in schema:
        if any(_same(value, option) for option in schema["enum"]):
            return ""
        known = ", ".join(json.dumps(option, ensure_ascii=False) for option in schema["enum"])
        return f"{path}: {_show(value)} is none of {known}"
    kind = schema["type"]
    if not _TYPES[kind](value):
        return f"{path}: {_show(value)} is not of type {kind}"
    if kind == "object":
        return _check_object(value, schema, path)
    if kind == "array":
        size = len(value)
        if not schema.get("minItems", 0) <= size <= schema["maxItems"]:
            least = schema.get("minItems", 0)
            return f"{path}: {size} items, it must be {least} to {schema['maxItems']}"
        found = (check(v, schema["items"], f"{path}[{i}]") for i, v in enumerate(value))
        return next((problem for problem in found if problem), "")
    if kind == "string":
        return _check_string(value, schema, path)
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        return "" if low <= value <= high else f"{path}: {value} is not in {low} to {high}"
    return ""


def _check_object(value: dict[str, Any], schema: Mapping[str, Any], path: str) -> str:
    properties = schema["properties"]
    for name in schema.get("required", ()):
        if name not in value:
            return f"{path}: {name!r} is missing"
    for name, part in value.items():
        if name not in properties:
            return f"{path}: {_show(name)} is not among {', '.join(properties)}"
        problem = check(part, properties[name], f"{path}.{name}")
        if problem:
            return problem
    return ""


def _check_string(value: str, schema: Mapping[str, Any], path: str) -> str:
    if not schema.get("minLength", 0) <= len(value) <= schema["maxLength"]:
        return f"{path}: {len(value)} characters, at most {schema['maxLength']} are allowed"
    try:
        value.encode()
    except UnicodeEncodeError:
        return f"{path}: is not valid Unicode"
    return ""


_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}


def _same(value: Any, option: Any) -> bool:
    """Return whether two JSON values are equal; ``True`` is not 1."""
    return type(value) is type(option) and bool(value == option)


def _show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"


def unbounded(schema: Any, path: str = "$") -> list[str]:
    """Return every place where a schema leaves the dialect or lets a reply grow without end.

    Strings need ``maxLength`` or ``enum``, arrays ``maxItems``, objects named properties and
    ``additionalProperties`` false. Empty where the schema is proved bounded.
    """
    if not isinstance(schema, Mapping):
        return [f"{path}: is no schema"]
    if path.count(".") + path.count("[") > MAX_DEPTH:
        return [f"{path}: nested too deeply"]
    if "anyOf" in schema:
        options = schema["anyOf"]
        if not isinstance(options, list) or not options or set(schema) - {"anyOf"} - _NOTES:
            return [f"{path}: anyOf must be a list that stands alone"]
        parts = (unbounded(option, f"{path}[{i}]") for i, option in enumerate(options))
        return [problem for part in parts for problem in part]
    if "enum" in schema:
        options = schema["enum"]
        if not isinstance(options, list) or not options or set(schema) - {"enum"} - _NOTES:
            return [f"{path}: enum must be a list that stands alone"]
        return [] if all(_scalar(o) for o in options) else [f"{path}: enum of other than scalars"]
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in KEYWORDS:
        return [f"{path}: type {kind!r} is none of {', '.join(KEYWORDS)}"]
    unknown = sorted(set(schema) - KEYWORDS[kind] - _NOTES)
    problems = [f"{path}: {kind} with {', '.join(unknown)}"] if unknown else []
    if kind == "object":
        problems += _unbounded_object(schema, path)
    if kind == "array":
        problems += _whole(schema, "maxItems", path)
        problems += unbounded(schema.get("items"), f"{path}[]")
    if kind == "string":
        problems += _whole(schema, "maxLength", path)
    return problems


def _scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | int | bool)


def _unbounded_object(schema: Mapping[str, Any], path: str) -> list[str]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return [f"{path}: object without properties"]
    problems = []
    if schema.get("additionalProperties") is not False:
        problems.append(f"{path}: additionalProperties must be false")
    unknown = [name for name in schema.get("required", ()) if name not in properties]
    if unknown:
        problems.append(f"{path}: requires {', '.join(map(repr, unknown))}, no property of it")
    for name, part in properties.items():
        problems += unbounded(part, f"{path}.{name}")
    return problems


def _whole(schema: Mapping[str, Any], bound: str, path: str) -> list[str]:
    value = schema.get(bound)
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return [] if good else [f"{path}: {schema['type']} without {bound}"]
