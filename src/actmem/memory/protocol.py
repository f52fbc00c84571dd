"""What a memory is: it is written to, turn by turn, and asked with queries.

One history a data set: every system is given the same turns in the same order, two at a time, and
is then read. Reading changes nothing: the same query gets the same answer whatever was asked in
between. A query and what is right for it are never written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

BUDGET = 512
"""Tokens of the passages for one query, unless set otherwise."""
PAIR = 2
"""Turns that one call of ``write`` brings; a session's last call may bring fewer."""
DAY = 1440
"""Minutes between the beginnings of two sessions: the format has no times."""


class Turn(Struct, frozen=True):
    """One turn of the history, as a memory sees it."""

    id: int
    """Number in the history, from 0; ``Passage.turns`` refers to it."""
    session: int
    """Number of the session, from 0."""
    minute: int
    """When it was said: a session counts a day, a turn a minute."""
    role: str
    """``user``, ``assistant`` or ``tool``."""
    text: str
    """What was said, tool calls included."""


class Passage(Struct, frozen=True):
    """One piece of what a memory gives back, the best first."""

    text: str
    turns: tuple[int, ...] = ()
    """The turns that it comes from, where the memory knows them."""


@runtime_checkable
class Memory(Protocol):
    """What every memory system does.

    A memory that calls a model may have a method ``usage()`` that returns what the calls took so
    far (``Usage``), and one that holds resources a method ``close()``.
    """

    def write(self, turns: Sequence[Turn]) -> None:
        """Take in the next turns of the history, all of one session."""
        ...

    def read(self, query: str, budget: int) -> Sequence[Passage]:
        """Return passages for ``query``, the best first, of at most ``budget`` tokens in all."""
        ...


class Usage(Struct, frozen=True):
    """What a memory's calls to a chat model took."""

    calls: int = 0
    tokens: int = 0
    """Read and written."""

    def __sub__(self, other: Usage) -> Usage:
        """Return what was used since ``other``."""
        return Usage(self.calls - other.calls, self.tokens - other.tokens)


class Evidence(Struct, frozen=True):
    """What a task rests on: for privileged systems and for measuring, never for a memory."""

    query: str
    facts: tuple[str, ...]
    """The gold chain as text, a passage each."""
    turns: tuple[tuple[int, ...], ...]
    """For each fact the turns that state it; empty where the history does not hold it."""
    sessions: tuple[int, ...] = ()
    """Sessions that hold any of those turns."""


class Privileged(Protocol):
    """A system that is told the evidence: a bound, not a memory. It is labelled in every table."""

    def write(self, turns: Sequence[Turn]) -> None:
        """Take in the next turns of the history."""
        ...

    def read_evidence(self, evidence: Evidence, budget: int) -> Sequence[Passage]:
        """Return passages made from the evidence, of at most ``budget`` tokens in all."""
        ...


def as_passages(given: Any) -> list[Passage]:
    """Return what a memory gave as passages; plain texts are taken too.

    Raises ``TypeError`` for anything else.
    """
    if isinstance(given, str | Passage) or not isinstance(given, Sequence):
        raise TypeError(f"read must return a list of passages or texts, not {type(given).__name__}")
    found = []
    for part in given:
        if not isinstance(part, str | Passage):
            raise TypeError(f"a passage is a Passage or text, not {type(part).__name__}")
        found.append(Passage(part) if isinstance(part, str) else part)
    return found
