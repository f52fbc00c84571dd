"""The embedder that all systems share: all-MiniLM-L6-v2, with its cache on disk."""

from __future__ import annotations

from functools import cache

from actmem.memory.embedder import Embedder
from actmem.memory.extra import load


@cache
def open_embedder() -> Embedder:
    """Load the embedder once; raises ``InputError`` where the extra or the weights are missing."""
    opened: Embedder = load("actmem.models.embed", "embeddings").Embedder()
    return opened
