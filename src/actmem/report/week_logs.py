"""Run logs of a week, as PM-Bench releases them, for the same report as runs of our own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from actmem import __version__
from actmem.errors import InputError
from actmem.files import decode, read_bytes
from actmem.report.week_data import Entry, WeekData
from actmem.trace import TAG
from actmem.week.agents.setups import SETUPS
from actmem.week.heartbeat import PRIVILEGED
from actmem.week.judge import judge_rows
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.paper import paper
from actmem.week.pmbench import load_any, read_log
from actmem.week.results import Played, result


def read_logs(scenario: Path, logs: Sequence[Path]) -> WeekData:
    """Score run logs of one week; those of one model and setup are its repeats.

    A log named ``MODEL__SETUP.jsonl`` is of that setup, which may carry the release's name or
    ours; any other is an agent by its file's name. Raises ``InputError`` for a log that is of another
    week, is a trace of ours, or is named twice.
    """
    if not logs:
        raise InputError("needs the logs of the week: --log FILE", "--scenario")
    plan = prepare(load_any(scenario))
    unit = plan.scenario.scenario_name
    grouped: dict[tuple[str, str], list[Path]] = {}
    for path in logs:
        if logs.count(path) > 1:
            raise InputError("is named twice", path)
        grouped.setdefault(named(path), []).append(path)
    return WeekData(
        units={unit: plan.digest},
        plans={unit: plan},
        entries=tuple(_entry(plan, *cell, paths) for cell, paths in grouped.items()),
        suites=(),
        folders=(),
        facts={
            "weeks": f"1: {unit}",
            "scenario": plan.digest,
            "scored by": f"actmem {__version__}",
            "logs": ", ".join(path.name for path in logs),
        },
    )


def named(path: Path) -> tuple[str, str]:
    """Return (model, setup) of a log by its name; ("", name) where it names no setup."""
    model, _, setup = path.stem.rpartition("__")
    setup = paper().logs.get(setup, setup)
    return (model, setup) if model and setup in SETUPS else ("", path.stem)


def _entry(plan: WeekPlan, model: str, setup: str, paths: Sequence[Path]) -> Entry:
    privilege = ""
    if model and SETUPS[setup].heartbeat:
        # The release's runner names in a nudge the channels on which a task waits.
        privilege = PRIVILEGED["informed"]
    played = tuple(_played(plan, path) for path in paths)
    agent = f"{setup} {model}" if model else setup
    return Entry(
        result(agent, privilege, played, setup=setup if model else "", model=model),
        played,
        "log",
        ", ".join(map(str, paths)),
        {"nudge": "informed"} if privilege else {},
    )


def _played(plan: WeekPlan, path: Path) -> Played:
    first = next((line for line in read_bytes(path).splitlines() if line.strip()), b"{}")
    if TAG in decode(first, dict[str, object], f"{path}:1"):
        raise InputError("is a trace of ActMem: report on its run folder", path)
    rows = read_log(path)
    if not rows:
        raise InputError("holds no step", path)
    try:
        return judge_rows(plan, rows)
    except InputError as error:
        raise InputError(str(error), path) from None
