"""Schemas of tools as the data sets write them: parameters, their types and defaults.

The types are ``string``, ``int``/``integer``, ``float``/``number``, ``boolean``, ``array``/``list``
and ``dict``/``object``, in any case, nested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from actmem.mem2act.values import same

KINDS = {
    "string": "string",
    "str": "string",
    "int": "integer",
    "integer": "integer",
    "float": "number",
    "number": "number",
    "double": "number",
    "bool": "boolean",
    "boolean": "boolean",
    "array": "array",
    "list": "array",
    "tuple": "array",
    "dict": "object",
    "object": "object",
}
"""JSON Schema's type by the data sets' type."""

_HAS_TYPE: dict[str, Callable[[Any], bool]] = {
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
}


def parameters(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's parameters by name; empty where it declares none."""
    return _properties(schema.get("parameters"))


def required(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the parameters that a tool insists on."""
    return required_parts(schema.get("parameters"))


def required_parts(part: Any) -> tuple[str, ...]:
    """Return the names that an object's declaration insists on; what is no name is passed over."""
    names = part.get("required") if isinstance(part, Mapping) else None
    return tuple(n for n in names if isinstance(n, str)) if isinstance(names, list) else ()


def _properties(part: Any) -> dict[str, Any]:
    found = part.get("properties") if isinstance(part, Mapping) else None
    return dict(found) if isinstance(found, Mapping) else {}


def kind_of(parameter: Any) -> str | None:
    """Return JSON Schema's type of a parameter; None where it declares none that is known.

    Of several types the first known one counts: ``["integer", "null"]`` is an integer.
    """
    named = parameter.get("type") if isinstance(parameter, Mapping) else None
    several = named if isinstance(named, list) else [named]
    known = (KINDS.get(one.casefold()) for one in several if isinstance(one, str))
    return next((kind for kind in known if kind), None)


def misfits(value: Any, parameter: Any, path: str) -> list[str]:
    """Return the paths of the parts of ``value`` that are not of the declared type."""
    kind = kind_of(parameter)
    if kind is None:
        return []
    if not _HAS_TYPE[kind](value):
        return [path]
    if kind == "object":
        known = _properties(parameter)
        return [
            bad
            for name, part in value.items()
            if name in known
            for bad in misfits(part, known[name], f"{path}.{name}")
        ]
    if kind == "array":
        items = parameter.get("items")
        return [bad for i, part in enumerate(value) for bad in misfits(part, items, f"{path}[{i}]")]
    return []


def options(parameter: Any) -> list[Any]:
    """Return the values among which a parameter is chosen; empty where it lists none."""
    found = parameter.get("enum") if isinstance(parameter, Mapping) else None
    return found if isinstance(found, list) else []


def is_default(value: Any, parameter: Any) -> bool:
    """Return whether a parameter declares ``value`` as its default; 50 and 50.0 are one."""
    if not isinstance(parameter, Mapping) or "default" not in parameter:
        return False
    default = parameter["default"]
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (default, value))
    return bool(default == value) if numbers else same(default, value)


def parts(value: Any, parameter: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield each scalar of a value with its path and what is declared for it, nested ones in order.

    Where a list's items declare nothing, the list's own declaration holds for them.
    """
    if isinstance(value, dict):
        known = _properties(parameter)
        for name, part in value.items():
            yield from parts(part, known.get(name), f"{path}.{name}")
    elif isinstance(value, list):
        items = parameter.get("items") if isinstance(parameter, Mapping) else None
        for number, part in enumerate(value):
            yield from parts(part, items or parameter, f"{path}[{number}]")
    else:
        yield path, value, parameter


def at_path(arguments: Any, path: str) -> tuple[bool, Any]:
    """Return whether ``arguments`` hold a value at a name or dotted path, and the value.

    A name that itself has dots goes before the path.
    """
    if not isinstance(arguments, dict):
        return False, None
    if path in arguments:
        return True, arguments[path]
    head, dot, rest = path.partition(".")
    if not dot or head not in arguments:
        return False, None
    return at_path(arguments[head], rest)


def declared(schema: Mapping[str, Any], path: str) -> Any:
    """Return what a tool declares for a parameter's name or dotted path; None for nothing."""
    known: Any = parameters(schema)
    while path not in known:
        head, dot, path = path.partition(".")
        if not dot or head not in known:
            return None
        known = _properties(known[head])
    return known[path]
