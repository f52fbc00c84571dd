"""What turns texts into vectors: a protocol, so that tests and users may bring their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from actmem.errors import ProviderError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors, always the same for the same text."""

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return one row of 32-bit floats a text, each of length 1; no row for no text."""
        ...


class WatchedEmbedder:
    """An embedder that keeps its endpoint's failure and goes on failing: a memory may swallow it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.failure: ProviderError | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return what the embedder does; raises ``ProviderError`` where its endpoint has failed."""
        if self.failure is not None:
            raise self.failure
        try:
            return self._embedder.embed(texts)
        except ProviderError as error:
            self.failure = error
            raise
