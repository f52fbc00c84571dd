"""``bm25``: lexical retrieval over turns (Robertson and others; the library bm25s, 2407.03618).

BM25 as Lucene has it, k1 = 1.5, b = 0.75, the library's defaults; English stop words are left out,
words are not stemmed, single signs count as words (an answer may be "4").
"""

from __future__ import annotations

from collections.abc import Sequence

import bm25s

from actmem.memory.protocol import Turn
from actmem.memory.ranking import best
from actmem.memory.retriever import TOP, Retriever

PATTERN = r"(?u)\b\w+\b"
"""A word of the index."""


class BM25(Retriever):
    """Ranks turns by BM25; a turn that shares no word with the query is never given back."""

    def __init__(self, top: int = TOP) -> None:
        super().__init__(top)
        self._index: bm25s.BM25 | None = None

    def write(self, turns: Sequence[Turn]) -> None:
        """Keep the turns."""
        super().write(turns)
        self._index = None

    def finish(self) -> None:
        """Build the index."""
        if self._index is not None or not self.turns:
            return
        words = bm25s.tokenize(
            [turn.text for turn in self.turns], token_pattern=PATTERN, show_progress=False
        )
        if not words.vocab:  # stop words alone: no query finds them
            return
        index = bm25s.BM25()
        index.index(words, show_progress=False)
        self._index = index

    def rank(self, query: str, limit: int) -> list[int]:
        """Rank by BM25."""
        self.finish()
        if self._index is None:
            return []
        words = bm25s.tokenize(
            [query], token_pattern=PATTERN, return_ids=False, show_progress=False
        )[0]
        known = [word for word in words if word in self._index.vocab_dict]
        return best(self._index.get_scores(known), limit, above=0.0) if known else []
