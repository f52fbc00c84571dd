"""The setup ``pm-prompt``: ``base``, told the intention again at each step (source, section 4.1).

It cannot forget, so what it still fails is not a matter of keeping the intention. Privileged.
"""

from __future__ import annotations

from actmem.trials.agents.base import Base
from actmem.trials.agents.setups import Seat
from actmem.trials.world import Observation


class Reminded(Base):
    """Puts the intention behind each observation."""

    def __init__(self, seat: Seat) -> None:
        super().__init__(seat)
        self._intention = seat.intention

    def card(self, observation: Observation) -> str:
        """Return a step's message, the intention with it."""
        card = super().card(observation)
        reminder = self._options.words.fill("pm-prompt", "reminder", intention=self._intention)
        return f"{card}\n\n{reminder}"
