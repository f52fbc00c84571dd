"""A disk that is really full: a small tmpfs, on which the same command goes on once there is room."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.models.conftest import need

from actmem.mem2act.data import load
from actmem.models.catalogue import home, is_fetched

SCRIPT = """
disk=$1 small=$2; shift 2
mount -t tmpfs -o size="$small" none "$disk" || exit 77
"$@" >"$disk.first"; echo $? >"$disk.code"
mount -o remount,size=20m "$disk" || exit 77
"$@"
"""
"""Runs a command on the disk ``$1`` of ``$2`` bytes, makes room, and runs the command again."""


class Twice(NamedTuple):
    """What a command did on a small disk, and then on a large one."""

    code: int
    first: str
    errors: str
    last: Any


def on_a_small_disk(disk: Path, size: int, *command: object) -> Twice:
    """Run the command line twice in a mount namespace of its own, which needs no rights."""
    disk.mkdir()
    call = ["unshare", "--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh"]
    call += [str(disk), str(size), sys.executable, "-m", "actmem", *map(str, command)]
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare of util-linux")
    ended = subprocess.run(call, capture_output=True, text=True, check=False)
    code = Path(f"{disk}.code")
    if not code.exists():
        pytest.skip(f"this machine lets nobody mount a tmpfs: {ended.stderr.strip()}")
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    first = Path(f"{disk}.first").read_text()
    return Twice(int(code.read_text()), first, ended.stderr, rows(ended.stdout))


def rows(out: str) -> Any:
    """Return a command's rows without its times."""
    times = ("seconds", "p50", "p95")

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: timeless(v) for k, v in value.items() if not k.endswith(times)}
        return [timeless(part) for part in value] if isinstance(value, list) else value

    return timeless(json.loads(out)["rows"])


def undisturbed(*command: object) -> Any:
    """Return the rows of a command that has all the room it wants."""
    call = [sys.executable, "-m", "actmem", *map(str, command)]
    return rows(subprocess.run(call, capture_output=True, text=True, check=True).stdout)


def half(folder: Path) -> int:
    """Return half the bytes of what stands in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) // 2


def test_weeks(week_file: Path, tmp_path: Path) -> None:
    command = ["run", "week", "--scenario", week_file, "--agent", "keyword", "--json"]
    whole, disk = tmp_path / "whole", tmp_path / "disk"
    expected = undisturbed(*command, "-o", whole)
    got = on_a_small_disk(disk, half(whole), *command, "-o", disk / "run")
    assert (got.code, got.first) == (3, "")
    assert "cannot be written: No space left on device" in got.errors
    assert got.last == expected


def test_a_memory_that_is_being_written(tmp_path: Path) -> None:
    need_embedder()
    script = tmp_path / "script.json"
    task = load("mini-10").tasks[0]
    replies = [
        {"reply": {"summary": "They spoke of plans."}, "schema": "summary"},
        {"reply": {"answer": "yes"}, "schema": "answer"},
        {"reply": {"name": task.tool, "arguments": task.tool_call.arguments}, "schema": "call"},
    ]
    script.write_text(json.dumps(replies))
    command = ["run", "mem2act", "--data", "mini-10", "--memory", "scm"]
    command += ["--model", f"scripted:{script}", "--json"]
    whole, disk = tmp_path / "whole", tmp_path / "disk"
    expected = undisturbed(*command, "-o", whole)
    got = on_a_small_disk(disk, half(whole), *command, "-o", disk / "run")
    assert (got.code, got.first) == (3, "")
    assert "cannot be written: No space left on device" in got.errors
    assert got.last == expected


def test_embeddings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_embedder()
    command = ["run", "mem2act", "--data", "mini-10", "--memory", "long-term", "--json"]
    expected = undisturbed(*command, "-o", tmp_path / "whole")
    own = tmp_path / "home"
    own.mkdir()
    (own / "models").symlink_to(home() / "models")
    monkeypatch.setenv("ACTMEM_HOME", str(own))
    got = on_a_small_disk(own / "embeddings", 65536, *command, "-o", tmp_path / "run")
    assert got.code == 3
    assert rows(got.first)[0]["status"] == "failed"
    assert "cannot be used: database or disk is full" in got.errors
    assert got.last == expected


def need_embedder() -> None:
    need(importlib.util.find_spec("numpy") is not None, "needs the extra 'memory'")
    need(is_fetched("minilm"), "needs the weights: actmem fetch model minilm")
