"""What the PM-Bench paper prints, read once from ``paper.toml``."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct


class Week(Struct, frozen=True):
    """The released week."""

    digest: str
    """SHA-256 of the scenario as this package reads it."""
    models: int
    """How many played it."""


class Grid(Struct, frozen=True):
    """A table as printed: rates in per cent. Setups carry the names of this package."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[float, ...]]

    def row(self, name: str) -> dict[str, float]:
        """Return a row by column; empty where there is no such row."""
        return dict(zip(self.columns, self.rows.get(name, ()), strict=False))


class Paper(Struct, frozen=True):
    """The printed figures."""

    table_1: dict[str, int | str]
    """What the released week is made of."""
    week: Week
    logs: dict[str, str]
    """Setup by its name in the names of released run logs."""
    table_2: Grid
    """By setup."""
    table_3: Grid
    """Set-F1 by model and setup."""
    table_7: Grid
    """Hit rates by setup and channel."""
    figure_4: dict[str, dict[str, float]]
    """Hit rates by slice and setup; the paper does not print all of them."""


@lru_cache(maxsize=1)
def paper() -> Paper:
    """Return the printed figures."""
    path = Path(__file__).parent / "paper.toml"
    return msgspec.convert(tomllib.loads(path.read_text("utf-8")), Paper)
