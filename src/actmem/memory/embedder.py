"""What turns texts into vectors: a protocol, so that tests and users may bring their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors, always the same for the same text."""

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return one row of 32-bit floats a text, each of length 1; no row for no text."""
        ...
