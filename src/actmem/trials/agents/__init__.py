"""Who plays trials: built-in floors by name, or a class of one's own from a file.

Models play in setups (``setups``).

An agent is a class with ``decide(observation) -> str``; ``observation.text`` is all that a model
reads, ``observation.view`` the same facts as data. One object plays one episode. Where its
constructor has a parameter ``seed``, it receives the episode's seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import NamedTuple

from actmem.errors import InputError
from actmem.plugin import load_class
from actmem.trials.agents.agent import Agent
from actmem.trials.agents.floors import FLOORS, PRIVILEGE
from actmem.trials.trial import Trial


class AgentSpec(NamedTuple):
    """An agent by name. ``make`` takes the episode's seed and its trial.

    Only floors with a ``privilege`` look at the trial; a class from a file never gets it.
    """

    name: str
    privilege: str
    make: Callable[[int, Trial], Agent]


def find_agent(name: str) -> AgentSpec:
    """Return the agent that ``name`` means: a floor, or ``path/to/file.py:Class``."""
    if name in FLOORS:
        build = FLOORS[name]
        return AgentSpec(
            name,
            PRIVILEGE.get(name, ""),
            lambda seed, trial: build(trial, random.Random(f"{seed}:{trial.id}")),
        )
    path, colon, class_name = name.rpartition(":")
    if not colon or not path.endswith(".py"):
        known = ", ".join(FLOORS)
        raise InputError(f"no agent {name!r}: there are {known}, or give path/to/file.py:Class")
    needed = {"decide": "a method decide(observation)"}
    made = load_class(Path(path).resolve(), class_name, "agent", needed)
    return AgentSpec(name, "", lambda seed, _: make_agent(made, seed))


def make_agent(made: Callable[..., Agent], seed: int) -> Agent:
    """Make an agent of a user's class; a parameter named ``seed`` receives the episode's seed."""
    return made(seed=seed) if "seed" in signature(made).parameters else made()
