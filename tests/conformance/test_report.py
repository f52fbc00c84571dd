"""The released run logs, replayed through the report, against the figures that the paper prints.

The data stands beside the repository, in ``../shared/reference``; ``ACTMEM_REFERENCE`` names
another place. Without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from actmem.cli import run_cli
from actmem.report.week_logs import named
from actmem.week.paper import paper

ROOT = Path(__file__).parents[2]
REFERENCE = Path(os.environ.get("ACTMEM_REFERENCE", ROOT.parent / "shared" / "reference"))
RELEASE = REFERENCE / "pmbench-v9"
MODELS = {"gpt-54": "GPT-5.4", "llama-33-70b-instruct": "Llama 3.3 70B"}
SETUPS = {
    "single_baseline": "single", "todo_ledger": "ledger", "heartbeat_optional": "heartbeat",
    "heartbeat_auto_60": "heartbeat-60", "heartbeat_auto_30": "heartbeat-30",
    "hierarchical_union_query": "hierarchy", "majority_vote": "majority",
    "unanimous_vote": "unanimous",
}  # fmt: skip

pytestmark = pytest.mark.skipif(
    not RELEASE.is_dir(), reason=f"no reference data in {REFERENCE}; set ACTMEM_REFERENCE"
)


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((REFERENCE / "published" / "pmbench.json").read_bytes())
    return found


@pytest.fixture
def tables(capfd: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return the tables of the report on all released logs."""
    logs = [w for path in sorted((RELEASE / "runs").glob("*")) for w in ("--log", str(path))]
    code = run_cli(["report", "--scenario", str(RELEASE / "week.json"), *logs, "--json"])
    out, err = capfd.readouterr()
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)["tables"]
    return found


def test_the_published_set_f1_of_every_released_run_comes_out(
    tables: dict[str, Any], published: dict[str, Any]
) -> None:
    rows = {row["model"]: row for row in tables["models"]["rows"] if row["from"] == "log"}
    assert set(rows) == set(MODELS)
    table = published["table_3_models"]
    checked = 0
    for path in (RELEASE / "runs").glob("*"):
        model, setup = named(path)
        printed = dict(
            zip(map(SETUPS.get, table["columns"]), table["rows"][MODELS[model]], strict=True)
        )
        assert round(100 * rows[model][setup], 1) == printed[setup], path.name
        checked += 1
    assert checked == 12


def test_counts_of_a_setup_are_those_of_the_reference(tables: dict[str, Any]) -> None:
    expected = json.loads((RELEASE / "expected.json").read_bytes())
    rows = {row["setup"]: row for row in tables["setups"]["rows"] if row["from"] == "log"}
    for setup, row in rows.items():
        found = [
            counts["summary"] for name, counts in expected.items()
            if named(Path(f"{name}.jsonl"))[1] == setup
        ]  # fmt: skip
        assert row["models"] == len(found)
        assert row["fp"] == sum(one["set_fp"] for one in found)
        assert row["queries"] == sum(one["state_query_calls"] for one in found)
        tp = sum(one["set_tp"] for one in found)
        rest = sum(one["set_fp"] + one["set_fn"] for one in found)
        assert row["micro_set_f1"] == pytest.approx(2 * tp / (2 * tp + rest))


def test_published_figures_stand_beside_runs_of_the_released_week(
    tables: dict[str, Any], published: dict[str, Any]
) -> None:
    rows = {row["setup"]: row for row in tables["setups"]["rows"] if row["from"] == "published"}
    assert set(rows) == set(SETUPS.values())
    for name, printed in published["table_2_setups"]["rows"].items():
        row = rows[SETUPS[name]]
        rates = ("macro_set_f1", "micro_set_f1", "precision", "cross_day_hit", "update_hit")
        assert [round(100 * row[key], 1) for key in rates] == printed[:5]
        assert [row["fp"], row["queries"]] == printed[5:]
    assert not any("best" in row for row in rows.values())
    assert sum(row["from"] == "published" for row in tables["models"]["rows"]) == 8


def test_the_figures_that_come_along_are_the_published_ones(published: dict[str, Any]) -> None:
    found = paper()
    for ours, theirs in ((found.table_2, "table_2_setups"), (found.table_7, "table_7_channels")):
        rows = {SETUPS[name]: tuple(row) for name, row in published[theirs]["rows"].items()}
        assert ours.rows == rows
    assert found.table_2.columns == tuple(published["table_2_setups"]["columns"])
    columns = [c.replace("reservation_waitlist", "library_hold")
               for c in published["table_7_channels"]["columns"]]  # fmt: skip
    assert list(found.table_7.columns) == columns
    table = published["table_3_models"]
    assert list(found.table_3.columns) == [SETUPS[name] for name in table["columns"]]
    assert found.table_3.rows == {name: tuple(row) for name, row in table["rows"].items()}
    for slice_, theirs in (
        ("narrative", "narrative_cued"), ("clock", "clock_required"), ("channel", "channel_required")
    ):  # fmt: skip
        rates = {
            SETUPS[name]: rate for name, rate in published["figure_4_hit_rates"][theirs].items()
        }
        assert found.figure_4[slice_] == rates


def test_the_macro_of_the_printed_table_is_the_mean_over_models(published: dict[str, Any]) -> None:
    """What the report calls macro is what the paper does, up to its rounding."""
    for place, setup in enumerate(paper().table_3.columns):
        values = [row[place] for row in paper().table_3.rows.values()]
        macro = paper().table_2.row(setup)["macro_set_f1"]
        assert sum(values) / len(values) == pytest.approx(macro, abs=0.06)
