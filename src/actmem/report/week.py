"""The report of weeks: which sections it has, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from actmem.report.document import Report, Section
from actmem.report.week_agents import agents_table
from actmem.report.week_causes import costs_table, evidence_table
from actmem.report.week_data import WeekData, read_runs, refuse_mixed, refuse_twice
from actmem.report.week_floors import with_floors
from actmem.report.week_logs import read_logs
from actmem.report.week_pairs import pairs_table
from actmem.report.week_rates import Clusters
from actmem.report.week_tables import (
    channels_table,
    intervals_table,
    models_table,
    setups_table,
    slices_table,
)
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
    refuse_twice(read.entries)
    refuse_mixed(read.entries, MIXED)
    data = with_floors(read)
    return Report(
        suite="week",
        title="Weeks: does the agent act when it is time?",
        facts=data.facts,
        sections=sections(data),
        incomplete=[one.shortfall for one in data.results if not one.complete],
    )


def sections(data: WeekData) -> list[Section]:
    """Return the sections in the order in which they are read.

    Each block is made by a function of ``WeekData`` in a module of its own. What needs traces takes
    ``data.suites``; there are none where logs are reported on.
    """
    clusters = Clusters(data)
    setups = any(entry.result.setup for entry in data.entries)
    return [
        Section(
            title="Results",
            text=_opening(data, clusters),
            blocks=[
                setups_table(data, clusters),
                *([models_table(data, clusters)] if setups else []),
                intervals_table(data, clusters),
                pairs_table(data, clusters),
            ],
        ),
        Section(
            title="Monitoring",
            text="Some conditions stand in the narrative; for others the clock or a channel has to "
            "be asked at the right step.",
            blocks=[slices_table(data, clusters), channels_table(data, clusters)],
        ),
        Section(
            title="Why",
            text="Each obligation is followed from its announcement to the act; the first link that "
            "broke says what to work on.",
            blocks=[evidence_table(data)],
        ),
        Section(
            title="Agents and costs",
            blocks=[agents_table(data.results), costs_table(data)],
        ),
    ]


def _opening(data: WeekData, clusters: Clusters) -> str:
    parts = ["What was not played counts as empty acts; such a row is marked and never ranked."]
    if clusters.by_days:
        parts.append(
            "This is one week. Its intervals are over its days: they say how much a figure hangs "
            "on single days, not what another week would give."
        )
    else:
        parts.append("Intervals draw whole weeks, with all their repeats and models.")
    if played := [entry.name for entry in data.entries if entry.source == "played now"]:
        parts.append(f"Played for this report, since no run had them: {', '.join(played)}.")
    return " ".join(parts)
