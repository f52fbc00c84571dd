"""The setup ``reflexion-memory``: the replies of ``reflexion`` to the prompts of ``memory``."""

from __future__ import annotations

from actmem.trials.agents.memory import Recalling
from actmem.trials.agents.reply import REFLEXION


class ReflexionRecalling(Recalling):
    """Thinks and reflects on what the store found. What it wrote before is not stored."""

    form = REFLEXION
