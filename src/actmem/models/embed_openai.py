"""Sentence embeddings of an OpenAI-compatible endpoint (extras ``openai`` and ``memory``).

Vectors are kept on disk by text, so that a run that is taken up asks for none of them again and
ranks by the same numbers.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from typing import Any

from actmem.errors import InputError, ProviderError
from actmem.extra import load
from actmem.models import openai
from actmem.models.catalogue import home
from actmem.models.endpoint import DEFAULT_URL, given_url, recorded_url
from actmem.models.keys import read_key, redact
from actmem.models.vector_cache import VectorCache, text_key

BATCH = 64
"""Most texts of one request."""


class EndpointEmbedder:
    """Turns texts into unit vectors. May be called from several threads; one asks at a time."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key_variable: str = "OPENAI_API_KEY",
        limits: openai.Limits | None = None,
    ) -> None:
        """Make the client; nothing is sent yet.

        Raises ``InputError`` where an extra, the key or a usable URL is missing.
        """
        self.name = f"openai/{model}"
        self._np: Any = load("numpy", self.name)
        given = given_url(base_url)
        self._url = recorded_url(base_url)
        self._key = read_key(key_variable)
        if self._key is None and not given:
            raise InputError(
                "is not set; put the key there, or give --base-url for a server that needs none",
                f"environment variable {key_variable}",
            )
        self._model = model
        limits = limits or openai.Limits()
        client = openai.client(given or DEFAULT_URL, self._key, limits)
        self._client: Any = client.with_options(
            max_retries=limits.retries, timeout=limits.attempt_seconds
        )
        self._lock = threading.Lock()
        mark = hashlib.sha256(f"{self._url} {model}".encode()).hexdigest()[:12]
        self._cache = VectorCache(home() / "embeddings" / f"endpoint-{mark}.sqlite")

    def embed(self, texts: Sequence[str]) -> Any:
        """Return one row of 32-bit floats a text, each of length 1.

        Raises ``ProviderError`` where the endpoint gives none after all retries.
        """
        keys = [text_key(text) for text in texts]
        with self._lock:
            known = self._cache.read(set(keys))
            wanted = {k: t for k, t in zip(keys, texts, strict=True) if k not in known}
            items = [*wanted.items()]
            for start in range(0, len(items), BATCH):
                part = dict(items[start : start + BATCH])
                fresh = dict(zip(part, self._ask([*part.values()]), strict=True))
                self._cache.write(fresh)
                known.update(fresh)
        rows = [self._np.frombuffer(known[key], "<f4") for key in keys]
        if len({len(row) for row in rows}) > 1:
            raise ProviderError(f"{self.name} at {self._url}: vectors of different widths")
        return self._np.stack(rows) if rows else self._np.zeros((0, 0), self._np.float32)

    def _ask(self, texts: list[str]) -> list[bytes]:
        """Ask for vectors, and return them as bytes, of length 1."""
        # Endpoints refuse lone surrogates and empty texts.
        sent = [text.encode("utf-8", "replace").decode() or " " for text in texts]
        try:
            raw = self._client.embeddings.with_raw_response.create(
                model=self._model, input=sent, encoding_format="float"
            )
            data = json.loads(raw.http_response.content)["data"]
            ordered = sorted(data, key=lambda one: int(one["index"]))
            rows = self._np.array([one["embedding"] for one in ordered], self._np.float32)
        except (ValueError, LookupError, TypeError) as error:
            raise self._failed(f"the answer holds no embeddings: {error}") from None
        except Exception as error:  # whatever the client raises is the endpoint's failure
            raise self._failed(f"{type(error).__name__}: {error}") from None
        norms = self._np.linalg.norm(rows, axis=-1, keepdims=True) if rows.ndim == 2 else None
        if norms is None or len(rows) != len(texts) or not (norms > 0).all():
            raise self._failed(f"the answer holds no {len(texts)} vectors")
        return [row.astype("<f4").tobytes() for row in rows / norms]

    def _failed(self, cause: str) -> ProviderError:
        line = redact(" ".join(cause.split())[:200], self._key)
        return ProviderError(f"{self.name} at {self._url}: {line}")
