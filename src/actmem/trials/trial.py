"""A trial as data: a world, an ongoing task, and one intention with its condition.

``Trigger`` decides from what an observation *shows*, and from nothing else, whether the intention
is due; so a careful reader of the observations can always know. ``Watch`` folds it over an episode.
"""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from actmem.hashing import digest
from actmem.trials.grammar import Call, fold
from actmem.trials.worlds.memory_game import MemoryGameSetup
from actmem.trials.worlds.navigation import NavigationSetup
from actmem.trials.worlds.scheduling import SchedulingSetup
from actmem.trials.worlds.shopping import ShoppingSetup

Subset = Literal["A", "B", "C"]
WorldName = Literal["shopping", "navigation", "scheduling", "memory_game"]
Kind = Literal["time", "event", "mixed"]
WORLDS: tuple[WorldName, ...] = ("shopping", "navigation", "scheduling", "memory_game")
KINDS: dict[Subset, tuple[Kind, ...]] = {
    "A": ("time", "event"),
    "B": ("time", "event", "mixed"),
    "C": ("time", "event", "mixed"),
}
Interference = Literal["none", "distractors", "strong", "same-action"]
Specificity = Literal["exact", "category", "paraphrase"]
Setup = ShoppingSetup | NavigationSetup | SchedulingSetup | MemoryGameSetup


class Shown(Protocol):
    """What a trigger reads of an observation's view."""

    @property
    def time(self) -> int:
        """Clock in minutes, moves made, or rounds finished: the world's measure of time."""

    @property
    def shown(self) -> tuple[str, ...]:
        """Names and remarks that the observation shows and that can be a cue."""


class Trigger(msgspec.Struct, frozen=True, omit_defaults=True):
    """The condition: all parts that are given must hold at once.

    ``at``: the time is this one. ``names``: one of these is shown. ``after``: the time is this or
    later. ``before``: the time is earlier than this. ``nth``: which run of consecutive steps with
    the condition counts (2: "the second time").
    """

    at: int | None = None
    names: tuple[str, ...] = ()
    after: int | None = None
    before: int | None = None
    nth: int = 1

    def holds(self, view: Shown) -> bool:
        """Tell whether ``view`` meets the condition, leaving ``nth`` aside."""
        time = view.time
        if self.at is not None and time != self.at:
            return False
        if self.after is not None and time < self.after:
            return False
        if self.before is not None and time >= self.before:
            return False
        return not self.names or any(name in self.names for name in view.shown)


class Watch:
    """Follows a trigger through an episode: ``see`` each view once, in order."""

    def __init__(self, trigger: Trigger) -> None:
        self.trigger = trigger
        self.runs = 0
        self._holding = False
        self.steps: list[int] = []  # the steps at which the intention was due
        self._step = 0

    def see(self, view: Shown) -> bool:
        """Take in the next step's view; tell whether the intention is due at it."""
        holds = self.trigger.holds(view)
        if holds and not self._holding:
            self.runs += 1
        self._holding = holds
        due = holds and self.runs == self.trigger.nth
        if due:
            self.steps.append(self._step)
        self._step += 1
        return due


class Intended(msgspec.Struct, frozen=True, omit_defaults=True):
    """The intended action. With ``cue`` its argument is whichever of the trigger's names is shown."""

    name: str
    args: tuple[str | int, ...] = ()
    cue: bool = False

    def matches(self, call: Call, trigger: Trigger) -> bool:
        """Tell whether ``call`` is the intended action."""
        if call.name != self.name:
            return False
        if self.cue:
            return any(fold(call.args) == (name.casefold(),) for name in trigger.names)
        return fold(call.args) == fold(self.args)

    def call(self, trigger: Trigger, shown: tuple[str, ...]) -> Call:
        """Return the call to make where ``shown`` stands; with ``cue``, of the name shown first."""
        if not self.cue:
            return Call(self.name, self.args)
        return Call(self.name, (next(name for name in shown if name in trigger.names),))


class Trial(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One unit test. ``intention`` is its text; ``delay`` the step (from 0) at which it is due.

    For a no-go trial (``go`` false) the condition never holds and ``delay`` is the step of the
    strongest near miss. ``trigger``, ``intended`` and the script in ``setup`` are never shown.
    """

    id: str
    subset: Subset
    kind: Kind
    interference: Interference
    specificity: Specificity
    go: bool
    delay: int
    pattern: str
    steps: int
    intention: str
    trigger: Trigger
    intended: Intended
    setup: Setup

    @property
    def world(self) -> WorldName:
        """The name of the world, as the setup's tag gives it."""
        name: WorldName = self.setup.WORLD
        return name

    def digest(self) -> str:
        """Return the hash that binds records of play to this trial."""
        return digest(self)
