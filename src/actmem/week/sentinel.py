"""Weeks whose hidden strings carry a word to look for: what no agent may see is marked."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from actmem.week.scenario import Scenario, dump

HIDDEN = frozenset({
    "id", "task_id", "cue_id", "new_cue_id", "label", "new_label", "depends_on", "encoding",
    "archetype", "cues", "scenario_name", "version", "content",
})  # fmt: skip
"""Fields of a scenario's file whose text reaches no observation."""


def marked(scenario: Scenario, word: str) -> Scenario:
    """Return the scenario with ``word`` at the end of every hidden string.

    Ids and what refers to them are marked alike, so that the week stays sound.
    """
    return msgspec.convert(_marked(json.loads(dump(scenario)), word), Scenario)


def _marked(value: Any, word: str, key: str = "") -> Any:
    if isinstance(value, dict):
        kept = {name: _marked(part, word, name) for name, part in value.items()}
        event = {"id", "text"} <= kept.keys() and "options" not in kept
        return kept | {"meta": {word: word}} if event else kept
    if isinstance(value, list):
        return [_marked(part, word, key) for part in value]
    hidden = key in HIDDEN and isinstance(value, str) and value != "start"
    return f"{value}{word}" if hidden else value
