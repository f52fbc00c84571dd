"""Who plays trials: built-in floors by name, a class of one's own from a file, or a program.

Models play in setups (``setups``).

An agent is a class with ``decide(observation) -> str``; ``observation.text`` is all that a model
reads, ``observation.view`` the same facts as data. One object plays one episode. Where its
constructor has a parameter ``seed``, it receives the episode's seed. A program gets the same as a
line of JSON (``process``).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from actmem.plugin import seeded, user_class
from actmem.process import FORM, SECONDS, command_words
from actmem.trials.agents.agent import Agent
from actmem.trials.agents.floors import FLOORS, PRIVILEGE
from actmem.trials.trial import Trial


class AgentSpec(NamedTuple):
    """An agent by name. ``make`` takes the episode's seed and its trial.

    Only floors with a ``privilege`` look at the trial; a class from a file or a program never gets it.
    """

    name: str
    privilege: str
    make: Callable[[int, Trial], Agent]


def find_agent(name: str, seconds: float = SECONDS) -> AgentSpec:
    """Return the agent that ``name`` means.

    A floor, ``path/to/file.py:Class``, or ``cmd:PROGRAM`` (see ``process``), each of whose answers
    may take so many ``seconds``.
    """
    if name in FLOORS:
        build = FLOORS[name]
        return AgentSpec(
            name,
            PRIVILEGE.get(name, ""),
            lambda seed, trial: build(trial, random.Random(f"{seed}:{trial.id}")),
        )
    if name.startswith(FORM):
        from actmem.trials.agents.process import ProcessAgent

        command = name.removeprefix(FORM)
        command_words(command)
        return AgentSpec(name, "", lambda seed, _: ProcessAgent(command, seed, seconds))
    cls = user_class(name, "agent", FLOORS, {"decide": "a method decide(observation)"})
    return AgentSpec(name, "", lambda seed, _: seeded(cls, seed))


def close_agent(agent: Agent) -> None:
    """Give back what an agent holds at the end of its episode: a program is ended."""
    from actmem.trials.agents.process import ProcessAgent

    if isinstance(agent, ProcessAgent):
        agent.close()
