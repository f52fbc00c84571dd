"""How long the week suite's parts take, as multiples of ``json.loads`` on a week of 80 steps.

    python benchmarks/week.py [PM-BENCH-WEEK]

The unit is measured in the same run, so that figures of different machines compare. Times are
medians; garbage is collected between the rounds, not within. Without a file, the released week
beside the repository is taken, or a generated one of the same size in the same format.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter

import msgspec

from actmem.week.agents.oracle import Oracle
from actmem.week.check import check
from actmem.week.make import Knobs, make_week
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.play import WeekEvent, play
from actmem.week.pmbench import read_week, write_week
from actmem.week.records import records
from actmem.week.replay import rows_of
from actmem.week.score import score
from actmem.week.world import World

ROOT = Path(__file__).parents[1]
REFERENCE = Path(os.environ.get("ACTMEM_REFERENCE", ROOT.parent / "shared" / "reference"))
RELEASED = REFERENCE / "pmbench-v9" / "week.json"
PAPER = Knobs(profile="paper")
ROUNDS = 15
SECONDS = 0.02
"""Least time of a round; short calls are repeated to fill it."""


def seconds(call: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return the median time of a call."""
    start = perf_counter()
    call()
    repeats = max(1, int(SECONDS / (perf_counter() - start)))
    times = []
    for _ in range(rounds):
        gc.collect()
        gc.disable()
        start = perf_counter()
        for _ in range(repeats):
            call()
        times.append((perf_counter() - start) / repeats)
        gc.enable()
    return median(times)


def week_bytes(arguments: list[str]) -> tuple[bytes, str]:
    """Return a week in PM-Bench's format, and what it is."""
    path = Path(arguments[0]) if arguments else RELEASED
    if arguments or path.is_file():
        return path.read_bytes(), path.name
    week = write_week(make_week(1, PAPER))
    return msgspec.json.encode(week), "a generated week"


def oracle(plan: WeekPlan) -> list[WeekEvent]:
    """Play a week perfectly and return its events."""
    events: list[WeekEvent] = []
    play(Oracle(plan), World(plan), events.append)
    return events


def parts(plan: WeekPlan) -> dict[str, tuple[Callable[[], object], float | None]]:
    """Return what is timed, and the most that it may take; None where nothing is promised."""
    events = oracle(plan)
    rows = rows_of(plan, events)
    paper, full = count(100), count(100)
    sound = make_week(1)
    return {
        "make and check a week, profile paper": (lambda: make_week(next(paper), PAPER), 60),
        "make and check a week, profile full": (lambda: make_week(next(full)), 60),
        "check a week, perfect play included": (lambda: check(sound), None),
        "prepare a week": (lambda: prepare(plan.scenario), None),
        "score a trace: counts": (lambda: score(plan, rows), 1),
        "score a trace: counts, handles resolved": (lambda: score(plan, rows_of(plan, events)), None),
        "score a trace: counts and records": (
            lambda: (score(plan, rows), records(plan, rows)), 3
        ),
        "the oracle plays a week": (lambda: oracle(plan), 20),
    }  # fmt: skip


def main(arguments: list[str]) -> int:
    """Print the figures; return 1 where one is over its bar."""
    data, name = week_bytes(arguments)
    plan = prepare(read_week(data, name))
    steps = sum(len(day.times) for day in plan.days)
    make_week(1)  # loads the content
    unit = seconds(lambda: json.loads(data), 3 * ROUNDS)
    print(f"json.loads on {name} ({len(data)} bytes, {steps} steps): {unit * 1000:.3f} ms")
    over = False
    for part, (call, bar) in parts(plan).items():
        found = seconds(call) / unit
        promised = "" if bar is None else f"(bar {bar:g} ×)"
        if bar is not None and found > bar:
            promised, over = f"{promised} OVER", True
        print(f"{part:40} {found:6.2f} ×   {promised}".rstrip())
    return int(over)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
