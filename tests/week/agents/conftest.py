"""A week whose hidden strings are marked: what no agent may see carries a word to look for."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from actmem.week.mock import mock
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.scenario import Scenario, dump

SENTINEL = "zzsentinel"
HIDDEN = {
    "id", "task_id", "cue_id", "new_cue_id", "label", "new_label", "depends_on", "encoding",
    "archetype", "cues",
}  # fmt: skip


def _marked(value: Any, key: str = "") -> Any:
    """Mark ids and what refers to them alike, so that the week stays sound."""
    if isinstance(value, dict):
        return {name: _marked(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [_marked(part, key) for part in value]
    hidden = key in HIDDEN and isinstance(value, str) and value != "start"
    return f"{value}{SENTINEL}" if hidden else value


@pytest.fixture(scope="session")
def sentinel() -> str:
    return SENTINEL


@pytest.fixture(scope="session")
def marked_plan() -> WeekPlan:
    value = _marked(json.loads(dump(mock())))
    assert json.dumps(value).count(SENTINEL) > 40
    return prepare(msgspec.convert(value, Scenario))
