"""Who plays trials: built-in floors by name, a class of one's own from a file, or a program.

Models play in setups (``setups``).

An agent is a class with ``decide(observation) -> str``; ``observation.text`` is all that a model
reads, ``observation.view`` the same facts as data. A program gets the same as a line of JSON
(``process``).
"""

from __future__ import annotations

import random

from actmem.process import SECONDS
from actmem.run.agents import AgentSpec, find_user_agent
from actmem.trials.agents.agent import Agent
from actmem.trials.agents.floors import FLOORS, PRIVILEGE
from actmem.trials.trial import Trial


def find_agent(name: str, seconds: float = SECONDS) -> AgentSpec[Trial, Agent]:
    """Return the agent that ``name`` means: a floor, or a user's (``find_user_agent``)."""
    if name not in FLOORS:
        from actmem.trials.agents.process import ProcessAgent

        return find_user_agent(name, FLOORS, ProcessAgent, seconds)
    build = FLOORS[name]
    return AgentSpec(
        PRIVILEGE.get(name, ""),
        lambda seed, trial: build(trial, random.Random(f"{seed}:{trial.id}")),
    )
