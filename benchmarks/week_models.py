"""What the harness itself costs: scripted weeks under ``single``, through the whole command line.

    python benchmarks/week_models.py [--weeks 64] [--rounds 5]

Each round is a process of its own that plays weeks of about 80 steps with a model that answers at
once: making weeks, prompts, traces and scoring are what is left. Printed are medians of processor
time (wall time, where no other work shares the machine), wall time and the largest resident memory.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

SECONDS = 8.0
MEGABYTES = 200.0
REPLY = {"action": "choose", "choice": "A", "task_ids": [], "channel": "NONE"}


def measure(words: list[str]) -> tuple[float, float, float]:
    """Return processor seconds, wall seconds and the largest resident megabytes of a command."""
    started = perf_counter()
    devnull = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, devnull, 1), (os.POSIX_SPAWN_DUP2, devnull, 2)]
    child = os.posix_spawn(words[0], words, os.environ, file_actions=actions)
    _, status, usage = os.wait4(child, 0)
    os.close(devnull)
    if status:
        raise SystemExit(f"{' '.join(words)}: exit status {os.waitstatus_to_exitcode(status)}")
    processor = usage.ru_utime + usage.ru_stime
    return processor, perf_counter() - started, usage.ru_maxrss / 1024


def main(arguments: list[str]) -> int:
    """Print the figures; return 1 where one is over its bar."""
    parser = argparse.ArgumentParser(description="Measure the overhead of runs with models.")
    parser.add_argument("--weeks", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="actmem-bench-"))
    try:
        script = folder / "script.json"
        script.write_text(json.dumps([{"reply": REPLY}]))
        figures = []
        for number in range(given.rounds):
            words = [
                sys.executable, "-m", "actmem", "run", "week", "--model", f"scripted:{script}",
                "--setups", "single", "--seed", "1", "--weeks", str(given.weeks),
                "-o", str(folder / f"run-{number}"), "--json",
            ]  # fmt: skip
            figures.append(measure(words))
            shutil.rmtree(folder / f"run-{number}")
    finally:
        shutil.rmtree(folder)
    processor, wall, megabytes = (median(column) for column in zip(*figures, strict=True))
    print(f"{given.weeks} weeks under single, scripted, medians of {given.rounds} rounds")
    print(f"{processor:6.2f} s of processor time (bar {SECONDS:g} s)")
    print(f"{wall:6.2f} s on the wall")
    print(f"{megabytes:6.0f} MB resident (bar {MEGABYTES:g} MB)")
    return int(processor > SECONDS or megabytes > MEGABYTES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
