"""Who plays the week: the agent protocol and the built-in agents that need no model.

An agent decides: ``decide(observation)`` returns a ``Query``, a ``SetHeartbeat``, an ``Act`` or a ``Pass``. It
is asked again with the reply added after a query, with ``error`` set after a refused action, and
with the next step's observation after an act. One agent object plays one episode.
"""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple, Protocol

from actmem.plugin import seeded
from actmem.process import SECONDS
from actmem.run.agents import AgentSpec, find_user_agent
from actmem.week.obligations import WeekPlan
from actmem.week.world import Decision, Observation


class Agent(Protocol):
    """What plays a week."""

    def decide(self, observation: Observation) -> Decision:
        """Return the next action.

        An ``ActionError`` is a refused action; anything else that it raises fails the episode.
        """
        ...


class BuiltIn(NamedTuple):
    """A built-in agent: where its class is, what it is, and what it gets beyond the observation."""

    module: str
    name: str
    about: str
    privilege: str = ""


BUILT_IN: dict[str, BuiltIn] = {
    "nop": BuiltIn("floor", "Nop", "never acts, never asks"),
    "all": BuiltIn("floor", "All", "chooses the first eight handles of every menu"),
    "random": BuiltIn("floor", "Random", "chooses each handle with a small chance"),
    "keyword": BuiltIn(
        "keyword", "Keyword", "matches words and times by patterns, polls everything"
    ),
    "oracle": BuiltIn("oracle", "Oracle", "plays the true due set", "sees the due sets"),
}
"""Floors and ceiling, in the order in which tables show them."""


def find_agent(name: str, seconds: float = SECONDS) -> AgentSpec[WeekPlan, Agent]:
    """Return the agent that ``name`` means: a built-in one, or a user's (``find_user_agent``)."""
    if name not in BUILT_IN:
        from actmem.week.agents.process import ProcessAgent

        return find_user_agent(name, BUILT_IN, ProcessAgent, seconds)
    entry = BUILT_IN[name]
    built_in = getattr(import_module(f"actmem.week.agents.{entry.module}"), entry.name)
    if entry.privilege:
        return AgentSpec(entry.privilege, lambda _, plan: built_in(plan))
    return AgentSpec("", lambda seed, _: seeded(built_in, seed))
