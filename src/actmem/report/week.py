"""The report of weeks: which sections it has, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from actmem.report.document import Report, Section
from actmem.report.week_data import WeekData, read_runs, refuse_mixed
from actmem.report.week_floors import with_floors
from actmem.report.week_logs import read_logs
from actmem.run.store import RunFolder

MIXED = ("nudge", "form", "history_tokens", "prompts")
"""Settings that have to be equal in one report, beside weeks and version."""


def week_report(folders: Sequence[RunFolder]) -> Report:
    """Return the report of run folders that play the same weeks.

    Raises ``InputError`` where they do not, or where version, nudge, form, history tokens or prompts
    differ, and says which.
    """
    return _report(read_runs(folders))


def log_report(scenario: Path, logs: Sequence[Path]) -> Report:
    """Return the report of PM-Bench run logs of one week."""
    return _report(read_logs(scenario, logs))


def _report(read: WeekData) -> Report:
    refuse_mixed(read.entries, MIXED)
    data = with_floors(read)
    return Report(
        suite="week",
        title="Weeks: does the agent act when it is time?",
        facts=data.facts,
        sections=sections(data),
    )


def sections(data: WeekData) -> list[Section]:
    """Return the sections in the order in which they are read.

    Each is made by a function of ``WeekData`` in a module of its own. What needs traces takes
    ``data.suites``; there are none where logs are reported on.
    """
    del data
    return []
