"""Navigation: a town on a grid, goals to visit in order, landmarks in view, a move counter."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from actmem.trials.grammar import Call, Signature
from actmem.trials.worlds.outcome import WAITED, Outcome

Cell = tuple[int, int]
COMPASS: dict[str, Cell] = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}


class NavigationSetup(msgspec.Struct, frozen=True, tag="navigation"):
    """A ``size`` x ``size`` grid from (0, 0); ``goals`` in order; ``landmarks``: (x, y, name).

    ``remarks``: per step what one notices ('' nothing).
    """

    WORLD: ClassVar[Literal["navigation"]] = "navigation"
    size: int
    start: Cell
    goals: tuple[Cell, ...]
    landmarks: tuple[tuple[int, int, str], ...]
    remarks: tuple[str, ...]


class NavigationView(msgspec.Struct, frozen=True):
    """What a step shows. ``near``: (where, landmark) with where 'here' or a point of the compass."""

    time: int
    remark: str
    position: Cell
    goals: tuple[Cell, ...]
    near: tuple[tuple[str, str], ...]

    @property
    def shown(self) -> tuple[str, ...]:
        """The cell as ``(x, y)``, the landmarks in view, the remark."""
        names = (name for _, name in self.near)
        cell = f"({self.position[0]}, {self.position[1]})"
        return (cell, *names, self.remark) if self.remark else (cell, *names)

    def text(self) -> str:
        """Return the observation."""
        goals = ", ".join(f"({x}, {y})" for x, y in self.goals)
        near = "; ".join(f"{where}: {name}" for where, name in self.near)
        said = f"\nYou notice: {self.remark}" if self.remark else ""
        x, y = self.position
        return (
            f"Moves: {self.time}\nPosition: ({x}, {y})\nGoals left: {goals or 'none'}\n"
            f"In view: {near or 'nothing special'}{said}"
        )


class Navigation:
    """The town: ``move`` goes one cell, ``mark`` marks the cell; reaching the next goal ticks it."""

    SIGNATURES: ClassVar[dict[str, Signature]] = {"move": (str,), "mark": (), "wait": ()}
    EXTRA: ClassVar = frozenset({"mark"})

    def __init__(self, setup: NavigationSetup) -> None:
        self._setup = setup
        self._step = 0
        self._moves = 0
        self._position = setup.start
        self._reached = 0
        self._places: dict[Cell, list[str]] = {}
        for x, y, name in setup.landmarks:
            self._places.setdefault((x, y), []).append(name)

    def view(self) -> NavigationView:
        """Return what this step shows."""
        x, y = self._position
        cells = (("here", (x, y)), *((way, (x + a, y + b)) for way, (a, b) in COMPASS.items()))
        near = tuple((way, name) for way, cell in cells for name in self._places.get(cell, ()))
        goals, remark = self._setup.goals[self._reached :], self._setup.remarks[self._step]
        return NavigationView(self._moves, remark, (x, y), goals, near)

    def act(self, call: Call | None) -> Outcome:
        """Play one step."""
        self._step += 1
        if call is None or call.name == "wait":
            return WAITED
        if call.name == "mark":
            return Outcome("You mark this cell.", True)
        return self._move(str(call.args[0]).casefold())

    def _move(self, way: str) -> Outcome:
        if way not in COMPASS:
            return Outcome("The directions are north, east, south and west.")
        (x, y), (a, b) = self._position, COMPASS[way]
        if not (0 <= x + a < self._setup.size and 0 <= y + b < self._setup.size):
            return Outcome("The town ends here; you cannot go that way.")
        self._position = (x + a, y + b)
        self._moves += 1
        goals = self._setup.goals
        if self._reached < len(goals) and self._position == goals[self._reached]:
            self._reached += 1
            return Outcome(f"You go {way} and reach a goal.", True, True)
        return Outcome(f"You go {way}.", True, True)

    def goals(self) -> tuple[int, int]:
        """Return goals reached, and all goals."""
        return self._reached, len(self._setup.goals)
