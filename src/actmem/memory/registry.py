"""Memory systems by name: the built-in ones, and users' own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, NamedTuple

from actmem.errors import InputError
from actmem.extra import load
from actmem.hashing import canonical
from actmem.memory.embedder import Embedder
from actmem.memory.model import Model
from actmem.memory.process import ProcessMemory
from actmem.memory.protocol import Memory, Privileged
from actmem.plugin import user_class


class BuiltIn(NamedTuple):
    """A built-in system: where its class is, what it is, and what it takes."""

    module: str
    name: str
    about: str
    privilege: str = ""
    """What it gets beyond the query."""
    model: bool = False
    """Whether it calls a chat model."""
    extra: str = "memory"
    """The extra that installs what it needs; empty for nothing."""


BUILT_IN: dict[str, BuiltIn] = {
    "none": BuiltIn("bounds", "Nothing", "no memory: the floor", extra=""),
    "full": BuiltIn("bounds", "Full", "the end of the history", extra=""),
    "bm25": BuiltIn("bm25", "BM25", "lexical retrieval over turns"),
    "dense": BuiltIn("dense", "Dense", "retrieval over turns by embeddings"),
    "hybrid": BuiltIn("hybrid", "Hybrid", "bm25 and dense, fused by reciprocal rank"),
    "long-term": BuiltIn("long_term", "LongTerm", "every turn with its embedding, the nearest"),
    "generative-agents": BuiltIn(
        "generative_agents",
        "GenerativeAgents",
        "a memory stream by recency, importance and relevance, with reflections",
        model=True,
    ),
    "scm": BuiltIn("scm", "SCM", "interactions, their summaries, and a controller", model=True),
    "langmem": BuiltIn(
        "langmem", "LangMem", "the library langmem: its store manager", model=True, extra="langmem"
    ),
    "memtree": BuiltIn("memtree", "MemTree", "a tree of summaries", model=True),
    "mem0": BuiltIn("mem0", "Mem0", "the library mem0ai: its Memory", model=True, extra="mem0"),
    "a-mem": BuiltIn("a_mem", "AMem", "notes that link and evolve", model=True),
    "oracle-sessions": BuiltIn(
        "bounds", "OracleSessions", "the sessions of the evidence", "is told the evidence", extra=""
    ),
    "oracle": BuiltIn("bounds", "Oracle", "the gold chain", "is told the evidence", extra=""),
}
"""Built-in systems, in the order in which tables show them."""

Made = Memory | Privileged


class Parts(NamedTuple):
    """What a memory may be made of (see ``protocol``), each opened only where it asks for it."""

    embedder: Callable[[], Embedder]
    model: Callable[[], Model]
    folder: Callable[[], Path]


class MemorySpec(NamedTuple):
    """A memory by name: what it gets beyond the query, what it is made of, how to make one."""

    name: str
    privilege: str
    needs: frozenset[str]
    """The names of ``Parts`` that it asks for."""
    settings: Mapping[str, Any]
    """What moves its results, for the record."""
    ranks: bool
    """Whether it takes ``top``: the most passages that it gives back."""
    make: Callable[[Parts], Made]


def find_memory(name: str, top: int | None = None) -> MemorySpec:
    """Return the memory that ``name`` means.

    A built-in one, ``path/to/file.py:Class``, or ``cmd:PROGRAM`` (see ``process``). ``top`` is for
    those whose class has a parameter of that name, in place of its default.

    Raises ``InputError`` for an unknown one, or where its extra is missing.
    """
    if name in BUILT_IN:
        entry = BUILT_IN[name]
        module = load(f"actmem.memory.{entry.module}", f"memory {name}", entry.extra)
        return _spec(name, getattr(module, entry.name), top, entry.privilege)
    if name.startswith("cmd:"):
        command = name.removeprefix("cmd:")
        return MemorySpec(name, "", frozenset(), {}, False, lambda _: ProcessMemory(command))
    return _spec(name, user_class(name, "memory", BUILT_IN, METHODS), top)


METHODS = {"write": "write(turns)", "read": "read(query, budget)"}
"""What a user's memory has to offer."""


def _spec(name: str, cls: Callable[..., Made], top: int | None, privilege: str = "") -> MemorySpec:
    """Return how to make a memory from its class."""
    parameters = signature(cls).parameters
    needs = frozenset(parameters) & frozenset(Parts._fields)
    settings = getattr(cls, "settings", {})
    if not isinstance(settings, dict):
        raise InputError("its settings are no dict", name)
    given: dict[str, Any] = {}
    if "top" in parameters:
        given["top"] = parameters["top"].default if top is None else top
        if given["top"] is Parameter.empty:
            raise InputError("takes top, without a default: give --top", name)
        settings = settings | given
    try:
        canonical(settings)
    except (TypeError, ValueError) as error:
        raise InputError(f"its settings are no JSON data: {error}", name) from None

    def make(parts: Parts) -> Made:
        return cls(**given, **{part: getattr(parts, part)() for part in sorted(needs)})

    return MemorySpec(name, privilege, needs, settings, "top" in parameters, make)
