"""The setup ``reflexion``: thought, reflection and action in one reply, over the full history.

One call a step: the thought before the action is that of ReAct (Yao et al. 2023), the reflection on
recent actions and the plan that of Reflexion (Shinn et al. 2023; source, section 4.1).
"""

from __future__ import annotations

from actmem.trials.agents.base import Base
from actmem.trials.agents.reply import REFLEXION


class Reflexion(Base):
    """Has the model think and reflect before it acts."""

    form = REFLEXION
