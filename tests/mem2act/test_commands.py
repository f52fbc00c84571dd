from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from actmem.cli import run_cli

Row = Callable[..., dict[str, Any]]
Build = Callable[..., Path]


class Called(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Callable[..., Called]:
    def run(*args: object) -> Called:
        capfd.readouterr()
        code = run_cli([str(arg) for arg in args])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Called(code, out, err)

    return run


def test_check_lists_and_counts(call: Callable[..., Called], build: Build, task_row: Row) -> None:
    assert call("check", "mem2act", build())[0] == 0
    lost = task_row(source_conversation_ids=["gone"], evolution_chain=[])
    folder = build([lost])
    code, out, err = call("check", "mem2act", folder)
    assert code == 1
    assert "t1: gone [unresolvable_source]" in out
    assert "1 tasks, 0 resolvable, 2 defects" in err
    code, out, _ = call("check", "mem2act", folder, "--json")
    assert code == 1
    assert json.loads(out)["counts"]["unresolvable_task"] == 1


def test_check_prints_statistics(call: Callable[..., Called], build: Build) -> None:
    folder = build()
    code, out, _ = call("check", "mem2act", folder, "--stats")
    assert code == 0
    assert "share with conflicts" in out
    assert json.loads(call("check", "mem2act", folder, "--stats", "--json").out)["tasks"] == 1


def test_check_of_nothing_is_one_line(call: Callable[..., Called], tmp_path: Path) -> None:
    code, out, err = call("check", "mem2act", tmp_path / "nowhere")
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_score_prints_fractions_and_says_what_is_missing(
    call: Callable[..., Called], build: Build, task_row: Row
) -> None:
    folder = build([task_row("a"), task_row("b")])
    path = folder / "predictions.jsonl"
    row = {"qa_id": "a", **{k: task_row()["tool_call"][k] for k in ("name", "arguments")}}
    path.write_text(json.dumps(row))
    code, out, err = call("score", "mem2act", "--predictions", path, "--data", folder, "--json")
    found = json.loads(out)
    assert (code, found["tasks"], found["f1"], found["resolvable"]["em"]) == (3, 2, 0.5, 0.5)
    assert "1 of 2 tasks have no prediction" in err
    path.write_text(json.dumps(row) + "\n" + json.dumps(row | {"qa_id": "b"}))
    code, out, err = call("score", "mem2act", "--predictions", path, "--data", folder)
    assert (code, err) == (0, "")
    assert out.splitlines()[1].split()[:3] == ["all", "2", "100.0"]


def test_a_strict_check_lists_more(
    call: Callable[..., Called], build: Build, task_row: Row
) -> None:
    folder = build([task_row(query="Book a table for four.")])
    assert call("check", "mem2act", folder).code == 0
    code, out, _ = call("check", "mem2act", folder, "--strict")
    assert code == 1
    assert "t1: people stands in the request [given_value]" in out
    assert "t1: place: 'the usual place' stands in no source [ungrounded_value]" in out


def test_the_shipped_data_are_found_by_name(call: Callable[..., Called], tmp_path: Path) -> None:
    assert call("check", "mem2act", "mini", "--strict").code == 0
    assert call("check", "mem2act", "mini-11").code == 2
    command = ("run", "mem2act", "--memory", "none", "--json", "-o")
    found = json.loads(call(*command, tmp_path / "whole").out)
    assert list(found["units"]) == ["mini"]
    found = json.loads(call(*command, tmp_path / "part", "--data", "mini-10").out)
    assert list(found["units"]) == ["mini-10"]
    assert found["rows"][0]["planned"] == 10


def test_negatives_without_a_model_are_refused(
    call: Callable[..., Called], build: Build, tmp_path: Path
) -> None:
    line = ["run", "mem2act", "--data", build(), "--memory", "none", "--negatives", 3]
    found = call(*line, "-o", tmp_path / "run")
    assert (found.code, found.out) == (2, "")
    assert "give one with --model" in found.err
    assert not (tmp_path / "run").exists()


def test_top_is_for_those_that_rank(call: Callable[..., Called], tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "class Mine:\n"
        "    def __init__(self, top): self.turns, self.top = [], top\n"
        "    def write(self, turns): self.turns += turns\n"
        "    def read(self, query, budget): return [t.text for t in self.turns[:self.top]]\n"
    )
    line = ["run", "mem2act", "--data", "mini-10", "--memory", f"none,bm25,{mine}:Mine", "--json"]
    refused = call(*line, "-o", tmp_path / "none")
    assert (refused.code, refused.out) == (2, "")
    assert "takes top, without a default: give --top" in refused.err
    none = call(*line[:4], "--memory", "none", "--top", 2, "-o", tmp_path / "none")
    assert (none.code, none.out) == (2, "")
    assert "--top: no memory of this run takes it" in none.err
    assert not (tmp_path / "none").exists()
    for top in (1, 2):
        out = tmp_path / str(top)
        assert call(*line, "--top", top, "-o", out).code == 0
        reads: dict[str, set[int]] = {}
        for trace in (out / "traces").iterdir():
            header, *events = map(json.loads, trace.read_text().splitlines())
            memory = header["settings"]["memory"].rpartition(":")[2]
            assert header["settings"]["constants"] == ({} if memory == "none" else {"top": top})
            reads[memory] = {len(e["passages"]) for e in events if e["event"] == "read"}
        assert reads["none"] == {0}
        assert max(reads["bm25"]) == top
        assert reads["Mine"] == {top}
