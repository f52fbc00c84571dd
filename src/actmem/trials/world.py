"""An episode: one trial being played. The only thing that sees both the world and the agent's text.

Agents get ``Observation`` objects and return one action as text; they never get the episode, the
world or the trial. Free actions (``submit``, ``intend``) are answered here and cost no step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from actmem.errors import ActionError
from actmem.trials.grammar import FREE, Call, parse
from actmem.trials.trial import Trial
from actmem.trials.wording import brief, reply_form
from actmem.trials.worlds.memory_game import MemoryGame, MemoryGameSetup, MemoryGameView
from actmem.trials.worlds.navigation import Navigation, NavigationSetup, NavigationView
from actmem.trials.worlds.outcome import Outcome
from actmem.trials.worlds.scheduling import Scheduling, SchedulingSetup, SchedulingView
from actmem.trials.worlds.shopping import Shopping, ShoppingSetup, ShoppingView

World = Shopping | Navigation | Scheduling | MemoryGame
View = ShoppingView | NavigationView | SchedulingView | MemoryGameView
ONGOING = Shopping.EXTRA | Scheduling.EXTRA
"""The actions that an intention and the ongoing task may ask for alike."""
EXTRA = ONGOING | Navigation.EXTRA | MemoryGame.EXTRA
"""The actions that an intention may ask for; undemanded, they are held against the agent."""
FREE_PER_STEP = 4
"""So many free actions a step are answered; a further one is refused and costs the step."""


def build_world(
    setup: ShoppingSetup | NavigationSetup | SchedulingSetup | MemoryGameSetup,
) -> World:
    """Return the world that ``setup`` describes, at its first step."""
    match setup:
        case ShoppingSetup():
            return Shopping(setup)
        case NavigationSetup():
            return Navigation(setup)
        case SchedulingSetup():
            return Scheduling(setup)
        case MemoryGameSetup():
            return MemoryGame(setup)


@dataclass(frozen=True, slots=True)
class Observation:
    """What an agent gets. ``brief`` is the first prompt, without a form of reply, and '' at all later steps.

    ``reply`` answers the previous action ('' at the start); ``view`` holds what the step shows, the
    same facts as its ``text()``; ``step`` counts from 0.
    """

    step: int
    brief: str
    reply: str
    view: View

    @property
    def text(self) -> str:
        """The whole observation in words; the first one ends its rules with the form of a reply."""
        return f"{self.brief}\n{reply_form()}\n\n{self.news}" if self.brief else self.news

    @property
    def news(self) -> str:
        """The observation without the first prompt: the reply, and what the step shows."""
        return "\n\n".join(part for part in (self.reply, self.view.text()) if part)


class Applied(NamedTuple):
    """One reply as it was understood: ``call`` is ``None`` where it was no legal call."""

    call: Call | None
    outcome: Outcome
    free: bool


class Episode:
    """``reset()`` gives the first observation, ``act(text)`` each further one, until ``done``."""

    def __init__(self, trial: Trial, *, intention: bool = True) -> None:
        """``intention`` false leaves its text out of the first prompt, for the necessity audit."""
        self.trial = trial
        self._with = intention
        self.world = build_world(trial.setup)
        self.step = 0
        self._free = 0
        self.legal = False  # whether any reply so far was a legal call

    @property
    def done(self) -> bool:
        """Whether all steps have been played."""
        return self.step >= self.trial.steps

    def reset(self) -> Observation:
        """Start again and return the first observation."""
        self.world = build_world(self.trial.setup)
        self.step = self._free = 0
        self.legal = False
        return Observation(0, brief(self.trial, intention=self._with), "", self.world.view())

    def act(self, text: str) -> Observation | None:
        """Play one reply; return the next observation, or ``None`` where the episode is over."""
        applied = self.apply(text)
        if self.done:
            return None
        return Observation(self.step, "", applied.outcome.reply, self.world.view())

    def apply(self, text: str) -> Applied:
        """Play one reply without wording what follows. ``ActionError`` after the end."""
        if self.done:
            raise ActionError(
                "step", f"the episode of {self.trial.id} has {self.trial.steps} steps"
            )
        call = parse(text, self.world.SIGNATURES)
        if isinstance(call, str):
            return self._pass(Outcome(call))
        self.legal = True
        if call.name in FREE:
            return self._answer(call)
        self._free = 0
        self.step += 1
        return Applied(call, self.world.act(call), False)

    def _answer(self, call: Call) -> Applied:
        """Answer a free action."""
        said = str(call.args[0])
        if call.name == "submit" and said not in ("done", "abandoned"):
            return self._pass(Outcome("submit takes 'done' or 'abandoned'."))
        if self._free >= FREE_PER_STEP:
            return self._pass(
                Outcome(f"Only {FREE_PER_STEP} such calls fit into a step; it passes.")
            )
        self._free += 1
        reply = f"Noted: {said}." if call.name == "submit" else f"Your intention is noted: {said}"
        return Applied(call, Outcome(reply, True, False), True)

    def _pass(self, outcome: Outcome) -> Applied:
        """Let the step go by with ``outcome`` as the answer."""
        self._free = 0
        self.step += 1
        self.world.act(None)
        return Applied(None, outcome, False)
