"""Embeddings that are kept on disk, in one SQLite file a model: the same texts come back in every run."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from actmem.errors import InputError


def text_key(text: str) -> bytes:
    """Return the digest by which a text's vector is kept."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


class VectorCache:
    """Vectors of 32-bit floats by ``text_key``; for several threads and processes.

    What the file refuses (a full disk, bytes that are no database) is an ``InputError``.
    """

    def __init__(self, path: Path, dimensions: int | None = None) -> None:
        """Open or make the file. ``dimensions`` None takes vectors of any width."""
        self._path = path
        self._dimensions = dimensions
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot be used: {error.strerror}", path.parent) from None
        with self._open() as base:
            base.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB)")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Give the file, of which all or nothing is then written (a full disk: nothing)."""
        try:
            with closing(sqlite3.connect(self._path, timeout=60)) as base, base:
                yield base
        except sqlite3.Error as error:
            raise InputError(f"cannot be used: {error}", self._path) from None

    def read(self, keys: set[bytes]) -> dict[bytes, bytes]:
        """Return the known vectors; one of a wrong size is taken for unknown."""
        found: dict[bytes, bytes] = {}
        wanted = sorted(keys)
        with self._open() as base:
            for start in range(0, len(wanted), 500):
                part = wanted[start : start + 500]
                marks = ",".join("?" * len(part))
                query = f"SELECT text, vector FROM vectors WHERE text IN ({marks})"  # noqa: S608
                rows = base.execute(query, part)
                found.update({k: v for k, v in rows if self._fits(v)})
        return found

    def _fits(self, vector: bytes) -> bool:
        if self._dimensions is None:
            return bool(vector) and len(vector) % 4 == 0
        return len(vector) == 4 * self._dimensions

    def write(self, vectors: dict[bytes, bytes]) -> None:
        """Keep vectors."""
        with self._open() as base:
            base.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", vectors.items())
