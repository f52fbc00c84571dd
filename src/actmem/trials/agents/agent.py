"""What plays a trial: ``decide`` gets each observation and returns one action as text."""

from __future__ import annotations

from typing import Protocol

from actmem.errors import IncompleteError
from actmem.trials.trial import Trial
from actmem.trials.world import FREE_PER_STEP, Episode, Observation


class Agent(Protocol):
    """One object an episode. ``decide`` is called once an observation, in order."""

    def decide(self, observation: Observation) -> str:
        """Return one action, such as ``wait()``."""


def play(trial: Trial, agent: Agent, *, intention: bool = True) -> list[str]:
    """Play ``trial`` to its end; return the agent's replies, ready for ``score``.

    ``IncompleteError`` where the agent returns something that is no text. Whatever else it raises
    passes through: the caller decides what a broken agent means.
    """
    episode = Episode(trial, intention=intention)
    observation: Observation | None = episode.reset()
    replies: list[str] = []
    limit = trial.steps * (FREE_PER_STEP + 1)
    while observation is not None and len(replies) < limit:
        reply = agent.decide(observation)
        if not isinstance(reply, str):
            raise IncompleteError(f"{trial.id}: decide returned {type(reply).__name__}, not a text")
        replies.append(reply)
        observation = episode.act(reply)
    return replies
