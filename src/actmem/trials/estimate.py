"""What models in setups would take on trials, before any call.

The stand-in waits at each step. Where a memory embeds, all texts are taken to be alike: a prompt's
passages then are as long as the budget allows, as they mostly are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from actmem.extra import load
from actmem.memory.open import EmbedderSpec
from actmem.models.chat import Chat, Usage
from actmem.models.estimate import Estimate, StandIn, estimate, shortest
from actmem.models.structured import Schema
from actmem.models.tape import Tape
from actmem.run.plan import Manifest
from actmem.trials.agents.agent import play
from actmem.trials.agents.player import WAIT
from actmem.trials.agents.setups import SetupOptions, make_agent
from actmem.trials.trial import Trial


def estimates(
    manifest: Manifest,
    trials: Sequence[Trial],
    chats: Mapping[str, Chat],
    options: SetupOptions,
) -> list[Estimate]:
    """Return an estimate for each setup and model of a planned run, in the manifest's order."""
    known = {trial.id: trial for trial in trials}
    planned: dict[tuple[str, str], list[Trial]] = {}
    for episode in manifest.episodes:
        if "setup" in episode.settings:
            key = (episode.settings["setup"], episode.settings["model"])
            planned.setdefault(key, []).append(known[episode.unit])
    return [
        estimate(
            setup,
            model,
            len(units),
            sum(trial.steps for trial in units),
            sum((_usage(setup, chats[model], trial, options) for trial in units), Usage()),
        )
        for (setup, model), units in planned.items()
    ]


def _usage(setup: str, chat: Chat, trial: Trial, options: SetupOptions) -> Usage:
    """Return what one episode takes with the stand-in."""
    tape = Tape()
    alike = msgspec.structs.replace(options, embedder=_ALIKE)
    play(trial, make_agent(setup, trial, StandIn(chat, _waits), tape, alike))
    return tape.usage


def _waits(schema: Schema | None) -> str:
    """Return the shortest reply that waits."""
    assert schema is not None
    return json.dumps(shortest(schema.definition) | {"action": str(WAIT)})


class _Alike:
    """An embedder for which all texts are the same."""

    def __init__(self) -> None:
        self._np = load("numpy", "a setup with a memory")

    def embed(self, texts: Sequence[str]) -> Any:
        """Return the same vector for each text."""
        return self._np.ones((len(texts), 1), self._np.float32)


_ALIKE = EmbedderSpec("stand-in", {}, _Alike)
