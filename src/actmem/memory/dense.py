"""``dense``: retrieval over turns by the cosine of sentence embeddings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actmem.memory.embedder import Embedder
from actmem.memory.protocol import Passage, Turn
from actmem.memory.ranking import best
from actmem.memory.retriever import TOP, Retriever, passage


class Dense(Retriever):
    """Ranks turns by cosine. All turns are embedded at once when writing ends."""

    def __init__(
        self,
        embedder: Embedder,
        top: int = TOP,
        show: Callable[[Turn], Passage] = passage,
    ) -> None:
        super().__init__(top, show)
        self._embedder = embedder
        self._vectors: NDArray[Any] | None = None

    def finish(self) -> None:
        """Embed the turns that are new."""
        known = 0 if self._vectors is None else len(self._vectors)
        if known < len(self.turns):
            new = self._embedder.embed([turn.text for turn in self.turns[known:]])
            self._vectors = new if self._vectors is None else np.concatenate([self._vectors, new])

    def rank(self, query: str, limit: int) -> list[int]:
        """Rank by cosine."""
        self.finish()
        if self._vectors is None:
            return []
        return best(self._vectors @ self._embedder.embed([query])[0], limit)
