"""A week whose hidden strings are marked: what no agent may see carries a word to look for."""

from __future__ import annotations

import pytest

from actmem.week.mock import mock
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.scenario import dump
from actmem.week.sentinel import marked

SENTINEL = "zzsentinel"


@pytest.fixture(scope="session")
def sentinel() -> str:
    return SENTINEL


@pytest.fixture(scope="session")
def marked_plan() -> WeekPlan:
    week = marked(mock(), SENTINEL)
    assert dump(week).decode().count(SENTINEL) > 40
    return prepare(week)
