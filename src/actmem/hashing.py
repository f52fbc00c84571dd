"""Canonical JSON and its digest: equal data has equal bytes, on every machine and Python."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted")


def canonical(value: Any) -> bytes:
    """Return ``value`` (structs, mappings, sequences, scalars) as JSON bytes with sorted keys."""
    return _ENCODER.encode(value)


def digest(value: Any) -> str:
    """Return the SHA-256 of ``canonical(value)`` as 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def digest_files(paths: list[Path]) -> str:
    """Return one SHA-256 over names and contents of ``paths``, whatever their order."""
    total = hashlib.sha256()
    named = [(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths]
    for name, content in sorted(named):
        total.update(f"{name} {content}\n".encode())
    return total.hexdigest()
