"""``hybrid``: lexical and dense retrieval, fused by reciprocal rank (k = 60).

The first ``DEPTH`` of either ranking take part: a turn far down in both is no candidate.
"""

from __future__ import annotations

from collections.abc import Sequence

from actmem.memory.bm25 import BM25
from actmem.memory.dense import Dense
from actmem.memory.embedder import Embedder
from actmem.memory.protocol import Turn
from actmem.memory.ranking import fuse
from actmem.memory.retriever import TOP, Retriever

DEPTH = 100
"""Places of either ranking that are fused."""


class Hybrid(Retriever):
    """Ranks turns by the fusion of ``bm25`` and ``dense``."""

    def __init__(self, embedder: Embedder, top: int = TOP) -> None:
        super().__init__(top)
        self._lexical = BM25()
        self._dense = Dense(embedder)
        self.turns = self._lexical.turns

    def write(self, turns: Sequence[Turn]) -> None:
        """Keep the turns."""
        self._lexical.write(turns)
        self._dense.write(turns)

    def finish(self) -> None:
        """Build both indices."""
        self._lexical.finish()
        self._dense.finish()

    def rank(self, query: str, limit: int) -> list[int]:
        """Rank by fusion."""
        depth = max(DEPTH, limit)
        return fuse((self._lexical.rank(query, depth), self._dense.rank(query, depth)), limit)
