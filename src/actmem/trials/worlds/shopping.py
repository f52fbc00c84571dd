"""Shopping: a clock, goods that come and go, a list that grows, a cart."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar, Literal

import msgspec

from actmem.trials.grammar import Call, Signature
from actmem.trials.worlds.outcome import WAITED, Outcome, clock


class ShoppingSetup(msgspec.Struct, frozen=True, tag="shopping"):
    """``start`` and ``tick`` in minutes; per step the goods on offer and an announcement ('' none).

    ``entries``: (step from which it stands on the list, item), one piece each.
    """

    WORLD: ClassVar[Literal["shopping"]] = "shopping"
    start: int
    tick: int
    offers: tuple[tuple[str, ...], ...]
    entries: tuple[tuple[int, str], ...]
    remarks: tuple[str, ...]


class ShoppingView(msgspec.Struct, frozen=True):
    """What a step shows. ``entries``: (item, bought); ``bought``: (minute, item) in order."""

    time: int
    remark: str
    offers: tuple[str, ...]
    entries: tuple[tuple[str, bool], ...]
    bought: tuple[tuple[int, str], ...]

    @property
    def shown(self) -> tuple[str, ...]:
        """The goods on offer, then the announcement."""
        return (*self.offers, self.remark) if self.remark else self.offers

    def text(self) -> str:
        """Return the observation."""
        todo = ", ".join(f"{item} ({'bought' if done else 'open'})" for item, done in self.entries)
        cart = Counter(item for _, item in self.bought)
        held = ", ".join(item if n == 1 else f"{item} x{n}" for item, n in cart.items())
        past = ", ".join(f"{clock(minute)} {item}" for minute, item in self.bought)
        said = f"\nAnnouncement: {self.remark}" if self.remark else ""
        return (
            f"Clock: {clock(self.time)}{said}\nOn offer now: {', '.join(self.offers)}\n"
            f"Shopping list: {todo or 'empty'}\nCart: {held or 'empty'}\n"
            f"Purchases so far: {past or 'none'}"
        )


class Shopping:
    """The shop: ``add_item`` takes what is on offer; an open entry of the list is served first."""

    SIGNATURES: ClassVar[dict[str, Signature]] = {"add_item": (str,), "wait": ()}
    EXTRA: ClassVar = frozenset({"add_item"})

    def __init__(self, setup: ShoppingSetup) -> None:
        self._setup = setup
        self._step = 0
        self._done = [False] * len(setup.entries)
        self._bought: list[tuple[int, str]] = []

    def view(self) -> ShoppingView:
        """Return what this step shows."""
        setup, step = self._setup, self._step
        entries = tuple(
            (item, done)
            for (since, item), done in zip(setup.entries, self._done, strict=True)
            if since <= step
        )
        minute = setup.start + step * setup.tick
        return ShoppingView(
            minute, setup.remarks[step], setup.offers[step], entries, tuple(self._bought)
        )

    def act(self, call: Call | None) -> Outcome:
        """Play one step."""
        outcome = WAITED if call is None or call.name == "wait" else self._add(str(call.args[0]))
        self._step += 1
        return outcome

    def _add(self, wanted: str) -> Outcome:
        setup, step = self._setup, self._step
        key = wanted.casefold()
        item = next((good for good in setup.offers[step] if good.casefold() == key), None)
        if item is None:
            return Outcome(f"'{wanted[:60]}' is not on offer now.")
        self._bought.append((setup.start + step * setup.tick, item))
        for i, (since, entry) in enumerate(setup.entries):
            if entry == item and since <= step and not self._done[i]:
                self._done[i] = True
                return Outcome(f"You take {item}, as the list asks.", True, True, True)
        listed = any(entry == item for _, entry in setup.entries)
        return Outcome(f"You take {item}.", True, ongoing=listed)

    def goals(self) -> tuple[int, int]:
        """Return entries of the list that were bought, and all entries."""
        return sum(self._done), len(self._done)
