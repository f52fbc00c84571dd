"""The setup ``reflexion-memory``: the replies of ``reflexion`` to the prompts of ``memory``."""

from __future__ import annotations

from actmem.models.dialogue import Dialogue
from actmem.trials.agents import reflexion
from actmem.trials.agents.memory import Recalling
from actmem.trials.agents.setups import Seat


class ReflexionRecalling(Recalling):
    """Thinks and reflects on what the store found. What it wrote before is not stored."""

    form = "reflexion"

    def __init__(self, seat: Seat) -> None:
        super().__init__(seat)
        self._schema = reflexion.schema(seat.options)

    def ask(self, dialogue: Dialogue) -> str:
        """Return the action of the model's reply."""
        return reflexion.ask(dialogue, self._schema)
