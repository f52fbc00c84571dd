"""Drawing at random, the same on every Python.

Only ``random.Random.random()`` is used: its sequence for a seed is guaranteed never to change,
which the other methods' are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A source of chance with a name; equal names give equal draws."""

    def __init__(self, name: str) -> None:
        self._random = Random(name).random

    def below(self, number: int) -> int:
        """Return an integer from 0 to ``number - 1``."""
        return int(self._random() * number)

    def between(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def chance(self, share: float) -> bool:
        """Return True with probability ``share``."""
        return self._random() < share

    def pick(self, items: Sequence[T]) -> T:
        """Return one of ``items``, each as likely."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return ``items`` in random order."""
        keyed = [(self._random(), position) for position in range(len(items))]
        return [items[position] for _, position in sorted(keyed)]

    def sample(self, items: Sequence[T], number: int) -> list[T]:
        """Return up to ``number`` different items in random order."""
        return self.shuffled(items)[:number]

    def weighted(self, weights: Sequence[float]) -> int:
        """Return a position with a probability in proportion to its weight."""
        rest = self._random() * sum(weights)
        for position, weight in enumerate(weights):
            rest -= weight
            if rest < 0:
                return position
        return len(weights) - 1

    def spread(self, total: int, places: int, low: int, high: int) -> list[int]:
        """Distribute ``total`` over ``places``, each getting from ``low`` to ``high``.

        The total is brought into what the limits allow.
        """
        counts = [low] * places
        for _ in range(max(0, min(total, high * places) - low * places)):
            open_places = [place for place, count in enumerate(counts) if count < high]
            counts[self.pick(open_places)] += 1
        return counts
