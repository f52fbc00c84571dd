"""One way of writing to and reading from any memory: measured, cut to the budget, and recorded.

The digest of what was written and the budget of every read are kept, so that it can be shown that
systems were compared on the same turns and the same number of tokens.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import Struct

from actmem.hashing import canonical
from actmem.memory.model import Model
from actmem.memory.packing import fit, spent
from actmem.memory.protocol import (
    Evidence,
    Memory,
    Passage,
    Privileged,
    Turn,
    Usage,
    as_passages,
    as_usage,
)
from actmem.memory.tokens import count_tokens


class Counts(Struct, frozen=True, kw_only=True):
    """What a memory was given and what it took."""

    writes: int
    turns: int
    """Turns written."""
    write_tokens: int
    """Tokens of those turns."""
    write_seconds: float
    """Writing, building indices included."""
    write_usage: Usage
    """Model calls while writing."""
    reads: int
    read_tokens: int
    """Tokens of the passages given back, after cutting."""
    read_seconds: tuple[float, ...]
    """Each read's, in order."""
    read_usage: Usage
    over_budget: int
    """Reads that gave more than the budget; they were cut."""
    budgets: tuple[int, ...]
    """The budgets of the reads, each once."""
    received: str
    """SHA-256 over the turns written, in order."""


class Fallible(Protocol):
    """A part of a memory that keeps what went wrong in it."""

    @property
    def failure(self) -> BaseException | None:
        """What went wrong in it first."""


class Metered:
    """A memory with counts. What the memory raises goes through."""

    def __init__(
        self,
        memory: Memory | Privileged,
        model: Model | None = None,
        parts: Sequence[Fallible] = (),
    ) -> None:
        """Take a memory, the model that it was given, if any, and what of its parts may fail."""
        self._memory: Any = memory
        self.model = model
        self.parts = parts
        """What the memory was given and what remembers its own failure, whoever swallows it."""
        self._clock = model.clock if model is not None else time.perf_counter
        self._privileged = not hasattr(memory, "read")
        self._written = hashlib.sha256()
        self._writes = self._turns = self._write_tokens = 0
        self._write_seconds = 0.0
        self._read_tokens = self._over = 0
        self._read_seconds: list[float] = []
        self._budgets: dict[int, None] = {}
        self._write_usage = self._read_usage = Usage()

    def write(self, turns: Sequence[Turn]) -> None:
        """Write the next turns."""
        turns = tuple(turns)
        started = self._clock()
        self._memory.write(turns)
        self._write_seconds += self._clock() - started
        self._writes += 1
        self._turns += len(turns)
        self._write_tokens += sum(count_tokens(turn.text) for turn in turns)
        for turn in turns:
            self._written.update(canonical(turn) + b"\n")
        self._write_usage = self._usage()

    def finish(self) -> None:
        """Say that the history is at its end: a memory with a method ``finish`` builds its index."""
        started = self._clock()
        if hasattr(self._memory, "finish"):
            self._memory.finish()
        self._write_seconds += self._clock() - started
        self._write_usage = self._usage()

    def read(self, evidence: Evidence, budget: int) -> list[Passage]:
        """Read for a task. Only a privileged system is given more of the evidence than its query."""
        started = self._clock()
        if self._privileged:
            given = self._memory.read_evidence(evidence, budget)
        else:
            given = self._memory.read(evidence.query, budget)
        self._read_seconds.append(self._clock() - started)
        passages = as_passages(given)
        size = spent(passages)
        if size > budget:
            self._over += 1
            passages = fit(passages, budget)
            size = spent(passages)
        self._read_tokens += size
        self._budgets[budget] = None
        self._read_usage = self._usage() - self._write_usage
        return passages

    @property
    def counts(self) -> Counts:
        """What was counted so far."""
        return Counts(
            writes=self._writes,
            turns=self._turns,
            write_tokens=self._write_tokens,
            write_seconds=round(self._write_seconds, 6),
            write_usage=self._write_usage,
            reads=len(self._read_seconds),
            read_tokens=self._read_tokens,
            read_seconds=tuple(round(seconds, 6) for seconds in self._read_seconds),
            read_usage=self._read_usage,
            over_budget=self._over,
            budgets=tuple(self._budgets),
            received=self._written.hexdigest(),
        )

    def close(self) -> None:
        """Give back what the memory holds."""
        if hasattr(self._memory, "close"):
            self._memory.close()

    def _usage(self) -> Usage:
        """Return what calls took: those through the model, and what the memory tells of others."""
        own = as_usage(self._memory.usage()) if hasattr(self._memory, "usage") else Usage()
        return own + (self.model.usage if self.model is not None else Usage())
