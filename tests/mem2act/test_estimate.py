from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.mem2act.test_writing import SYSTEMS, play
from tests.memory.conftest import HashingEmbedder, Typical

from actmem.cli import run_cli
from actmem.cli.mem2act_options import memory_names
from actmem.errors import IncompleteError
from actmem.mem2act.data import Dataset
from actmem.mem2act.estimate import estimates
from actmem.mem2act.suite import make_manifest


def test_the_estimate_is_what_a_model_of_typical_replies_takes(
    data: Dataset, tmp_path: Path
) -> None:
    chat = Typical()
    names = ["none", *SYSTEMS]
    manifest = make_manifest(data, names, {"m": chat.settings}, repeats=2)
    found = {f"{one.setup} {one.phase}": one for one in estimates(data, manifest, {"m": chat})}
    assert chat.prompts == []
    rows = play(data, tmp_path / "run", names, chat)
    for row in rows:
        parts = {
            "write": row.cost.write_usage.calls,
            "read": row.cost.read_usage.calls,
            "answer": row.cost.reader.calls,
        }
        for phase, calls in parts.items():
            one = found.pop(f"{row.memory} {phase}", None)
            assert (one.calls if one else 0) == 2 * calls
    assert found == {}


def test_a_tool_with_a_free_part_is_called_once_and_a_loud_memory_says_nothing(
    build: Callable[..., Path],
    task_row: Callable[..., dict[str, Any]],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    task = task_row()
    task["target_tool_schema"]["parameters"]["properties"]["place"] = {"type": "dict"}
    path, script = tmp_path / "mine.py", tmp_path / "script.json"
    path.write_text(
        "class Mine:\n    def write(self, turns): print('writing')\n"
        "    def read(self, query, budget): print('reading'); return []\n"
    )
    script.write_text(json.dumps([{"reply": {}}]))
    line = ["plan", "mem2act", "--data", str(build([task])), "--memory", f"{path}:Mine",
            "--model", f"scripted:{script}", "--repeats", "3", "--json"]  # fmt: skip
    assert run_cli(line) == 0
    total = json.loads(capfd.readouterr().out)["total"]
    assert (total["episodes"], total["steps"], total["calls"]) == (3, 3, 3)


def test_a_memory_that_raises_cannot_be_planned(data: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "class Mine:\n"
        "    def write(self, turns): raise ValueError('no')\n"
        "    def read(self, query, budget): return []\n"
    )
    chat = Typical()
    manifest = make_manifest(data, [f"{path}:Mine"], {"m": chat.settings})
    with pytest.raises(IncompleteError, match="memory: ValueError: no"):
        estimates(data, manifest, {"m": chat})


def test_the_command_plans_and_stops_at_a_budget(
    data: Dataset,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("actmem.memory.open.open_embedder", HashingEmbedder)
    script = tmp_path / "script.json"
    replies: list[Any] = [
        {"reply": {"ratings": [3, 4]}, "schema": "ratings"},
        {
            "reply": {"name": "book_table", "arguments": {"people": 4, "place": "x"}},
            "schema": "call",
        },
    ]
    script.write_text(json.dumps(replies))
    line = ["--data", str(tmp_path / "data"), "--memory", "none,generative-agents",
            "--model", f"scripted:{script}"]  # fmt: skip
    assert run_cli(["plan", "mem2act", *line, "--speed", "72", "24", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert [(row["setup"], row["phase"]) for row in found["rows"]] == [
        ("none", "answer"), ("generative-agents", "write"), ("generative-agents", "answer"),
    ]  # fmt: skip
    assert (found["total"]["episodes"], found["total"]["steps"]) == (2, 4)
    assert found["total"]["calls"] == 2 + 9 + 2
    assert found["total"]["hours"] > 0
    run = ["run", "mem2act", *line, "-o", str(tmp_path / "run")]
    assert run_cli([*run, "--max-tokens-total", "1500"]) == 3
    assert "of 1500 tokens are spent" in capfd.readouterr().err
    assert run_cli(run) == 0
    assert "the memory's own calls" in capfd.readouterr().out
    assert run_cli(["plan", "mem2act", *line[:2]]) == 0
    assert "3 episodes, no model call" in capfd.readouterr().err


def test_memories_are_named_in_lists_or_whole(tmp_path: Path) -> None:
    path = tmp_path / "a,b.py"
    path.write_text("")
    given = ["none, bm25,none", f"{path}:Mine", "cmd:python x.py --top 1,2"]
    assert memory_names(given) == ["none", "bm25", f"{path}:Mine", "cmd:python x.py --top 1,2"]
    assert memory_names([","]) == []


def test_memories_are_listed_with_what_they_need(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["list", "memories"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert "  none              no memory: the floor" in lines
    (line,) = [line for line in lines if line.startswith("  a-mem")]
    assert line.endswith("(needs a model and actmem[memory])")
