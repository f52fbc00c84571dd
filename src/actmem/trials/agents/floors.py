"""Floors and ceiling without a model. All but ``nop`` share one perfect ongoing player.

``ABOUT`` says what each does. A privilege "action" tells the agent which action the intention asks
for, not when; "trial" tells it all.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from actmem.errors import InputError
from actmem.trials.agents.agent import Agent
from actmem.trials.agents.keyword import Keyword
from actmem.trials.agents.player import WAIT, Player
from actmem.trials.grammar import Call
from actmem.trials.trial import Trial, Watch
from actmem.trials.world import Observation, View
from actmem.trials.worlds.shopping import ShoppingView

CHANCE = 0.1  # of acting at a step, for ``random``; about one act in an episode


class Nop:
    """Waits."""

    def decide(self, observation: Observation) -> str:
        """Return ``wait()``."""
        return str(WAIT)


class OngoingOnly:
    """Plays the ongoing task perfectly; ``also`` is where the others put their intended action."""

    def __init__(self) -> None:
        self._player = Player()

    def decide(self, observation: Observation) -> str:
        """Return what ``also`` wants, else the ongoing action."""
        view = observation.view
        self._player.look(view)
        ongoing = self._player.move(view)
        return str(self.also(observation, ongoing) or ongoing)

    def also(self, observation: Observation, ongoing: Call) -> Call | None:
        """Return the action to take instead of ``ongoing``, or ``None``."""
        return None


class Always(OngoingOnly):
    """Does the intended action at the first step and whenever the ongoing task leaves one free."""

    def __init__(self, trial: Trial) -> None:
        super().__init__()
        self._trial = trial

    def also(self, observation: Observation, ongoing: Call) -> Call | None:
        """Act if nothing else is to be done."""
        free = observation.step == 0 or ongoing == WAIT
        return attempt(self._trial, observation.view) if free else None


class RandomMoment(OngoingOnly):
    """Does the intended action once, at a random step."""

    def __init__(self, trial: Trial, rng: random.Random) -> None:
        super().__init__()
        self._trial = trial
        self._rng = rng
        self._done = False

    def also(self, observation: Observation, ongoing: Call) -> Call | None:
        """Act by chance."""
        if self._done or self._rng.random() >= CHANCE:
            return None
        self._done = True
        return attempt(self._trial, observation.view)


class Oracle(OngoingOnly):
    """Knows the condition: does the intended action when it is due, once."""

    def __init__(self, trial: Trial) -> None:
        super().__init__()
        self._trial = trial
        self._watch = Watch(trial.trigger)
        self._done = False

    def also(self, observation: Observation, ongoing: Call) -> Call | None:
        """Act when due."""
        due = self._watch.see(observation.view)
        if self._done or not due:
            return None
        self._done = True
        return self._trial.intended.call(self._trial.trigger, observation.view.shown)


def attempt(trial: Trial, view: View) -> Call | None:
    """Return the intended action as far as it can be done now: "it" is any good not on the list."""
    if not trial.intended.cue:
        return trial.intended.call(trial.trigger, view.shown)
    assert isinstance(view, ShoppingView)
    listed = {item for item, _ in view.entries}
    extra = next((good for good in view.offers if good not in listed), None)
    return None if extra is None else Call("add_item", (extra,))


FLOORS: dict[str, Callable[[Trial, random.Random], Agent]] = {
    "nop": lambda trial, rng: Nop(),
    "ongoing-only": lambda trial, rng: OngoingOnly(),
    "always": lambda trial, rng: Always(trial),
    "random": RandomMoment,
    "keyword": lambda trial, rng: Keyword(),
    "oracle": lambda trial, rng: Oracle(trial),
}
"""Each floor by name: (trial, random generator of the episode) gives the agent."""

ABOUT = {
    "nop": "waits",
    "ongoing-only": "plays the ongoing task perfectly, never the intention",
    "always": "the same, and the intended action at the first step and whenever a step is free",
    "random": "the same, and the intended action once at a random step",
    "keyword": "the same, and the intended action where words and times match by patterns",
    "oracle": "the same, and the intended action when it is due",
}
"""What each floor does, in a line."""

PRIVILEGE = {"always": "action", "random": "action", "oracle": "trial"}
"""What a floor is told beyond the observations; names that are missing are told nothing."""


def floor(name: str, trial: Trial, seed: int = 0) -> Agent:
    """Return the floor ``name`` for one episode of ``trial``; ``InputError`` for other names."""
    if name not in FLOORS:
        raise InputError(f"no floor {name!r}; there are {', '.join(FLOORS)}", "--agent")
    return FLOORS[name](trial, random.Random(f"{seed}:{trial.id}"))
