"""Agents by name: a suite's own, and those of users, a class in a file or a program.

One agent object plays one episode. A user's class is asked to ``decide``; where its constructor has a
parameter ``seed``, it receives the episode's seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from actmem.plugin import seeded, user_class
from actmem.process import FORM, SEED, LineProcess, command_words

LONGEST = 1024 * 1024
"""Most bytes of a program's decision."""

U = TypeVar("U")
A = TypeVar("A")


class AgentSpec(NamedTuple, Generic[U, A]):
    """An agent by name: how to make one for an episode."""

    privilege: str
    make: Callable[[int, U], A]
    """Called with the episode's seed and its unit; only a privileged agent looks at the unit."""


class ProgramAgent:
    """An agent behind ``cmd:PROGRAM``; suites add what it is told and how it decides.

    One process plays one episode, whose seed stands in the environment variable ``ACTMEM_SEED``.
    What it does otherwise than agreed raises ``ProcessError``. How a program is run: see
    ``actmem.process``.
    """

    def __init__(self, command: str, seed: int, seconds: float) -> None:
        """Start the program; raises ``InputError`` where it cannot be started."""
        self._process = LineProcess(
            command, seconds=seconds, longest=LONGEST, environment={SEED: str(seed)}
        )

    def close(self) -> None:
        """Let the program leave, and end it where it does not."""
        self._process.close()


def find_user_agent(
    name: str, known: Iterable[str], program: Callable[[str, int, float], A], seconds: float
) -> AgentSpec[Any, A]:
    """Return the agent that a user names: ``path/to/file.py:Class``, or ``cmd:PROGRAM``.

    A program is made by ``program`` (command, seed, seconds); each of its answers may take so many
    ``seconds``. Raises ``InputError`` for any other name: it lists the ``known`` ones.
    """
    if name.startswith(FORM):
        command = name.removeprefix(FORM)
        command_words(command)
        return AgentSpec("", lambda seed, _: program(command, seed, seconds))
    cls = user_class(name, "agent", known, {"decide": "a method decide(observation)"})
    return AgentSpec("", lambda seed, _: seeded(cls, seed))


def close_agent(agent: object) -> None:
    """Give back what an agent holds at the end of its episode: a program is ended."""
    if isinstance(agent, ProgramAgent):
        agent.close()
