"""What a trace of mem2act holds: what was written, read and answered, and the calls of models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from actmem.errors import DivergedError
from actmem.memory.protocol import Passage
from actmem.memory.protocol import Usage as MemoryUsage
from actmem.models.tape import Called
from actmem.trace import Event


class Wrote(Event, frozen=True, tag="wrote", kw_only=True):
    """A session was written to the memory; the last one stands for the end of writing, too."""

    session: int
    turns: int
    tokens: int
    seconds: float
    usage: MemoryUsage = MemoryUsage()


class Read(Event, frozen=True, tag="read", kw_only=True):
    """The passages for a task."""

    qa_id: str
    passages: tuple[Passage, ...]
    seconds: float
    usage: MemoryUsage = MemoryUsage()
    cut: bool = False
    """The memory gave more than the budget."""


class Answered(Event, frozen=True, tag="answer", kw_only=True):
    """The call for a task; ``name`` and ``arguments`` are None where no reply was usable."""

    qa_id: str
    name: str | None
    arguments: dict[str, Any] | None
    invalid: int = 0
    """Replies that could not be used."""
    problem: str = ""


MemEvent = Wrote | Read | Answered | Called


class Record:
    """What a broken-off trace holds beside the replies: an event must repeat it, or is written."""

    def __init__(self, recorded: Sequence[MemEvent], write: Callable[[Event], None]) -> None:
        self._known: Iterator[MemEvent] = iter(e for e in recorded if not isinstance(e, Called))
        self._write = write

    def take(self, event: Wrote | Read | Answered) -> None:
        """Check an event against the record, times aside; beyond its end, write it."""
        known = next(self._known, None)
        if known is None:
            self._write(event)
        elif _timeless(known) != _timeless(event):
            raise DivergedError(f"{type(event).__name__.lower()} is not what was recorded")


def _timeless(event: MemEvent) -> MemEvent:
    if not isinstance(event, Wrote | Read):
        return event
    usage = msgspec.structs.replace(event.usage, seconds=0.0)
    return msgspec.structs.replace(event, seconds=0.0, usage=usage)
