"""The setup ``base``: one model with its full history."""

from __future__ import annotations

from actmem.models.dialogue import Dialogue
from actmem.trials.agents.reply import PLAIN, ask, rules, schema
from actmem.trials.agents.setups import Seat
from actmem.trials.world import Observation


class Base:
    """Tells the model everything in order and does what it replies.

    The first prompt is pinned: it stays when a long history is pruned.
    """

    form = PLAIN

    def __init__(self, seat: Seat) -> None:
        self._options = seat.options
        self._schema = schema(self.form, seat.options)
        self._dialogue = Dialogue(seat.chat, seat.tape, budget=seat.options.history_tokens)

    def decide(self, observation: Observation) -> str:
        """Tell the model what is new, and return its action."""
        if observation.brief:
            first = rules(self._options, observation.brief, "base", self.form)
            self._dialogue.say(first, role="system", pin="rules")
        self._dialogue.say(self.card(observation))
        return ask(self._dialogue, self._schema)

    def card(self, observation: Observation) -> str:
        """Return a step's message."""
        return self._options.words.fill("base", "step", observation=observation.news)
