"""What is wrong with a data set's content. Nothing is dropped for it: it is counted and listed.

A defect is a property of the data, not of a memory: a
task whose sources are nowhere cannot be solved, and a value that stands nowhere cannot be known.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from actmem.mem2act.data import Dataset, Session, Task
from actmem.mem2act.grounding import KINDS as GROUNDING
from actmem.mem2act.grounding import ungrounded, why_not
from actmem.mem2act.history import History
from actmem.mem2act.necessity import KINDS as NECESSITY
from actmem.mem2act.necessity import needless
from actmem.mem2act.reader import unsayable
from actmem.mem2act.schema import (
    at_path,
    declared,
    is_default,
    misfits,
    parameters,
    required,
)
from actmem.mem2act.slots import grounding_type, slots
from actmem.mem2act.values import findable, leaves, text_of

KINDS = {
    "unresolvable_task": "none of a task's sources is held by a session",
    "unresolvable_source": "a source that a task names is held by no session",
    "value_nowhere": "a gold value, no default, stands nowhere in the history",
    "invented_default": "a gold value called a default is not the tool's default",
    "type_drift": "a gold value is not of the type that the tool declares",
    "float_integer": "a whole number is held as a float",
    "unparsable_arguments": "arguments of a call in a session are no JSON object",
    "doubly_encoded": "arguments of a call in a session are JSON text inside of JSON text",
    "tool_name": "a tool's name is no text",
    "repeated_call_id": "a call's id stands more than once in its session",
    "dotted_grounding": "a grounding names a nested value by a dotted path",
    "grounding_mismatch": "a grounding names no argument, or an argument has no grounding",
    "grounding_type": "a grounding is neither explicit, inferred nor default",
    "unknown_argument": "the gold call has an argument that the tool does not declare",
    "missing_argument": "the gold call lacks an argument that the tool insists on",
    "other_tool": "the gold call names another tool than the task's schema",
    "unsayable": "no reply within the reader's bounds can be the gold call",
    "stray_result": "a tool's result answers no call of its session",
    "absent_quote": "a fact's words stand in no turn of its source",
    "empty_conversation": "a session names a conversation of which it holds no turn",
    "turn_count": "a session states another number of user turns than it has",
    "needs_no_memory": NECESSITY["needs_no_memory"],
}
"""What each kind of defect means, in the order of tables."""
STRICT = {**KINDS, **NECESSITY, **GROUNDING}
"""The same with what only a strict check asks: the release quotes loosely and asks half-openly."""


class Defect(Struct, frozen=True):
    """One defect: its kind, the task or session, and what exactly."""

    kind: str
    where: str
    message: str


def defects(data: Dataset, strict: bool = False) -> list[Defect]:
    """Return all defects of a data set, tasks first, in the order of the files.

    Those of ``STRICT`` if so asked, else those of ``KINDS``.
    """
    history = History(data)
    kinds = STRICT if strict else KINDS
    found = [defect for task in data.tasks for defect in _task(history, task)]
    found += [defect for session in data.sessions for defect in _session(session)]
    return [defect for defect in found if defect.kind in kinds]


def counts(found: list[Defect], strict: bool = False) -> dict[str, int]:
    """Return the number of defects of each kind that was looked for, zeros included."""
    tally = Counter(defect.kind for defect in found)
    return {kind: tally[kind] for kind in (STRICT if strict else KINDS)}


def _task(history: History, task: Task) -> Iterator[Defect]:
    """Yield a task's defects."""

    def defect(kind: str, message: str) -> Defect:
        return Defect(kind, task.qa_id, message)

    if not history.data.resolvable(task):
        yield defect("unresolvable_task", ", ".join(task.sources) or "names no source")
    for source in history.data.missing(task):
        yield defect("unresolvable_source", source)
    if not isinstance(task.tool_call.name, str):
        yield defect("tool_name", f"{task.tool_call.name!r}")
    if str(task.target_tool_schema.get("name")) != task.tool:
        yield defect("other_tool", f"{task.tool!r}, not {task.target_tool_schema.get('name')!r}")
    for fact in task.evolution_chain:
        held = history.of_source(fact.source_id)
        quoted = history.holding(fact.source_id, fact.source_text)
        if held and fact.source_text.strip() and not quoted:
            yield defect("absent_quote", f"{fact.source_id}: {_short(fact.source_text)}")
    arguments = list(_arguments(task))
    told = any(kind != "float_integer" for kind, _ in arguments)
    if not told and (why := unsayable(task)):
        arguments.append(("unsayable", why))
    found = (*arguments, *_groundings(task), *_nowhere(history, task), *needless(task))
    for kind, message in (*found, *ungrounded(history, task)):
        yield defect(kind, message)


