"""What the retrievers share: turns are kept as they are, and ranked for a query."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from actmem.memory.packing import fit
from actmem.memory.protocol import Passage, Turn, day_of

TOP = 5
"""Turns that a retriever gives back, unless set otherwise."""


def passage(turn: Turn) -> Passage:
    """Return a turn as a passage: its day, so that a reader knows what came later, and who spoke."""
    return Passage(f"{day_of(turn.minute)}, {turn.role}: {turn.text}", (turn.id,))


class Retriever(ABC):
    """Keeps every turn and gives back the best ``top``; a kind of retriever adds ``rank``."""

    def __init__(self, top: int = TOP, show: Callable[[Turn], Passage] = passage) -> None:
        """``show`` words a turn that is given back."""
        self.turns: list[Turn] = []
        self._top = top
        self._show = show

    def write(self, turns: Sequence[Turn]) -> None:
        """Keep the turns; those without text cannot be found and are left out."""
        self.turns.extend(turn for turn in turns if turn.text)

    def read(self, query: str, budget: int) -> list[Passage]:
        """Return the turns that rank best for ``query``."""
        return fit((self._show(self.turns[i]) for i in self.rank(query, self._top)), budget)

    @abstractmethod
    def rank(self, query: str, limit: int) -> list[int]:
        """Return the places in ``turns`` of the best ``limit`` turns, the best first."""
