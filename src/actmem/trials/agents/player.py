"""The perfect player of the ongoing tasks. It reads views alone and knows of no intention."""

from __future__ import annotations

from actmem.trials.grammar import Call
from actmem.trials.world import View
from actmem.trials.worlds.memory_game import MemoryGameView
from actmem.trials.worlds.navigation import NavigationView
from actmem.trials.worlds.scheduling import SchedulingView
from actmem.trials.worlds.shopping import ShoppingView

WAIT = Call("wait")


class Player:
    """One episode of perfect ongoing play: ``look`` at every view, then ask for the ``move``."""

    def __init__(self) -> None:
        self._cards: dict[int, str] = {}

    def look(self, view: View) -> None:
        """Take in what a step shows; only cards need remembering."""
        if isinstance(view, MemoryGameView):
            self._cards.update(view.up)

    def move(self, view: View) -> Call:
        """Return the action that the ongoing task wants now; ``wait()`` where it wants none."""
        match view:
            case ShoppingView():
                offered = set(view.offers)
                return next(
                    (
                        Call("add_item", (i,))
                        for i, done in view.entries
                        if not done and i in offered
                    ),
                    WAIT,
                )
            case NavigationView():
                return _towards(view)
            case SchedulingView():
                return view.requests[0] if view.requests else WAIT
            case MemoryGameView():
                return self._turn(view)

    def _turn(self, view: MemoryGameView) -> Call:
        """Complete a known pair where there is one, else turn the next new card."""
        table = sorted((*view.down, *(n for n, _ in view.up))) if len(view.up) == 1 else view.down
        if len(view.up) == 2 and view.up[0][1] != view.up[1][1]:
            table = tuple(sorted((*view.down, *(n for n, _ in view.up))))
        if not table:
            return WAIT
        if len(view.up) == 1:
            first, name = view.up[0]
            mate = next((n for n in table if n != first and self._cards.get(n) == name), None)
        else:
            mate = self._pair(tuple(table))
        unknown = (n for n in table if n not in self._cards)
        return Call("flip", (mate if mate is not None else next(unknown, table[0]),))

    def _pair(self, table: tuple[int, ...]) -> int | None:
        """Return a card on the table whose mate is known too."""
        seen: dict[str, int] = {}
        for number in table:
            name = self._cards.get(number)
            if name is not None:
                if name in seen:
                    return number
                seen[name] = number
        return None


def _towards(view: NavigationView) -> Call:
    """Return the move that brings the next goal nearer, x first."""
    if not view.goals:
        return WAIT
    (x, y), (a, b) = view.position, view.goals[0]
    if x != a:
        return Call("move", ("east" if a > x else "west",))
    return Call("move", ("north" if b > y else "south",))
