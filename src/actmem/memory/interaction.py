"""An interaction: the turns of one write, a user's and the reply to it as a rule, as one text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from actmem.memory.protocol import Passage, Turn, day_of
from actmem.memory.tokens import cut_end


class Interaction(NamedTuple):
    """The turns of one write that hold text."""

    turns: tuple[Turn, ...]

    @classmethod
    def of(cls, turns: Sequence[Turn]) -> Interaction | None:
        """Return the turns as an interaction; None where none holds text."""
        spoken = tuple(turn for turn in turns if turn.text)
        return cls(spoken) if spoken else None

    @property
    def text(self) -> str:
        """Who said what, a turn a paragraph."""
        return "\n".join(f"{turn.role}: {turn.text}" for turn in self.turns)

    @property
    def minute(self) -> int:
        """When it ended."""
        return self.turns[-1].minute

    @property
    def ids(self) -> tuple[int, ...]:
        """The turns' numbers."""
        return tuple(turn.id for turn in self.turns)

    @property
    def day(self) -> str:
        """The day, as passages name it."""
        return day_of(self.minute)

    def passage(self, note: str = "") -> Passage:
        """Return the interaction as a passage, with a note of the memory's own behind it."""
        return Passage(f"{self.day}, {self.text}{note}", self.ids)

    def shown(self, limit: int) -> str:
        """Return the text for a prompt: at most ``limit`` tokens of what was said.

        Each turn has an equal share of them, so that a long one does not hide the other.
        """
        share = limit // len(self.turns)
        return "\n".join(f"{turn.role}: {cut_end(turn.text, share)}" for turn in self.turns)