def _arguments(task: Task) -> Iterator[tuple[str, str]]:
    """Yield what the gold arguments have wrong by themselves and by the tool's schema."""
    known = parameters(task.target_tool_schema)
    arguments = task.tool_call.arguments
    for name, value in arguments.items():
        if name not in known:
            yield "unknown_argument", name
        for path in misfits(value, known.get(name), name):
            yield "type_drift", f"{path} is {_short(value)}"
        if any(isinstance(leaf, float) and leaf.is_integer() for leaf in leaves(value)):
            yield "float_integer", f"{name} is {_short(value)}"
    for name in required(task.target_tool_schema):
        if name not in arguments:
            yield "missing_argument", name


def _groundings(task: Task) -> Iterator[tuple[str, str]]:
    """Yield what the groundings have wrong."""
    arguments = task.tool_call.arguments
    grounded = set()
    for path, grounding in task.tool_call.grounding_info.items():
        there, value = at_path(arguments, path)
        grounded.add(path if path in arguments else path.partition(".")[0])
        if not there:
            yield "grounding_mismatch", f"{path} names no argument"
        if "." in path and path not in arguments:
            yield "dotted_grounding", path
        if grounding.type not in ("explicit", "inferred", "default"):
            yield "grounding_type", f"{path}: {grounding.type!r}"
        if there and grounding.type == "default":
            stated = declared(task.target_tool_schema, path)
            if not is_default(value, stated):
                yield "invented_default", f"{path} is {_short(value)}"
    for name in arguments:
        if name not in grounded:
            yield "grounding_mismatch", f"argument {name} has no grounding"


def _nowhere(history: History, task: Task) -> Iterator[tuple[str, str]]:
    """Yield the gold values that stand nowhere in the history, are no defaults, and do not follow."""
    for path, value in slots(task):
        grounding = task.tool_call.grounding_info.get(path)
        if grounding_type(task, path) == "default":
            continue
        if (
            grounding
            and grounding.inference
            and not why_not(task, path, grounding.source_text or "")
        ):
            continue
        for leaf in leaves(value):
            if findable(leaf) and not history.text.holds(leaf):
                yield "value_nowhere", f"{path}: {_short(leaf)}"


def _session(session: Session) -> Iterator[Defect]:
    """Yield a session's defects."""

    def defect(kind: str, message: str) -> Defect:
        return Defect(kind, session.session_id, message)

    calls = [call for turn in session.turns for call in turn.tool_calls or ()]
    ids = Counter(call.id for call in calls)
    for name, number in ids.items():
        if number > 1:
            yield defect("repeated_call_id", f"{name} stands {number} times")
    for call in calls:
        if not isinstance(call.function.name, str):
            yield defect("tool_name", f"{call.function.name!r}")
        for kind in _encoding(call.function.arguments):
            yield defect(kind, f"{call.id}: {_short(call.function.arguments)}")
    held = {turn.source_id for turn in session.turns}
    for conversation in session.original_conversation_ids:
        if conversation not in held:
            yield defect("empty_conversation", conversation)
    users = sum(turn.role == "user" for turn in session.turns)
    if users != session.turn_count:
        yield defect("turn_count", f"states {session.turn_count}, has {users}")
    for turn in session.turns:
        if turn.role == "tool" and turn.tool_call_id not in ids:
            yield defect("stray_result", f"{turn.tool_call_id!r}")


def _encoding(arguments: Any) -> list[str]:
    """Return the defects of a call's arguments; none where they are an object, or JSON of one.

    Text inside of the text is doubly encoded, and may be unparsable as well.
    """
    depth = 0
    while isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            break
        depth += 1
    found = ["doubly_encoded"] if depth > 1 or (depth and isinstance(arguments, str)) else []
    return found if isinstance(arguments, dict) else [*found, "unparsable_arguments"]


def _short(value: Any) -> str:
    text = text_of(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
