"""Trials in Inspect: the verdicts of our own runner, and a failed trial that passes nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actmem.models.catalogue import is_fetched
from actmem.trials.released import released

from .conftest import mock, own_row, scored, without_model

Evaluate = Callable[..., Any]

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect and what it imports warn

ACTIONS = ["wait()", "add_item('coffee')", "move('east')", "nonsense", "flip(1)", "mark()"]
WORLDS = ("shopping", "navigation", "scheduling", "memory_game")
IDS = [
    next(trial.id for trial in released() if trial.world == world and trial.go == go)
    for world in WORLDS
    for go in (True, False)
    if any(trial.world == world and trial.go == go for trial in released())
]


def as_base(action: str) -> dict[str, Any]:
    return {"reply": {"action": action}}


def as_reflexion(action: str) -> dict[str, Any]:
    return {"reply": {"thought": "hm", "reflection": "well", "action": action}}


BASE = [as_base(action) for action in ACTIONS]
SCRIPTS: dict[str, list[Any]] = {
    "base": BASE,
    "reflexion": [as_reflexion(action) for action in ACTIONS],
    "memory": BASE,
    "pm-prompt": BASE,
}


@pytest.mark.parametrize("setup", SCRIPTS)
def test_inspect_judges_as_our_own_runner_does(
    evaluate: Evaluate, tmp_path: Path, capfd: Any, setup: str
) -> None:
    from actmem.inspect_tasks.trials import trials

    if setup == "memory" and not is_fetched("minilm") and os.environ.get("CI") != "true":
        pytest.skip("needs the weights: actmem fetch model minilm")
    given = [word for name in IDS for word in ("--trial", name)]
    own = own_row("trials", SCRIPTS[setup], tmp_path, capfd, "--setups", setup, *given)
    log = evaluate(trials(setup=setup, trial=tuple(IDS)), mock(SCRIPTS[setup]))
    assert [sample.error for sample in log.samples] == [None] * len(IDS)
    code, row, _ = scored(log, capfd)
    assert (code, without_model(row)) == (0, without_model(own))
    metrics = {name: found.value for name, found in log.results.scores[0].metrics.items()}
    assert metrics["coverage"] == 1.0
    for name in ("accuracy", "miss_rate", "false_alarm_rate"):
        assert metrics[name] == own[name]
    for subset, rates in own["by_subset"].items():
        assert metrics[f"accuracy_{subset}"] == rates["accuracy"]
    assert row["privilege"] == ("intention" if setup == "pm-prompt" else "")


def test_a_failed_trial_passes_nothing(evaluate: Evaluate, capfd: Any) -> None:
    """Silence after a crash would pass a trial whose condition never holds."""
    from actmem.inspect_tasks.trials import trials

    quiet = next(trial.id for trial in released() if not trial.go)
    log = evaluate(trials(trial=quiet), mock([BASE[0], OSError("line cut")]))
    value = log.samples[0].scores["trial_verdict"].value
    assert (value["passed"], value["scored"], value["failed"]) == (0, 0, 1)
    assert log.results.scores[0].metrics["accuracy"].value == 0
    code, row, err = scored(log, capfd)
    assert (code, row["accuracy"], row["failed"]) == (3, 0.0, 1)
    assert "line cut" in err
