"""``long-term``: every turn with its embedding, the nearest by cosine.

The plainest of the paper's seven systems ("Long-term Memory"); the paper states neither its number
of passages nor its order. Here: as many as the budget takes, up to ``TOP``, the nearest first. It
differs from ``dense`` in that it embeds as it is written to, as a memory that lives does, and in
that the budget bounds it sooner than the number.
"""

from __future__ import annotations

from collections.abc import Sequence

from actmem.memory.dense import Dense
from actmem.memory.embedder import Embedder
from actmem.memory.protocol import Turn

TOP = 20
"""Most turns that are given back."""


class LongTerm(Dense):
    """Stores every turn with its embedding."""

    def __init__(self, embedder: Embedder, top: int = TOP) -> None:
        super().__init__(embedder, top)

    def write(self, turns: Sequence[Turn]) -> None:
        """Embed and keep the turns."""
        super().write(turns)
        self.finish()
