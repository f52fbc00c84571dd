"""The live setups with the smallest model, on a week of one short day: plumbing, never a score."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actmem.cli import run_cli
from actmem.models.catalogue import is_fetched
from actmem.models.chat import Usage
from actmem.models.tape import Called
from actmem.trace import Trace, read_trace
from actmem.week.obligations import WeekPlan
from actmem.week.play import Acted, Refused, WeekEvent
from actmem.week.scenario import dump

from .conftest import need

NAME = "smollm2-135m"
SETUPS = ("single", "ledger", "heartbeat-60", "hierarchy")
"""With ``heartbeat`` this model does nothing but switch it, to the limit of every step."""
STEPS = 2


@pytest.fixture
def week(build: Callable[..., WeekPlan], tmp_path: Path) -> Path:
    """A week of two steps, without tasks and channels: every reply is short, whatever the model."""
    plan = build({"opening": ("Today is a quiet day.",), "tasks": {}, "steps": ["08:00", "08:30"]})
    path = tmp_path / "week.json"
    path.write_bytes(dump(msgspec.structs.replace(plan.scenario, state_channels={})))
    return path


def traces(folder: Path) -> dict[str, Trace[Any]]:
    found = (read_trace(path, WeekEvent | Called) for path in (folder / "traces").glob("*.jsonl"))
    return {trace.header.settings["setup"]: trace for trace in found}


def test_each_live_setup_plays_a_day(
    week: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    need(importlib.util.find_spec("xllamacpp") is not None, "needs the extra 'local'")
    need(is_fetched(NAME), f"needs the weights: actmem fetch model {NAME}")
    folder = tmp_path / "run"
    code = run_cli(
        ["run", "week", "--model", f"local:{NAME}", "--setups", ",".join(SETUPS), "--scenario",
         str(week), "--threads", "1", "--window", "4096", "--max-tokens", "64",
         "-o", str(folder), "--json"]
    )  # fmt: skip
    rows = json.loads(capfd.readouterr().out)["rows"]
    assert code == (0 if all(row["scored"] for row in rows) else 3)
    assert [row["setup"] for row in rows] == list(SETUPS)
    for row in rows:  # a model near chance may find no valid act; nothing else may go wrong
        assert row["scored"] or row["errors"][0].startswith("not one valid act in the whole week")
        assert row["calls"] >= STEPS
    for setup, trace in traces(folder).items():
        _check_trace(setup, trace)
    assert run_cli(["score", "run", str(folder), "--json"]) == code
    assert json.loads(capfd.readouterr().out)["rows"] == rows


def _check_trace(setup: str, trace: Trace[Any]) -> None:
    """Every step is played, every reply is JSON unless it was cut off, and prompts are cached."""
    assert sum(isinstance(event, Acted) for event in trace.events) == STEPS
    assert not any(isinstance(event, Refused) for event in trace.events)
    called = [event for event in trace.events if isinstance(event, Called)]
    for event in called:
        assert event.completion.schema_sent == "native"
        assert event.completion.finish == "length" or json.loads(event.completion.text)
    usage = sum((event.completion.usage for event in called), Usage())
    assert not usage.estimated
    if setup != "hierarchy":  # its prompts are made anew for each call
        later = sum((event.completion.usage for event in called[1:]), Usage())
        assert later.cached_tokens > 0.8 * later.prompt_tokens
    assert trace.header.settings["model_settings"]["backend"] == "local"
    assert trace.footer is not None
