"""The released week, its run logs, and generated weeks with the reference evaluator's counts.

The data stands beside the repository, in ``../shared/reference``; ``ACTMEM_REFERENCE`` names
another place. Without it these tests are skipped.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from actmem.week.menu import PMBENCH_LURES, day_menu, pmbench_lures
from actmem.week.obligations import DayState, WeekPlan, prepare
from actmem.week.pmbench import load_any, read_log, read_week, write_week
from actmem.week.score import METRICS, Row, Score, score

ROOT = Path(__file__).parents[2]
REFERENCE = Path(os.environ.get("ACTMEM_REFERENCE", ROOT.parent / "shared" / "reference"))
RELEASE = REFERENCE / "pmbench-v9"
ADDED = {"clock_queries", "hidden_channel_queries", "stale_acts"}

pytestmark = pytest.mark.skipif(
    not RELEASE.is_dir(), reason=f"no reference data in {REFERENCE}; set ACTMEM_REFERENCE"
)


@pytest.fixture(scope="module")
def released() -> WeekPlan:
    return prepare(load_any(RELEASE / "week.json"))


@pytest.fixture(scope="module")
def raw() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RELEASE / "week.json").read_bytes())
    return found


def _counts(found: Score) -> dict[str, Any]:
    """Return a score as the reference evaluator prints it, without the counts that we add."""
    counts: dict[str, Any] = msgspec.to_builtins(found)
    for metrics in (counts["summary"], *(day["metrics"] for day in counts["per_day"].values())):
        for name in ADDED:
            del metrics[name]
    return counts


def _logs() -> list[str]:
    return sorted(path.stem for path in (RELEASE / "runs").glob("*.jsonl"))


@pytest.mark.parametrize("name", _logs())
def test_a_released_log_has_the_reference_counts(name: str, released: WeekPlan) -> None:
    expected = json.loads((RELEASE / "expected.json").read_bytes())
    found = score(released, read_log(RELEASE / "runs" / f"{name}.jsonl"))
    assert _counts(found) == expected[name]


def test_every_expected_log_is_compared() -> None:
    assert _logs() == sorted(json.loads((RELEASE / "expected.json").read_bytes()))
    assert len(_logs()) == 12


def _weeks() -> list[str]:
    found = (REFERENCE / "differential").glob("*.cases.jsonl.gz")
    return sorted(path.name.removesuffix(".cases.jsonl.gz") for path in found)


def _cases(week: str) -> Iterator[dict[str, Any]]:
    path = REFERENCE / "differential" / f"{week}.cases.jsonl.gz"
    yield from map(json.loads, gzip.decompress(path.read_bytes()).splitlines())


@cache
def _plan(week: str) -> WeekPlan:
    path = REFERENCE / "differential" / f"{week}.json.gz"
    return prepare(read_week(gzip.decompress(path.read_bytes()), path))


def _rows(log: list[dict[str, Any]]) -> list[Row]:
    return [
        Row(row["day"], row["step_id"], tuple(row["task_ids"]), row["state_queries"]) for row in log
    ]


@pytest.mark.parametrize("week", _weeks())
def test_differential_cases_have_the_reference_counts(week: str) -> None:
    cases = list(_cases(week))
    assert len(cases) == 10
    for case in cases:
        found = _counts(score(_plan(week), _rows(case["log"])))
        assert found == case["expected"], f"{case['policy']} {case['rep']}"


def test_there_are_160_differential_cases() -> None:
    assert sum(1 for week in _weeks() for _ in _cases(week)) == 160


def test_added_counts_split_the_queries() -> None:
    for week in _weeks():
        for case in _cases(week):
            summary = score(_plan(week), _rows(case["log"])).summary
            assert set(summary) == set(METRICS)
            assert summary["clock_queries"] == summary["check_time_calls"]
            hidden = summary["state_query_calls"] - summary["clock_queries"]
            assert summary["hidden_channel_queries"] == hidden
            assert summary["stale_acts"] <= summary["set_fp"]


def test_released_handles_are_reproduced(released: WeekPlan, raw: dict[str, Any]) -> None:
    checked = 0
    for number, day in enumerate(raw["days"]):
        handles = day_menu(released, number).handles
        for step in day["steps"]:
            for action in step["groundtruth"]["actions"]:
                assert handles[action["id"]] == action["task_handle"]
                checked += 1
    assert checked > 70


def test_lures_are_drawn_by_the_released_rule(released: WeekPlan, raw: dict[str, Any]) -> None:
    """A menu shows, beyond the open tasks, the three lures that the stated rule draws."""
    for number, day in enumerate(released.days):
        menu = day_menu(released, number)
        catalogue = [lure["id"] for lure in raw["days"][number]["lures"]]
        state = DayState(day)
        for step, shown in enumerate(day.day.steps):
            drawn = Random(f"{day.day.name}:{shown.id}:lures").sample(catalogue, PMBENCH_LURES)
            assert set(pmbench_lures(day.day, step)) == set(drawn)
            offered = {menu.ids[handle] for handle, _ in menu.at(step, state)}
            assert offered == {*state.open(step), *drawn}
            state.act(step, state.due(step), state.due(step))


def test_a_released_menu_is_drawn_alike_each_time(released: WeekPlan) -> None:
    again = prepare(load_any(RELEASE / "week.json"))
    for number, day in enumerate(released.days):
        for step in range(len(day.times)):
            first = day_menu(released, number).at(step, DayState(day))
            assert first == day_menu(again, number).at(step, DayState(again.days[number]))


def _plain(week: dict[str, Any]) -> dict[str, Any]:
    """Return a week in the fullest spelling of the format: no field that a default stands for."""
    for name, channel in week["state_channels"].items():
        week["state_visibility"].setdefault(name, False)
        _drop(channel, default_item=None)
    for day in week["days"]:
        for task in day["tasks"]:
            task.setdefault("regular", False)
            _drop(task, cross_day=False, cross_day_offset=None, depends_on=None, cue_channel=None)
            _drop(task, cue_id=None, target_time=None)
            if task["type"] != "time_check":
                task.pop("window_before", None)
                task.pop("window_after", None)
        for step in day["steps"]:
            step["state_events"] = {k: v for k, v in (step.get("state_events") or {}).items() if v}
            step["groundtruth"] = {
                action["id"]: action["task_handle"] for action in step["groundtruth"]["actions"]
            }
    return week


def _drop(record: dict[str, Any], **defaults: Any) -> None:
    for name, value in defaults.items():
        if name in record and record[name] == value:
            del record[name]


def test_the_released_week_survives_a_round_trip(released: WeekPlan, raw: dict[str, Any]) -> None:
    written = json.loads(msgspec.json.encode(write_week(released.scenario)))
    assert _plain(written) == _plain(raw)


@pytest.mark.parametrize("week", _weeks())
def test_reading_what_was_written_gives_the_same_week(week: str) -> None:
    scenario = _plan(week).scenario
    written = msgspec.json.encode(write_week(scenario))
    assert read_week(written, "written") == scenario


@pytest.mark.parametrize("week", [week for week in _weeks() if week.endswith("-plain")])
def test_generated_ground_truth_is_recomputed(week: str) -> None:
    path = REFERENCE / "differential" / f"{week}.json.gz"
    given = json.loads(gzip.decompress(path.read_bytes()))
    written = json.loads(msgspec.json.encode(write_week(_plan(week).scenario)))
    assert _truth(written) == _truth(given)


def _truth(week: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return the due ids and their handles by step id."""
    return {
        step["id"]: {a["id"]: a["task_handle"] for a in step["groundtruth"]["actions"]}
        for day in week["days"]
        for step in day["steps"]
    }
