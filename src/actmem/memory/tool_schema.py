"""Tools of other libraries as one bounded schema that any of our models can be held to.

A library hands its tools over as JSON Schema of any kind. What our dialect (``structured``) cannot
say is left out where there is a choice, and refused where there is none. Strings and lists get the
bounds below, since a small model fills what has none up to its token limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from actmem.errors import InputError
from actmem.models.structured import Schema

MAX_TEXT = 500
"""Most signs of a text: about the 80 words that mem0's prompt allows a memory."""
MAX_ITEMS = 6
"""Most items of a list."""
MAX_CALLS = 6
"""Most calls of one reply."""
BOUNDS = {"text": MAX_TEXT, "items": MAX_ITEMS, "calls": MAX_CALLS}
"""The bounds, for the record."""


def calls_schema(tools: Iterable[Mapping[str, Any]], least: int) -> Schema:
    """Return the schema of ``{"calls": [{"name", "args"}, …]}`` over ``bounded_tool``'s results.

    ``least`` is 1 where the library insists on a call, else 0.
    """
    options = [
        _object({"name": {"enum": [tool["name"]]}, "args": tool["parameters"]}, ["name", "args"])
        for tool in tools
    ]
    calls = {
        "type": "array",
        "items": options[0] if len(options) == 1 else {"anyOf": options},
        "minItems": least,
        "maxItems": MAX_CALLS,
    }
    return Schema("calls", _object({"calls": calls}, ["calls"]))


def bounded_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool in OpenAI's form as name, description and bounded parameters.

    Raises ``InputError`` for parameters that cannot be bounded.
    """
    function = tool["function"]
    name = function["name"]
    given = function.get("parameters") or {"type": "object", "properties": {}}
    parameters = _Bounder(given, f"tool {name}").bound(given)
    if parameters is None or parameters.get("type") != "object":
        raise InputError("its parameters cannot be bounded", f"tool {name}")
    return {
        "name": name,
        "description": " ".join(function.get("description", "").split()),
        "parameters": parameters,
    }


def _object(properties: Mapping[str, Any], needed: Iterable[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(needed),
        "additionalProperties": False,
    }


class _Bounder:
    """Bounds one schema; references are resolved in it. ``bound`` gives None for what has no bound."""

    def __init__(self, root: Mapping[str, Any], where: str) -> None:
        self._root = root
        self._where = where

    def bound(self, schema: Any, seen: tuple[str, ...] = ()) -> dict[str, Any] | None:
        """Return ``schema`` in our dialect; ``seen`` are the references on the way to it."""
        if not isinstance(schema, Mapping):
            return None
        if "$ref" in schema:
            reference = str(schema["$ref"])
            if reference in seen:
                return None  # it holds itself
            found = self.bound(self._resolve(reference), (*seen, reference))
        elif isinstance(whole := schema.get("allOf"), list) and len(whole) == 1:
            found = self.bound(whole[0], seen)
        elif choice := self._choice(schema):
            found = self._any_of(choice, seen)
        elif "const" in schema or "enum" in schema:
            found = {"enum": [schema["const"]] if "const" in schema else list(schema["enum"])}
        else:
            found = self._typed(schema, seen)
        if found is not None and isinstance(about := schema.get("description"), str):
            found = {**found, "description": " ".join(about.split())}
        return found

    def _resolve(self, reference: str) -> Any:
        part: Any = self._root
        for name in reference.removeprefix("#/").split("/"):
            part = part.get(name) if isinstance(part, Mapping) else None
        return part

    @staticmethod
    def _choice(schema: Mapping[str, Any]) -> list[Any]:
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return [{**schema, "type": kind} for kind in kinds]
        return list(schema.get("anyOf") or schema.get("oneOf") or ())

    def _any_of(self, options: Iterable[Any], seen: tuple[str, ...]) -> dict[str, Any] | None:
        kept: list[dict[str, Any]] = []
        for option in options:
            found = self.bound(option, seen)
            if found is not None and found not in kept:
                kept.append(found)
        if not kept:
            return None
        return kept[0] if len(kept) == 1 else {"anyOf": kept}

    def _typed(self, schema: Mapping[str, Any], seen: tuple[str, ...]) -> dict[str, Any] | None:
        kind = schema.get("type")
        if kind == "object":
            return self._bound_object(schema, seen)
        if kind == "array":
            items = self.bound(schema.get("items"), seen)
            most = min(schema.get("maxItems", MAX_ITEMS), MAX_ITEMS)
            found = {"type": "array", "items": items, "maxItems": most}
            return None if items is None else found | _taken(schema, "minItems")
        if kind == "string":
            most = min(schema.get("maxLength", MAX_TEXT), MAX_TEXT)
            return {"type": "string", "maxLength": most} | _taken(schema, "minLength")
        if kind in ("integer", "number"):
            return {"type": kind} | _taken(schema, "minimum", "maximum")
        return {"type": kind} if kind in ("boolean", "null") else None

    def _bound_object(
        self, schema: Mapping[str, Any], seen: tuple[str, ...]
    ) -> dict[str, Any] | None:
        given = schema.get("properties") or {}
        if not given and schema.get("additionalProperties", False) is not False:
            return None  # any names
        needed = [name for name in schema.get("required", ()) if name in given]
        kept = {}
        for name, part in given.items():
            found = self.bound(part, seen)
            if found is not None:
                kept[name] = found
            elif name in needed:
                raise InputError(f"{name!r} cannot be bounded", self._where)
        return _object(kept, needed)


def _taken(schema: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: schema[name] for name in names if name in schema}
