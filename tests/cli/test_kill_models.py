"""A grid of scripted models, killed outright at many moments, comes to the same counts."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from actmem.models.tape import Called
from actmem.trace import read_trace
from actmem.week.obligations import prepare
from actmem.week.play import WeekEvent
from actmem.week.scenario import load
from actmem.week.world import World

SLOW = 0.03
"""Seconds that each scripted reply takes, so that a kill meets a run at work."""
KILLS = 20


def command(week_file: Path, script: Path, folder: Path) -> list[str]:
    return [
        sys.executable, "-m", "actmem", "run", "week", "--model", f"scripted:{script}",
        "--setups", "single,heartbeat-30,hierarchy,majority", "--scenario", str(week_file),
        "--workers", "2", "-o", str(folder), "--json",
    ]  # fmt: skip


def counts(out: bytes) -> Any:
    rows = json.loads(out)["rows"]
    for row in rows:
        row["usage"].pop("seconds", None)
    return rows


def test_killed_at_random_moments_the_counts_stay(week_file: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    query = {"action": "query_state", "choice": "NONE", "task_ids": [], "channel": "email"}
    handles = [item.handle for item in World(prepare(load(week_file))).reset().menu[:2]]
    choose = {"action": "choose", "choice": "A", "task_ids": handles, "channel": "NONE"}
    nothing = choose | {"task_ids": []}
    report = {
        "queries": [{"channel": "clock", "evidence": "who knows"}],
        "due": [{"task_id": handle, "evidence": "it may be"} for handle in handles],
        "later": [],
        "must_not_select": [],
    }
    entries = [(query, "reply"), (choose, "reply"), (nothing, "reply"), (report, "report")]
    script.write_text(
        json.dumps([{"reply": r, "schema": name, "seconds": SLOW} for r, name in entries])
    )
    whole = subprocess.run(
        command(week_file, script, tmp_path / "whole"), capture_output=True, check=True
    )
    assert all(row["counts"]["chosen_tasks"] for row in counts(whole.stdout))
    chance = random.Random(4)
    killed = 0
    for _ in range(KILLS):
        process = subprocess.Popen(
            command(week_file, script, tmp_path / "cut"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(0.2 + 0.5 * chance.random())
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    assert killed >= 5
    last = subprocess.run(
        command(week_file, script, tmp_path / "cut"), capture_output=True, check=False
    )
    assert last.returncode == 0, last.stderr
    assert counts(last.stdout) == counts(whole.stdout)
    traces = list((tmp_path / "cut" / "traces").iterdir())
    assert len(traces) == 4  # none was set aside
    for path in traces:
        other = tmp_path / "whole" / "traces" / path.name
        assert lines(path) == lines(other)


def lines(path: Path) -> list[Any]:
    """The events of a trace, without the seconds that calls took."""
    events = read_trace(path, WeekEvent | Called).events
    return [
        (event.dialogue, event.prompt, event.completion.text)
        if isinstance(event, Called)
        else event
        for event in events
    ]
