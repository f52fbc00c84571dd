"""Embedders by name: all-MiniLM-L6-v2 in this process, or a model of an endpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from actmem.errors import InputError
from actmem.extra import load
from actmem.memory.embedder import Embedder
from actmem.models.catalogue import find_entry
from actmem.models.endpoint import recorded_url

MINILM = "minilm"


class EmbedderSpec(NamedTuple):
    """An embedder by name: what of it moves a number, and how to open it."""

    name: str
    settings: Mapping[str, Any]
    open: Callable[[], Embedder]
    """Raises ``InputError`` where an extra, weights or a key are missing. Opened once a run."""


def find_embedder(
    name: str = MINILM, *, base_url: str | None = None, key_variable: str = "OPENAI_API_KEY"
) -> EmbedderSpec:
    """Return the embedder that ``name`` means; nothing is loaded or sent.

    ``minilm``, or ``openai/NAME`` at ``base_url``. Raises ``InputError`` for another name.
    """
    if name == MINILM:
        sha256 = find_entry(MINILM).files[0].sha256
        return EmbedderSpec(name, {"model": MINILM, "sha256": sha256}, open_embedder)
    model = name.removeprefix("openai/")
    if model in (name, ""):
        raise InputError(f"no embedder {name!r}: there are {MINILM} and openai/NAME", "--embedder")

    @cache
    def opened() -> Embedder:
        made: Embedder = load("actmem.models.embed_openai", name).EndpointEmbedder(
            model, base_url=base_url, key_variable=key_variable
        )
        return made

    return EmbedderSpec(name, {"model": name, "endpoint": recorded_url(base_url)}, opened)


@cache
def open_embedder() -> Embedder:
    """Load MiniLM once; raises ``InputError`` where the extra or the weights are missing."""
    opened: Embedder = load("actmem.models.embed", "embeddings").Embedder()
    return opened
