"""The setup ``base``: one model with its full history, whose reply is the action."""

from __future__ import annotations

import re

from actmem.models.dialogue import Dialogue
from actmem.models.structured import answer
from actmem.trials.agents.setups import Seat, SetupOptions
from actmem.trials.world import Observation

_FENCED = re.compile(r"```[a-z]*\n?(.*?)\n?```|`([^`]*)`", re.DOTALL)


class Base:
    """Tells the model everything in order and does what it replies.

    The first prompt is pinned: it stays when a long history is pruned.
    """

    form = "base"
    """The prompt file that says how replies look."""

    def __init__(self, seat: Seat) -> None:
        self._options = seat.options
        self._dialogue = Dialogue(seat.chat, seat.tape, budget=seat.options.history_tokens)

    def decide(self, observation: Observation) -> str:
        """Tell the model what is new, and return its action."""
        if observation.brief:
            first = rules(self._options, observation.brief, "base", self.form)
            self._dialogue.say(first, role="system", pin="rules")
        self._dialogue.say(self.card(observation))
        return self.ask()

    def card(self, observation: Observation) -> str:
        """Return a step's message."""
        return self._options.words.fill("base", "step", observation=observation.news)

    def ask(self) -> str:
        """Return the model's action."""
        return ask(self._dialogue)


def rules(options: SetupOptions, brief: str, how: str, form: str) -> str:
    """Return the first message; ``how`` and ``form`` name the files that hold these parts."""
    words = options.words
    shape = words.fill(form, "form", characters=options.characters)
    return words.fill("base", "rules", brief=brief, how=words.get(how, "how"), form=shape)


def ask(dialogue: Dialogue) -> str:
    """Return the model's reply as an action; whether it is one, the world says.

    Thinking and the marks of code around the whole reply are no part of it.
    """
    return dialogue.ask(_bare)


def _bare(reply: str) -> str:
    text = answer(reply)
    fenced = _FENCED.fullmatch(text)
    return text if fenced is None else (fenced[1] or fenced[2] or "").strip()
