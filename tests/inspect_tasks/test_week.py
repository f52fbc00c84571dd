"""The week in Inspect: the counts of our own runner, failures that count, options that are checked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import mock, own_row, scored, without_model

Evaluate = Callable[..., Any]

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect and what it imports warn


def act(*handles: str, choice: str = "A", **more: Any) -> dict[str, Any]:
    reply = {"action": "choose", "choice": choice, "task_ids": handles, "channel": "NONE"}
    return {"reply": {**reply, **more}}


QUERY = {"reply": {"action": "query_state", "choice": "NONE", "task_ids": [], "channel": "email"}}
CLOCK = {"reply": {"action": "check_time", "choice": "NONE", "task_ids": [], "channel": "clock"}}
SCRIPT = [
    act("task_1"), CLOCK, act("task_2", "task_4", choice="B"), "rubbish", act(), QUERY,
    act("task_3", "task_5", "task_1"), act("task_99"), act("task_6", "task_7", "task_8"),
]  # fmt: skip
LEDGER = [
    {"task_id": "task_1", "when": "at noon", "status": "pending", "notes": "take the blue one"}
]


def as_ledger(entry: Any) -> Any:
    return {"reply": entry["reply"] | {"ledger": LEDGER}} if isinstance(entry, dict) else entry


def as_heartbeat(entry: Any) -> Any:
    more = {"heartbeat_enabled": None, "heartbeat_minutes": None}
    return {"reply": entry["reply"] | more} if isinstance(entry, dict) else entry


def evidence(**named: str) -> dict[str, str]:
    return {**named, "evidence": "the card says so"}


REPORT = {
    "queries": [evidence(channel="email"), evidence(channel="clock")],
    "due": [evidence(task_id="task_1")],
    "later": [],
    "must_not_select": [],
}


SCRIPTS: dict[str, list[Any]] = {
    "single": SCRIPT,
    "ledger": [as_ledger(entry) for entry in SCRIPT],
    "heartbeat": [as_heartbeat(entry) for entry in SCRIPT],
    "hierarchy": [
        {"schema": "report", "reply": REPORT},
        {"schema": "reply"} | CLOCK,
        {"schema": "reply"} | act("task_2", "task_3", "task_4", "task_5"),
    ],
}


@pytest.mark.parametrize("setup", SCRIPTS)
def test_inspect_counts_what_our_own_runner_counts(
    evaluate: Evaluate, two_weeks: list[Path], tmp_path: Path, capfd: Any, setup: str
) -> None:
    from actmem.inspect_tasks.week import week

    files = tuple(str(path) for path in two_weeks)
    given = [word for file in files for word in ("--scenario", file)]
    own = own_row("week", SCRIPTS[setup], tmp_path, capfd, "--setups", setup, *given)
    assert own["counts"]["set_tp"] > 0
    assert own["counts"]["set_fp"] > 0
    assert own["invalid"] + own["calls"] > 30
    schema = "native" if setup == "hierarchy" else "auto"
    log = evaluate(week(setup=setup, scenario=files, schema=schema), mock(SCRIPTS[setup]))
    assert [sample.error for sample in log.samples] == [None, None]
    assert log.status == "success"
    values = [sample.scores["week_counts"].value for sample in log.samples]
    for name, number in own["counts"].items():
        assert sum(value[name] for value in values) == number, name
    code, row, _ = scored(log, capfd)
    assert (code, without_model(row)) == (0, without_model(own))
    (score,) = log.results.scores
    assert {name: found.value for name, found in score.metrics.items()} == {
        name: own[name] for name in ("set_f1", "precision", "recall", "hit_rate", "late_rate",
                                     "miss_rate", "cross_day_hit_rate", "update_hit_rate",
                                     "exact_set_rate") if own[name] is not None
    } | {"coverage": 1.0}  # fmt: skip


def test_epochs_are_repeats(
    evaluate: Evaluate, two_weeks: list[Path], tmp_path: Path, capfd: Any
) -> None:
    from actmem.inspect_tasks.week import week

    short = two_weeks[1]
    own = own_row("week", SCRIPT, tmp_path, capfd, "--repeats", 2, "--scenario", short)
    log = evaluate(week(scenario=str(short)), mock(SCRIPT), epochs=2)
    assert log.results.scores[0].metrics["set_f1"].value == own["set_f1"]
    code, row, _ = scored(log, capfd)
    assert (code, without_model(row)) == (0, without_model(own))
    assert row["planned"] == 2


@pytest.mark.parametrize("last", [ConnectionError("nobody there"), "rubbish"])
def test_a_failed_week_counts_as_empty_acts(
    evaluate: Evaluate, two_weeks: list[Path], tmp_path: Path, capfd: Any, last: Any
) -> None:
    """One week ends well; the other's model fails after a few steps, or never answers validly."""
    from actmem.inspect_tasks.week import week

    first, second = (json.loads(path.read_bytes()) for path in two_weeks)
    opening = second["days"][0]["steps"][0]["text"]
    assert opening not in json.dumps(first)
    good = mock(SCRIPT)
    bad = mock([last] if isinstance(last, str) else [*SCRIPT[:3], last])

    from inspect_ai.model import get_model

    def reply(messages: list[Any], *rest: Any) -> Any:
        model = bad if any(opening in m.text for m in messages) else good
        return model.api.outputs(messages, *rest)

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    log = evaluate(week(scenario=tuple(str(path) for path in two_weeks)), model)
    assert log.status == "error"
    assert [sample.error is None for sample in log.samples] == [True, False]
    assert log.results.scores[0].metrics["coverage"].value == 0.5
    code, row, err = scored(log, capfd)
    assert (code, row["planned"], row["scored"], row["failed"]) == (3, 2, 1, 1)
    assert ("nobody there" if isinstance(last, Exception) else "not one valid act") in err
    assert log.results.scores[0].metrics["set_f1"].value == row["set_f1"]
    counts = [sample.scores["week_counts"].value for sample in log.samples]
    assert counts[1]["set_fn"] > 0
    pooled = sum(c["set_tp"] for c in counts) * 2
    total = pooled + sum(c["set_fp"] + c["set_fn"] for c in counts)
    assert row["set_f1"] == pooled / total
