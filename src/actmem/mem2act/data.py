"""Data sets in the format of the Mem2ActBench release (arXiv 2601.19935): tasks and sessions.

Two files of JSON lines make a data set: ``qa_dataset.jsonl``, a task a line, and
``toolmem_conversation.jsonl``, a session a line in the order in which they took place. A third,
``tools.jsonl``, may add tools that no task calls, for the choice among several.

Loading is strict about structure (a missing field, a wrong type, a repeated id is an error that
names the line) and keeps every task: what is wrong with the content is for ``defects`` to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from actmem.errors import InputError
from actmem.files import decode, read_bytes
from actmem.hashing import digest
from actmem.mem2act.values import NESTING, scorable

TASKS = "qa_dataset.jsonl"
SESSIONS = "toolmem_conversation.jsonl"
TOOLS = "tools.jsonl"
SHIPPED = "mini"
"""Name of the data set that comes with the package; its slices are ``mini-…``."""
LIMIT = 512 * 1024 * 1024
"""Most bytes of one file; the released history has about 40 MB."""


class Quote(Struct, frozen=True):
    """Words of the history."""

    source_id: str
    """The conversation that they stand in."""
    source_text: str


class Fact(Struct, frozen=True, omit_defaults=True):
    """One link of a task's evolution chain."""

    attribute: str
    source_id: str
    """The conversation that states it."""
    fact: str
    source_text: str
    """The words that state it, as they stand in the conversation."""
    supersedes: tuple[Quote, ...] = ()
    """Earlier words that it corrects; of the shipped data, not of the release."""


class Grounding(Struct, frozen=True, omit_defaults=True):
    """Where an argument's value comes from."""

    type: str
    """``explicit``, ``inferred`` or ``default``."""
    source_text: str | None = None
    inference: tuple[str, ...] = ()
    """How it follows from those words (``grounding``); of the shipped data, not of the release."""


class ToolCall(Struct, frozen=True):
    """The call that is right for a task."""

    name: str | int | float
    """Text, but for a release's slips: ``tool`` of ``Task`` is always text."""
    arguments: dict[str, Any]
    grounding_info: dict[str, Grounding] = {}
    """By argument, or by dotted path into a nested one."""


class Complexity(Struct, frozen=True):
    """How hard a task is said to be."""

    level: str
    """``L1`` (one source, literal) to ``L4`` (several sources, inference)."""
    has_temporal_conflict: bool = False


class Task(Struct, frozen=True):
    """A request that leaves out what the history holds, and the call that answers it."""

    qa_id: str
    source_conversation_ids: tuple[str, ...]
    evolution_chain: tuple[Fact, ...]
    query: str
    tool_call: ToolCall
    target_tool_schema: dict[str, Any]
    complexity_metadata: Complexity

    @property
    def tool(self) -> str:
        """Name of the right tool."""
        return str(self.tool_call.name)

    @property
    def sources(self) -> tuple[str, ...]:
        """The conversations that the task rests on, each once."""
        chain = (fact.source_id for fact in self.evolution_chain)
        return tuple(dict.fromkeys((*self.source_conversation_ids, *chain)))


class Function(Struct, frozen=True):
    """Name and arguments of a call in a session; both as given, however wrong."""

    name: Any
    arguments: Any


class Call(Struct, frozen=True):
    """One tool call of an assistant's turn."""

    id: str
    function: Function


class SessionTurn(Struct, frozen=True):
    """One message of a session."""

    role: str
    source_id: str
    content: str | None = None
    tool_calls: tuple[Call, ...] | None = None
    tool_call_id: str | None = None
    name: Any = None


class Session(Struct, frozen=True):
    """A conversation in which several source conversations take turns."""

    session_id: str
    turns: tuple[SessionTurn, ...]
    original_conversation_ids: tuple[str, ...] = ()
    turn_count: int = 0
    """Turns of the user, as the file states them."""
    has_tool_calls: bool = False
    token_count: int = 0
    """Tokens, as the file states them."""


