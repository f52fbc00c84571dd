"""What the Mem2ActBench paper prints, read from ``paper.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
from msgspec import Struct


class Figure(Struct, frozen=True, forbid_unknown_fields=True):
    """One printed figure."""

    what: str
    metric: str
    value: float
    """In per cent."""


def figures() -> list[Figure]:
    """Return the printed figures in their order."""
    path = Path(__file__).parent / "paper.toml"
    return msgspec.convert(tomllib.loads(path.read_text("utf-8"))["figures"], list[Figure])
