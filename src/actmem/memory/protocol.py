"""What a memory is: it is written to, turn by turn, and asked with queries.

One history a data set: every system is given the same turns in the same order, two at a time, and
is then read. Reading changes nothing: the same query gets the same answer whatever was asked in
between. A query and what is right for it are never written.

A memory's class is called with what it names among its parameters:

============  ==================================================================================
``embedder``  the shared embedder (``embedder.Embedder``)
``model``     the run's chat model over the episode's tape (``model.Model``); a run without one
              is refused
``folder``    an empty folder of the episode's own (``pathlib.Path``), for what a memory stores
============  ==================================================================================

It may have more than ``write`` and ``read``:

- ``finish()`` is called once, after the last turn.
- ``close()`` is called at the end, whatever happened; what is open is closed then.
- ``usage()`` returns what calls took that did not go through ``model`` (``Usage``).
- ``settings``, an attribute of the class: JSON data on whatever moves its results (constants,
  digests of prompts, versions of libraries). They stand in the manifest, in the trace and in the
  results; a text ``note`` among them is shown below every table.

Calls go through ``model`` alone, and each reply is on disk before the memory sees it. A write that
broke off is therefore taken up by writing the same turns to a new object, in an emptied folder: the
tape answers what was answered before, and the model is asked from there on. This takes a memory
that asks the same questions in the same order for the same turns: one call at a time, and neither
the clock nor random ids in a prompt.

What a memory raises fails its episode, which a further run goes on with. A failure of the model
does so even where the memory swallows the exception.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct, ValidationError, convert
from msgspec.structs import asdict

from actmem.models.chat import clean

BUDGET = 512
"""Tokens of the passages for one query, unless set otherwise."""
PAIR = 2
"""Turns that one call of ``write`` brings; a session's last call may bring fewer."""
DAY = 1440
"""Minutes between the beginnings of two sessions: the format has no times."""


def day_of(minute: int) -> str:
    """Return the day of a minute as passages name it, so that a reader knows what came later."""
    return f"day {minute // DAY + 1}"


_DAY_OF = re.compile(r"^(?:up to )?day \d+(?:, \w+)?: ")


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

    @property
    def said(self) -> str:
        """The text without the day and speaker before it, whose numbers nobody said."""
        return _DAY_OF.sub("", self.text)


@runtime_checkable
class Memory(Protocol):
    """What every memory system does; the module's text says what it may do beyond."""

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
    invalid: int = 0
    """Replies that could not be used."""
    seconds: float = 0.0
    """From the calls to their replies."""

    def __add__(self, other: Usage) -> Usage:
        """Add up."""
        return Usage(
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.invalid + other.invalid,
            round(self.seconds + other.seconds, 6),
        )

    def __sub__(self, other: Usage) -> Usage:
        """Return what was used since ``other``."""
        return self + Usage(-other.calls, -other.tokens, -other.invalid, -other.seconds)


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

    Lone surrogates, which no trace can hold, become U+FFFD. Raises ``TypeError`` for anything else,
    turns that are no whole numbers included.
    """
    if isinstance(given, str | Passage) or not isinstance(given, Sequence):
        raise TypeError(f"read must return a list of passages or texts, not {type(given).__name__}")
    found = []
    for part in given:
        if not isinstance(part, str | Passage):
            raise TypeError(f"a passage is a Passage or text, not {type(part).__name__}")
        text, turns = (part, ()) if isinstance(part, str) else (part.text, part.turns)
        if not isinstance(turns, Sequence) or {type(turn) for turn in turns} - {int}:
            raise TypeError(f"a passage's turns are whole numbers, not {turns!r:.60}")
        found.append(Passage(clean(text), tuple(turns)))
    return found


def as_usage(given: Any) -> Usage:
    """Return what a memory told of its calls; raises ``TypeError`` where that is no ``Usage``."""
    if not isinstance(given, Usage):
        raise TypeError(f"usage must return a Usage, not {type(given).__name__}")
    try:
        return convert(asdict(given), Usage)
    except ValidationError as error:
        raise TypeError(f"usage returned no numbers: {error}") from None
