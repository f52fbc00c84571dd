"""Sentence embeddings: all-MiniLM-L6-v2 in numpy (extra ``memory``).

A BERT of six layers is a page of numpy: no torch, no download on import. Vectors have length 1, so
that a dot product is the cosine. They are kept on disk by the text's digest, since the same
sentences come back in every run.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from actmem.extra import load
from actmem.models.catalogue import find_entry, home, locate
from actmem.models.vector_cache import VectorCache, text_key

Array: TypeAlias = Any
"""A numpy array of float32; numpy is part of the extra, so its types are not named here."""

NAME = "minilm"
DIMENSIONS = 384
HEADS = 12
LAYERS = 6
MAX_TOKENS = 256
"""Tokens of a text that are read; what comes after does not count, as the model was trained."""
BATCH = 16
EPSILON = 1e-12


class Embedder:
    """Turns texts into unit vectors. May be called from several threads; one computes at a time."""

    def __init__(self, cache: bool = True) -> None:
        """Load the weights. Raises ``InputError`` where the extra or the files are missing."""
        self._np = load("numpy", NAME)
        tokenizers, safetensors = load("tokenizers", NAME), load("safetensors.numpy", NAME)
        weights, tokenizer = locate(NAME)
        self._weights: dict[str, Array] = safetensors.load_file(weights)
        self._tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()
        self._lock = threading.Lock()
        digest = find_entry(NAME).files[0].sha256
        self._cache = (
            VectorCache(home() / "embeddings" / f"{NAME}-{digest[:12]}.sqlite", DIMENSIONS)
            if cache
            else None
        )
        self.settings: Mapping[str, Any] = {"model": NAME, "sha256": digest}

    def embed(self, texts: Sequence[str]) -> Array:
        """Return one row of 384 numbers a text, each of length 1."""
        keys = [text_key(text) for text in texts]
        with self._lock:
            known: dict[bytes, bytes] = self._cache.read(set(keys)) if self._cache else {}
            wanted = {k: t for k, t in zip(keys, texts, strict=True) if k not in known}
            fresh = self._compute(wanted)
            if self._cache and fresh:
                self._cache.write(fresh)
            known.update(fresh)
        if not keys:
            return self._np.zeros((0, DIMENSIONS), self._np.float32)
        rows = [self._np.frombuffer(known[key], "<f4") for key in keys]
        return self._np.stack(rows)

    def _compute(self, wanted: dict[bytes, str]) -> dict[bytes, bytes]:
        """Embed the texts, those of like length together: padding is work for nothing."""
        # The tokenizer refuses lone surrogates, which JSON can bring.
        texts = [text.encode("utf-8", "replace").decode() for text in wanted.values()]
        encoded = [e.ids for e in self._tokenizer.encode_batch(texts)]
        order = sorted(zip(wanted, encoded, strict=True), key=lambda pair: len(pair[1]))
        vectors: dict[bytes, bytes] = {}
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            rows = self._forward([ids for _, ids in batch]).astype("<f4")
            vectors.update({key: row.tobytes() for (key, _), row in zip(batch, rows, strict=True)})
        return vectors

    def _forward(self, batch: list[list[int]]) -> Array:
        """Run the network over token ids and return the mean over each text's tokens, normed."""
        np, w = self._np, self._weights
        length = max(map(len, batch))
        ids = np.array([row + [0] * (length - len(row)) for row in batch])
        mask = np.array([[1.0] * len(row) + [0.0] * (length - len(row)) for row in batch], "f4")
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][:length]
        x = x + w["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        bias = (mask[:, None, None, :] - 1.0) * np.float32(1e9)
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}"
            x = self._norm(
                x + self._attention(x, bias, f"{at}.attention"), f"{at}.attention.output.LayerNorm"
            )
            hidden = _gelu(np, self._linear(x, f"{at}.intermediate.dense"))
            x = self._norm(x + self._linear(hidden, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        pooled = (x * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        return pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), EPSILON)

    def _attention(self, x: Any, bias: Any, at: str) -> Any:
        np = self._np
        batch, length, width = x.shape
        shape = (batch, length, HEADS, width // HEADS)
        q, k, v = (
            self._linear(x, f"{at}.self.{name}").reshape(shape).transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        scores = q @ k.transpose(0, 1, 3, 2) / np.float32(math.sqrt(width // HEADS)) + bias
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        context = (scores @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
        return self._linear(context, f"{at}.output.dense")

    def _linear(self, x: Any, at: str) -> Any:
        return x @ self._weights[f"{at}.weight"].T + self._weights[f"{at}.bias"]

    def _norm(self, x: Any, at: str) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        scale = self._np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
        return centred / scale * self._weights[f"{at}.weight"] + self._weights[f"{at}.bias"]


def _gelu(np: Any, x: Any) -> Any:
    """GELU with the error function of Abramowitz and Stegun 7.1.26 (off by at most 1.5e-7)."""
    z = np.abs(x) * np.float32(math.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    erf = np.sign(x) * (1 - series * np.exp(-z * z))
    return (0.5 * x * (1 + erf)).astype(np.float32)
