"""Memory game: pairs of cards face down, two turned a round, four bells, a host who talks.

The deck is dealt in the order of turning: the k-th card number that is turned for the first time
shows the k-th name of the script. To the player this is a shuffled table; to the maker of a trial
it means that a cue comes up at a known time, wherever the player starts.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from actmem.trials.grammar import Call, Signature
from actmem.trials.worlds.outcome import WAITED, Outcome

BELLS = ("red", "blue", "green", "white")


class MemoryGameSetup(msgspec.Struct, frozen=True, tag="memory_game"):
    """``deck``: names in the order in which new cards come up, each name twice.

    ``remarks``: per step what the host says ('' nothing).
    """

    WORLD: ClassVar[Literal["memory_game"]] = "memory_game"
    deck: tuple[str, ...]
    remarks: tuple[str, ...]


class MemoryGameView(msgspec.Struct, frozen=True):
    """What a step shows. ``time`` counts finished rounds; ``up`` is (card number, name)."""

    time: int
    remark: str
    down: tuple[int, ...]
    up: tuple[tuple[int, str], ...]
    pairs: int
    wanted: int

    @property
    def shown(self) -> tuple[str, ...]:
        """The names that lie face up, then what the host says."""
        names = tuple(name for _, name in self.up)
        return (*names, self.remark) if self.remark else names

    def text(self) -> str:
        """Return the observation."""
        up = ", ".join(f"{number} = {name}" for number, name in self.up)
        if len(self.up) == 2:
            up += " (a pair)" if self.up[0][1] == self.up[1][1] else " (no pair)"
        said = f"\nThe host says: {self.remark}" if self.remark else ""
        return (
            f"Rounds finished: {self.time}\nPairs found: {self.pairs} of {self.wanted}\n"
            f"Face up: {up or 'none'}\nFace down: {' '.join(map(str, self.down)) or 'none'}{said}"
        )


class MemoryGame:
    """The table: ``flip`` turns a card; the two of a round lie open until the next is turned."""

    SIGNATURES: ClassVar[dict[str, Signature]] = {"flip": (int,), "ring": (str,), "wait": ()}
    EXTRA: ClassVar = frozenset({"ring"})

    def __init__(self, setup: MemoryGameSetup) -> None:
        self._setup = setup
        self._step = 0
        self._rounds = 0
        self._names: dict[int, str] = {}
        self._up: list[int] = []
        self._gone: set[int] = set()

    def view(self) -> MemoryGameView:
        """Return what this step shows."""
        size = len(self._setup.deck)
        hidden = self._gone.union(self._up)
        down = tuple(n for n in range(1, size + 1) if n not in hidden)
        up = tuple((n, self._names[n]) for n in self._up)
        remark = self._setup.remarks[self._step]
        return MemoryGameView(self._rounds, remark, down, up, len(self._gone) // 2, size // 2)

    def act(self, call: Call | None) -> Outcome:
        """Play one step."""
        self._step += 1
        if call is None or call.name == "wait":
            return WAITED
        if call.name == "ring":
            colour = str(call.args[0]).casefold()
            if colour not in BELLS:
                return Outcome(f"The bells are {', '.join(BELLS)}.")
            return Outcome(f"The {colour} bell rings.", True)
        return self._flip(int(call.args[0]))

    def _flip(self, number: int) -> Outcome:
        if not 1 <= number <= len(self._setup.deck) or number in self._gone:
            return Outcome("There is no such card on the table.")
        if number in self._up and len(self._up) == 1:
            return Outcome("That card lies face up already.")
        if len(self._up) == 2:
            self._up = []
        self._up.append(number)
        if number not in self._names:
            self._names[number] = self._setup.deck[len(self._names)]
        name = self._names[number]
        if len(self._up) == 2:
            self._rounds += 1
            if self._names[self._up[0]] == name:
                self._gone.update(self._up)
                return Outcome(f"Card {number} is {name}: a pair!", True, True)
        return Outcome(f"Card {number} is {name}.", True, True)

    def goals(self) -> tuple[int, int]:
        """Return pairs found, and all pairs."""
        return len(self._gone) // 2, len(self._setup.deck) // 2
