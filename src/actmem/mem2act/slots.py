"""The slots of a task: its gold values, each with how it is grounded and of which class it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from actmem.mem2act.data import Task
from actmem.mem2act.schema import at_path
from actmem.mem2act.values import leaves

LONG = 5
"""Words from which a text counts as long."""
CLASSES = ("boolean", "number", "short string", "long string", "identifier", "list", "nested")
"""Value classes (paper, section 5.3), in the order of tables."""
_IDENTIFIER = re.compile(r"(?=\S*\d)\S+|\S+@\S+|\S*[_/\\:]\S+")
_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?")


class Slot(Struct, frozen=True):
    """One gold value."""

    path: str
    """The argument's name, or the dotted path into a nested one."""
    value: Any
    grounding: str
    """``explicit``, ``inferred``, ``default``, or empty where the data do not say."""

    @property
    def value_class(self) -> str:
        """One of ``CLASSES``."""
        return value_class(self.value)


def task_slots(task: Task) -> list[Slot]:
    """Return the slots of a task."""
    return [Slot(path, value, grounding_type(task, path)) for path, value in slots(task)]


def slots(task: Task) -> Iterator[tuple[str, Any]]:
    """Yield each gold value with its path.

    A nested value is taken apart where the groundings name all of its parts, else it is one slot.
    """
    arguments = task.tool_call.arguments
    paths = [p for p in task.tool_call.grounding_info if at_path(arguments, p)[0]]
    for name, value in arguments.items():
        parts = [path for path in paths if path.startswith(f"{name}.") and path not in arguments]
        parts = [p for p in parts if not any(p.startswith(f"{whole}.") for whole in parts)]
        found = [(path, at_path(arguments, path)[1]) for path in parts]
        covered = sum(len(list(leaves(part))) for _, part in found)
        if name in paths or not parts or covered != len(list(leaves(value))):
            yield name, value
        else:
            yield from found


def grounding_type(task: Task, path: str) -> str:
    """Return how a slot is grounded; empty where the data do not say."""
    grounding = task.tool_call.grounding_info.get(path)
    return grounding.type if grounding else ""


def value_class(value: Any) -> str:
    """Return the class of a value; the bounds are ours, the paper names the classes alone.

    An identifier is one word with a digit in it, an e-mail address, a path or a name with an
    underscore; dates are short strings. A long string has at least ``LONG`` words.
    """
    if isinstance(value, bool) or value is None:
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, dict):
        return "nested"
    if isinstance(value, list):
        return "nested" if any(isinstance(part, dict | list) for part in value) else "list"
    if len(value.split()) >= LONG:
        return "long string"
    if _IDENTIFIER.fullmatch(value) and not _DATE.fullmatch(value):
        return "identifier"
    return "short string"