class Dataset:
    """A data set: tasks, sessions in order, and the tools to choose from."""

    def __init__(
        self,
        name: str,
        tasks: Sequence[Task],
        sessions: Sequence[Session],
        tools: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.name = name
        self.tasks = tuple(tasks)
        self.sessions = tuple(sessions)
        self.more_tools = tuple(tools)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all that was read."""
        return digest([self.tasks, self.sessions, self.more_tools])

    @cached_property
    def held(self) -> frozenset[str]:
        """Source conversations that have turns in the sessions."""
        return frozenset(turn.source_id for session in self.sessions for turn in session.turns)

    @cached_property
    def tools(self) -> dict[str, dict[str, Any]]:
        """Schemas of all tools by name, the tasks' first; the first of a name counts."""
        found: dict[str, dict[str, Any]] = {}
        for task in self.tasks:
            found.setdefault(task.tool, task.target_tool_schema)
        for schema in self.more_tools:
            found.setdefault(str(schema["name"]), schema)
        return found

    def missing(self, task: Task) -> tuple[str, ...]:
        """Return the task's sources that no session holds."""
        return tuple(source for source in task.sources if source not in self.held)

    def resolvable(self, task: Task) -> bool:
        """Return whether the history holds at least one of the task's sources."""
        return len(self.missing(task)) < len(task.sources)

    def complete(self, task: Task) -> bool:
        """Return whether the history holds all of the task's sources."""
        return bool(task.sources) and not self.missing(task)


T = TypeVar("T")


def load(where: Path | str) -> Dataset:
    """Load the data set of a folder, or the shipped one by its name (``mini``, ``mini-…``).

    A folder in the present directory goes before a shipped name. Raises ``InputError`` that names
    file and line.
    """
    folder = Path(where)
    if not folder.exists() and str(where).partition("-")[0] == SHIPPED:
        return _shipped(str(where))
    if not folder.is_dir():
        raise InputError(f"is no folder with {TASKS} and {SESSIONS}", folder)
    return _read(folder, folder.resolve().name)


def _read(folder: Path, name: str) -> Dataset:
    tasks = _rows(folder / TASKS, Task, lambda task: task.qa_id)
    for task in tasks:
        if not scorable(task.tool_call.arguments):
            problem = f"the call of {task.qa_id} is nested more than {NESTING} levels deep"
            raise InputError(problem, folder / TASKS)
    sessions = _rows(folder / SESSIONS, Session, lambda session: session.session_id)
    tools: list[dict[str, Any]] = []
    if (folder / TOOLS).exists():
        tools = _rows(folder / TOOLS, dict[str, Any], lambda tool: str(tool.get("name")))
        for number, tool in enumerate(tools, start=1):
            if "name" not in tool:
                raise InputError("a tool needs a name", f"{folder / TOOLS}:{number}")
    return Dataset(name, tasks, sessions, tools)


class _Slice(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a data set: its tasks and sessions by id."""

    tasks: tuple[str, ...]
    sessions: tuple[str, ...]


def _shipped(name: str) -> Dataset:
    """Load the shipped data set, or the slice that ``mini/NAME.json`` names."""
    folder = Path(str(files("actmem.mem2act").joinpath(SHIPPED)))
    known = [SHIPPED, *sorted(path.stem for path in folder.glob(f"{SHIPPED}-*.json"))]
    if name not in known or not (folder / TASKS).is_file():
        raise InputError(f"there is no such folder, and no data set {name!r} is shipped", name)
    whole = _read(folder, SHIPPED)
    if name == SHIPPED:
        return whole
    path = folder / f"{name}.json"
    part = decode(read_bytes(path), _Slice, path)
    tasks = {task.qa_id: task for task in whole.tasks}
    sessions = {session.session_id: session for session in whole.sessions}
    try:
        chosen = [tasks[one] for one in part.tasks], [sessions[one] for one in part.sessions]
    except KeyError as error:
        raise InputError(f"names {error}, which {SHIPPED} does not hold", path) from None
    return Dataset(name, *chosen, whole.more_tools)


def _rows(path: Path, kind: type[T], key: Any) -> list[T]:
    """Decode a file of JSON lines; blank lines are passed over, keys must be unique."""
    decoder = msgspec.json.Decoder(kind)
    rows: list[T] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(read_bytes(path, LIMIT).split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(str(error)[:400], where) from None
        if key(row) in seen:
            raise InputError(f"{key(row)!r} stands in line {seen[key(row)]} already", where)
        seen[key(row)] = number
        rows.append(row)
    if not rows:
        raise InputError("holds no lines", path)
    return rows
