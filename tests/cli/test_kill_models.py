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
WORKERS = 2
RUNNER = """
import os, sys
from actmem.cli import main
from actmem.models.scripted import ScriptedChat

log = os.open(sys.argv.pop(1), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
complete = ScriptedChat.complete

def logged(self, messages, schema=None):
    os.write(log, b"x")
    return complete(self, messages, schema)

ScriptedChat.complete = logged
main(sys.argv[1:])
"""
"""The command line, with every call of the model marked in a file: what a provider would bill."""


def command(week_file: Path, folder: Path) -> list[str]:
    """Return the command that plays in ``folder``; its calls are marked in ``folder.calls``."""
    return [
        sys.executable, "-c", RUNNER, f"{folder}.calls", "run", "week",
        "--model", f"scripted:{folder.with_name('script.json')}",
        "--setups", "single,heartbeat-30,hierarchy,majority", "--scenario", str(week_file),
        "--workers", str(WORKERS), "-o", str(folder), "--json",
    ]  # fmt: skip


def calls(folder: Path) -> int:
    """Return how many calls of the model were begun."""
    path = Path(f"{folder}.calls")
    return path.stat().st_size if path.exists() else 0


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
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    first = subprocess.run(command(week_file, whole), capture_output=True, check=True)
    assert all(row["counts"]["chosen_tasks"] for row in counts(first.stdout))
    chance = random.Random(4)
    for number in range(KILLS):
        process = subprocess.Popen(
            command(week_file, cut), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        begun = calls(cut)
        while number % 4 and calls(cut) == begun:  # the others may be killed before they call
            assert process.poll() is None
            time.sleep(0.005)
        time.sleep(0.1 * chance.random())
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL  # it was at work: nothing had ended before
    last = subprocess.run(command(week_file, cut), capture_output=True, check=False)
    assert last.returncode == 0, last.stderr
    assert counts(last.stdout) == counts(first.stdout)
    # Nothing is done twice but what was cut: a call in each worker at most for each kill.
    assert calls(whole) == sum(row["calls"] for row in counts(first.stdout))
    assert calls(whole) <= calls(cut) <= calls(whole) + KILLS * WORKERS
    traces = list((cut / "traces").iterdir())
    assert len(traces) == 4  # none was set aside
    for path in traces:
        assert lines(path) == lines(whole / "traces" / path.name)


def lines(path: Path) -> list[Any]:
    """The events of a trace, without the seconds that calls took."""
    events = read_trace(path, WeekEvent | Called).events
    return [
        (event.dialogue, event.prompt, event.completion.text)
        if isinstance(event, Called)
        else event
        for event in events
    ]
