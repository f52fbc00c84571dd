"""Memory systems by name: the built-in ones, and users' own."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import NamedTuple

from actmem.errors import InputError
from actmem.memory.embedder import Embedder
from actmem.memory.extra import load
from actmem.memory.process import ProcessMemory
from actmem.memory.protocol import Memory, Privileged
from actmem.plugin import load_class


class BuiltIn(NamedTuple):
    """A built-in system: where its class is, what it is, and what it gets beyond the query."""

    module: str
    name: str
    about: str
    privilege: str = ""


BUILT_IN: dict[str, BuiltIn] = {
    "none": BuiltIn("bounds", "Nothing", "no memory: the floor"),
    "full": BuiltIn("bounds", "Full", "the end of the history"),
    "bm25": BuiltIn("bm25", "BM25", "lexical retrieval over turns"),
    "dense": BuiltIn("dense", "Dense", "retrieval over turns by embeddings"),
    "hybrid": BuiltIn("hybrid", "Hybrid", "bm25 and dense, fused by reciprocal rank"),
    "long-term": BuiltIn("long_term", "LongTerm", "every turn with its embedding, the nearest"),
    "oracle-sessions": BuiltIn(
        "bounds", "OracleSessions", "the sessions of the evidence", "is told the evidence"
    ),
    "oracle": BuiltIn("bounds", "Oracle", "the gold chain", "is told the evidence"),
}
"""Built-in systems, in the order in which tables show them."""

Made = Memory | Privileged


class MemorySpec(NamedTuple):
    """A memory by name: what it gets beyond the query, and how to make one."""

    name: str
    privilege: str
    make: Callable[[Callable[[], Embedder]], Made]
    """Called with what opens the embedder, which is opened only where the system has one."""


def find_memory(name: str) -> MemorySpec:
    """Return the memory that ``name`` means.

    A built-in one, ``path/to/file.py:Class``, or ``cmd:PROGRAM`` (see ``process``).

    Raises ``InputError`` for an unknown one, or where the extra ``memory`` is missing.
    """
    if name in BUILT_IN:
        entry = BUILT_IN[name]
        cls = getattr(load(f"actmem.memory.{entry.module}", f"memory {name}"), entry.name)
        return MemorySpec(name, entry.privilege, lambda opened: _make(cls, opened))
    if name.startswith("cmd:"):
        return MemorySpec(name, "", lambda _: ProcessMemory(name.removeprefix("cmd:")))
    path, colon, class_name = name.rpartition(":")
    if not colon or not path.endswith(".py"):
        known = ", ".join(BUILT_IN)
        forms = "path/to/file.py:Class or cmd:PROGRAM"
        raise InputError(f"no memory {name!r}: there are {known}, or give {forms}")
    user = load_class(Path(path), class_name, "memory", METHODS)
    return MemorySpec(name, "", lambda opened: _make(user, opened))


METHODS = {"write": "write(turns)", "read": "read(query, budget)"}
"""What a user's memory has to offer."""


def _make(cls: Callable[..., Made], opened: Callable[[], Embedder]) -> Made:
    """Make a memory; a parameter named ``embedder`` receives the embedder."""
    return cls(embedder=opened()) if "embedder" in signature(cls).parameters else cls()
