"""Seeded choice that gives equal results on every Python: built on ``Random.random()`` alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Choices from one seed text."""

    def __init__(self, seed: str) -> None:
        self._next = random.Random(seed).random

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1."""
        return int(self._next() * n)

    def between(self, low: int, high: int) -> int:
        """Return a number from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        """Return one of ``items``."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return ``items`` in a new order."""
        rest = list(items)
        for last in range(len(rest) - 1, 0, -1):
            other = self.below(last + 1)
            rest[last], rest[other] = rest[other], rest[last]
        return rest

    def sample(self, items: Sequence[T], n: int) -> list[T]:
        """Return ``n`` of ``items`` (all of them where there are fewer), in a new order."""
        return self.shuffled(items)[:n]
