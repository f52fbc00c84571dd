"""The report of mem2act: rows of a scripted reader, with gains and pairs known by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.mem2act.conftest import make_task
from tests.memory.conftest import HashingEmbedder

from actmem.cli import run_cli
from actmem.errors import InputError
from actmem.report.mem2act import mem2act_comparison, mem2act_report
from actmem.report.text import plain
from actmem.run.store import RunFolder

from .conftest import cells, named

GOLD = {"name": "book_table", "arguments": {"people": 4, "place": "Lighthouse Grill"}}
HALF = {"name": "book_table", "arguments": {"people": 4, "place": "Lighthouse"}}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return the folder of two tasks over one session."""
    folder = tmp_path / "data"
    folder.mkdir()
    tasks = [make_task("t1"), make_task("t2")]
    session = {
        "session_id": "s1",
        "original_conversation_ids": ["c1"],
        "turns": [
            {"role": "user", "content": "For dinner I want a table for 4.", "source_id": "c1"},
            {"role": "assistant", "content": "Noted.", "source_id": "c1"},
        ],
        "turn_count": 1,
        "has_tool_calls": False,
        "token_count": 20,
    }
    (folder / "qa_dataset.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    (folder / "toolmem_conversation.jsonl").write_text(json.dumps(session))
    return folder


def run(
    tmp_path: Path, data: Path, name: str, memories: str, *replies: Any, **options: str
) -> Path:
    script, out = tmp_path / f"{name}.json", tmp_path / f"run-{name}"
    script.write_text(json.dumps(list(replies)))
    more = [word for key, value in options.items() for word in (f"--{key}", value)]
    code = run_cli(["run", "mem2act", "--data", str(data), "--memory", memories, "--model",
                    f"scripted:{script}", "-o", str(out), "--json", *more])  # fmt: skip
    assert code in (0, 3)
    return out


@pytest.fixture
def gold(tmp_path: Path, data: Path) -> RunFolder:
    return RunFolder.open(run(tmp_path, data, "gold", "none,oracle", {"reply": GOLD}))


def test_the_main_table_by_hand(gold: RunFolder) -> None:
    report = mem2act_report([gold])
    table = named(report, "systems")
    none, oracle = (
        next(
            row for row in plain(report)["tables"]["systems"]["rows"] if row["agent"].startswith(m)
        )
        for m in ("none", "oracle")
    )
    assert (none["f1"], none["em"], none["tsa"], none["gain"]) == (1.0, 1.0, 1.0, 0.0)
    assert (none["f1_low"], none["f1_high"]) == (1.0, 1.0)
    assert (none["answered"], none["invalid"]) == ("2/2", 0)
    assert oracle["privilege"]
    assert "best" not in oracle
    assert len(table.rows) == 2
    names = [table.name for section in report.sections for table in section.blocks]
    for name in ("retrieval", "levels", "positions", "groundings", "classes", "modes", "costs",
                 "published", "differences"):  # fmt: skip
        assert name in names
    assert "Between none and oracle" in report.sections[0].text


def test_pairs_and_modes_by_hand(gold: RunFolder) -> None:
    report = plain(mem2act_report([gold]))["tables"]
    (pair,) = report["differences"]["rows"]
    assert (pair["difference"], pair["p"], pair["p_holm"]) == (0.0, 1.0, 1.0)
    modes = report["modes"]["rows"][0]
    assert (modes["wrong"], modes["slots"], modes["wrong_tool"]) == (0, 4, None)
    assert report["groundings"]["rows"][0]["explicit"] == 1.0


def test_runs_of_several_models_stand_in_one_grid(
    tmp_path: Path, data: Path, gold: RunFolder
) -> None:
    """The other model has two of the three tokens of a call, and no other: F1 4/5."""
    half = RunFolder.open(run(tmp_path, data, "half", "none", {"reply": HALF}))
    report = mem2act_report([gold, half])
    grid = named(report, "grid")
    assert grid.columns[0].key == "memory"
    row = cells(grid, memory="none")
    one, two = (row[column.key].value for column in grid.columns[1:])
    assert one == 1.0
    assert two == pytest.approx(4 / 5)
    assert cells(grid, memory="oracle")[grid.columns[2].key].value == ""
    compared = mem2act_comparison([gold, half])
    assert len(named(compared, "differences").rows) == 3


def test_a_dead_reader_is_incomplete_and_not_compared(tmp_path: Path, data: Path) -> None:
    dead = RunFolder.open(run(tmp_path, data, "dead", "none,oracle", {"fail": "gone"}))
    report = mem2act_report([dead])
    assert len(report.incomplete) == 2
    assert "gone" in report.incomplete[0]
    assert named(report, "differences").rows == []
    assert "no two to compare" in named(report, "differences").note


def test_retrieval_alone(tmp_path: Path, data: Path) -> None:
    out = tmp_path / "alone"
    line = ["run", "mem2act", "--data", str(data), "--memory", "none,oracle", "-o", str(out)]
    assert run_cli([*line, "--json"]) == 0
    report = mem2act_report([RunFolder.open(out)])
    assert [section.title for section in report.sections] == ["Retrieval", "Costs"]
    assert cells(named(report, "retrieval"), agent="oracle")["recall"].value == 1.0
    assert cells(named(report, "retrieval"), agent="none")["recall"].value == 0.0


def test_other_budgets_are_refused(tmp_path: Path, data: Path, gold: RunFolder) -> None:
    other = run(tmp_path, data, "other", "none", {"reply": HALF}, budget="100")
    with pytest.raises(InputError, match="with budget 100"):
        mem2act_report([gold, RunFolder.open(other)])


def test_other_numbers_of_passages_are_refused(tmp_path: Path, data: Path, gold: RunFolder) -> None:
    other = RunFolder.open(run(tmp_path, data, "other", "bm25", {"reply": HALF}, top="1"))
    assert plain(mem2act_report([other]))["facts"]["top"] == "1"
    with pytest.raises(InputError, match="with top 1, but none"):
        mem2act_report([gold, other])


def test_another_order_of_the_tools_is_refused(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = [{"name": f"tool_{letter}", "parameters": {"properties": {}}} for letter in "abcde"]
    (data / "tools.jsonl").write_text("\n".join(map(json.dumps, tools)))
    monkeypatch.setattr("actmem.memory.open.open_embedder", HashingEmbedder)
    one, other = (
        RunFolder.open(run(tmp_path, data, f"n{seed}", memory, {"reply": {"call": GOLD}},
                           negatives="2", seed=str(seed)))
        for seed, memory in ((1, "none"), (2, "bm25"))
    )  # fmt: skip
    assert mem2act_report([one])
    with pytest.raises(InputError, match="with order 2, but none"):
        mem2act_report([one, other])


def test_runs_with_and_without_embeddings_stand_together(
    tmp_path: Path, data: Path, gold: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actmem.memory.open.open_embedder", HashingEmbedder)
    out = tmp_path / "dense"  # by the same script: the same model
    line = ["run", "mem2act", "--data", str(data), "--memory", "dense", "--model",
            f"scripted:{tmp_path / 'gold.json'}", "-o", str(out), "--json"]  # fmt: skip
    assert run_cli(line) == 0
    other = RunFolder.open(out)
    assert "embedder" in other.manifest.settings
    assert plain(mem2act_report([gold, other]))["facts"]["embedder"].startswith("minilm, weights ")
    assert len(named(mem2act_report([gold, other]), "systems").rows) == 3


def test_a_folder_of_another_suite_is_no_part_of_it(
    gold: RunFolder, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    weeks = tmp_path / "weeks"
    assert run_cli(["run", "week", "--weeks", "1", "--days", "1", "--seed", "3", "--agent", "nop",
                    "-o", str(weeks)]) == 0  # fmt: skip
    capfd.readouterr()
    assert run_cli(["report", str(gold.path), str(weeks)]) == 2
    assert "report on them apart" in capfd.readouterr().err


def test_runs_that_differ_in_their_negatives_stand_in_one_report(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One script, right where the tool is given, wrong where it is to be chosen among two."""
    monkeypatch.setattr("actmem.memory.open.open_embedder", HashingEmbedder)
    tools = [{"name": name, "description": "Do something else."} for name in ("cancel", "measure")]
    (data / "tools.jsonl").write_text("\n".join(map(json.dumps, tools)))
    script = tmp_path / "script.json"
    wrong = {"call": {"name": "cancel", "arguments": {}}}
    replies = [{"reply": GOLD, "schema": "call"}]
    replies += [{"reply": wrong, "when": "measure"}, {"reply": {"call": GOLD}}]
    script.write_text(json.dumps(replies))
    folders = []
    for number in ("0", "1", "2"):
        out = tmp_path / number
        line = ["run", "mem2act", "--data", str(data), "--memory", "none,bm25", "-o", str(out)]
        assert run_cli([*line, "--model", f"scripted:{script}", "--negatives", number]) == 0
        folders.append(RunFolder.open(out))
    tables = plain(mem2act_report(folders))["tables"]
    found = {
        (row["agent"].split()[0], row["negatives"]): row for row in tables["negatives"]["rows"]
    }
    assert [number for _, number in found] == [0, 1, 2, 0, 1, 2]
    assert (found["bm25", 0]["tsa"], found["bm25", 2]["tsa"]) == (1.0, 0.0)
    assert {row["gain"] for row in tables["systems"]["rows"]} == {0.0}
    assert len(tables["differences"]["rows"]) == 3  # each within its number
    compared = plain(mem2act_comparison(folders))["tables"]
    assert len(compared["differences"]["rows"]) == 15
    assert {row["gain"] for row in compared["systems"]["rows"]} == {0.0}
    assert not any("best" in row for row in compared["systems"]["rows"])
    assert any("best" in row for row in tables["systems"]["rows"])
