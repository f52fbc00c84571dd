"""The floors: three agents that know nothing. What they score, anybody scores."""

from __future__ import annotations

import random

from actmem.week.world import MAX_HANDLES, Act, Observation


class Nop:
    """Never acts."""

    deterministic = True

    def decide(self, observation: Observation) -> Act:
        """Choose A and nothing else."""
        return Act("A")


class All:
    """Acts on everything that one act may hold: the first eight handles of the menu."""

    deterministic = True

    def decide(self, observation: Observation) -> Act:
        """Choose A and the menu's first handles."""
        return Act("A", tuple(item.handle for item in observation.menu[:MAX_HANDLES]))


class Random:
    """Chooses each handle with the chance that makes it act about as often as tasks are due."""

    deterministic = True

    CHANCE = 0.08
    """About one due task a step among twelve to thirteen handles."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def decide(self, observation: Observation) -> Act:
        """Draw a choice, then each handle."""
        choice = "ABC"[int(self._random.random() * 3)]
        handles = [i.handle for i in observation.menu if self._random.random() < self.CHANCE]
        return Act(choice, tuple(handles[:MAX_HANDLES]))
