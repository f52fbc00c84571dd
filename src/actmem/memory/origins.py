"""Where the memories that a library keeps come from: the turns, and the day of the last of them."""

from __future__ import annotations

from collections.abc import Sequence

from actmem.memory.protocol import DAY, Passage, Turn


class Origins:
    """The turns at which each memory was written, by the library's key for it."""

    def __init__(self) -> None:
        self._turns: dict[str, tuple[int, ...]] = {}
        self._days: dict[str, int] = {}

    def note(self, key: str, turns: Sequence[Turn]) -> None:
        """Note that ``turns`` brought the memory about, or changed it."""
        self._turns[key] = (*self._turns.get(key, ()), *(turn.id for turn in turns))
        self._days[key] = turns[-1].minute // DAY + 1

    def passage(self, key: str, text: str) -> Passage:
        """Return a memory as a passage: with its day, so that a reader knows what came later."""
        return Passage(f"day {self._days[key]}: {text}", self._turns[key])
