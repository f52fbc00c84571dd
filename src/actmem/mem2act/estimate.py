"""What a run of models would take, before any call: each system is played with a stand-in.

The stand-in replies to every schema with something of middling size, so that the memory's prompts
and the reader's are of about the size that they will have; texts that share words are near each
other. What follows from a reply's content or a text's sense (how often an agent reflects, how deep a
tree grows) is as rough as that.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from actmem.errors import IncompleteError
from actmem.extra import load
from actmem.mem2act.data import Dataset
from actmem.mem2act.reader import CALLS
from actmem.mem2act.record import Wrote
from actmem.mem2act.suite import Mem2ActSuite, unit_file
from actmem.memory.model import STEP
from actmem.memory.open import EmbedderSpec
from actmem.models.chat import Chat, Usage
from actmem.models.estimate import SAID, Estimate, StandIn, estimate, typical
from actmem.models.structured import Schema
from actmem.models.tape import Called
from actmem.run.plan import Manifest
from actmem.run.store import RunFolder

PHASES = ("write", "read", "answer")
"""A memory's own calls while it is written and read, and the reader's."""

STAND_IN = EmbedderSpec(
    "hashed words", {}, lambda: load("actmem.memory.hashed", "an estimate").HashedWords()
)
"""Embeds in place of the run's embedder: without weights, and nothing is sent."""


def estimates(data: Dataset, manifest: Manifest, chats: Mapping[str, Chat]) -> list[Estimate]:
    """Return an estimate for each system, model and phase that calls a model, repeats together.

    Nothing is sent; what memories store meanwhile is deleted. Raises ``IncompleteError`` where a
    memory fails with the stand-in.
    """
    stand_ins = {name: StandIn(chat, _reply) for name, chat in chats.items()}
    repeats = int(manifest.settings["repeats"])
    found: list[Estimate] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = RunFolder.prepare(Path(temporary) / "run", manifest, unit_file(data))
        try:
            suite = Mem2ActSuite(folder, stand_ins, STAND_IN.open)
            for episode in manifest.episodes:
                if episode.repeat or not episode.settings["model"]:
                    continue
                events: list[Any] = []
                footer = suite.play(episode, (), events.append)
                if footer.status == "failed":
                    raise IncompleteError(f"{episode.agent}: {footer.error}")
                setup, model = str(episode.settings["memory"]), str(episode.settings["model"])
                for phase, usage in _by_phase(events).items():
                    if usage.calls:
                        total = sum([usage] * repeats, Usage())
                        steps = repeats * len(data.tasks)
                        found.append(estimate(setup, model, repeats, steps, total, phase))
        finally:
            folder.release()
    return found


def _reply(schema: Schema | None) -> str:
    if schema is None:
        return "What was said."
    value = typical(schema.definition)
    return json.dumps(_as_objects(value) if schema.name in CALLS else value)


def _as_objects(value: Any) -> Any:
    """Return a call with its free texts as JSON objects: the reader may want that behind them."""
    if isinstance(value, dict):
        return {name: _as_objects(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_as_objects(part) for part in value]
    free = isinstance(value, str) and value.startswith(SAID)
    return json.dumps({"": value[len('{"": ""}') :]}) if free else value


def _by_phase(events: Sequence[Any]) -> dict[str, Usage]:
    """Return what an episode's calls took by phase."""
    last = max((place for place, event in enumerate(events) if isinstance(event, Wrote)), default=0)
    total = dict.fromkeys(PHASES, Usage())
    for place, event in enumerate(events):
        if isinstance(event, Called):
            own = "write" if place < last else "read"
            phase = own if event.dialogue.startswith(STEP) else "answer"
            total[phase] += event.completion.usage
    return total
