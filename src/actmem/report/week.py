"""The report of weeks: which sections it has, in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from actmem.hashing import digest
from actmem.report.document import Report, Section
from actmem.report.same import refuse_mixed, refuse_other_models, refuse_twice
from actmem.report.week_agents import agents_table
from actmem.report.week_calendar import week_calendars
from actmem.report.week_cases import week_cases
from actmem.report.week_causes import costs_table, evidence_table
from actmem.report.week_data import WeekData, read_runs
from actmem.report.week_floors import with_floors
from actmem.report.week_logs import read_logs
from actmem.report.week_pairs import comparison_table, pairs_table
from actmem.report.week_plots import week_plots
from actmem.report.week_rates import Clusters, Line, lines
from actmem.report.week_tables import (
    beside,
    channels_table,
    intervals_table,
    models_table,
    setups_table,
    slices_table,
)
from actmem.run.coverage import shortfalls
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


def week_comparison(folders: Sequence[RunFolder]) -> Report:
    """Return the differences between all agents of run folders that play the same weeks.

    Unlike in a report, nudge, form and prompts may differ: that may be what is compared. Raises
    ``InputError`` where weeks or version differ.
    """
    data = with_floors(_distinct(read_runs(folders)))
    clusters = Clusters(data)
    compared = [Line(entry.name, (entry,)) for entry in data.entries]
    text = "All have played the same weeks; each row sets two against each other."
    if differing := _differing(data):
        text += f" They were not given the same: {differing}."
    if played := _played_now(data):
        text += f" {played}"
    return Report(
        suite="week",
        title="Weeks: agents set against each other",
        facts=data.facts,
        sections=[
            Section(
                title="Comparison",
                text=text,
                blocks=[comparison_table(compared, clusters), agents_table(data.results)],
            )
        ],
        incomplete=shortfalls(data.results),
    )


def _distinct(data: WeekData) -> WeekData:
    """Return the data with the run's name before agents that several runs have."""
    known = Counter(entry.name for entry in data.entries)
    runs = Counter(folder.path.name for folder in data.folders)
    entries = []
    for entry in data.entries:
        if known[entry.name] > 1 and not entry.floor:
            run = Path(entry.where)
            name = run.name if runs[run.name] == 1 else str(run)
            one = msgspec.structs.replace(entry.result, agent=f"{name}: {entry.name}")
            entry = entry._replace(result=one)
        entries.append(entry)
    return data._replace(entries=tuple(entries))


def _differing(data: WeekData) -> str:
    """Return which settings differ between entries, and where each has which."""
    parts = []
    models = {name for e in data.entries for name in e.settings if name.startswith("model ")}
    for name in (*MIXED, *sorted(models)):
        values: dict[str, list[str]] = {}
        for entry in data.entries:
            if name in entry.settings:
                value = entry.settings[name]
                text = digest(value)[:8] if isinstance(value, dict) else str(value)
                values.setdefault(text, []).append(entry.name)
        if len(values) > 1:
            parts += [
                f"{name.replace('_', ' ')} {value} for {', '.join(names)}"
                for value, names in values.items()
            ]
    return "; ".join(parts)


def _report(read: WeekData) -> Report:
    refuse_twice(read.entries)
    refuse_mixed(read.entries, MIXED)
    refuse_other_models(read.entries)
    data = with_floors(read)
    return Report(
        suite="week",
        title="Weeks: does the agent act when it is time?",
        facts=data.facts,
        sections=sections(data),
        incomplete=shortfalls(data.results),
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
                *week_plots(data, clusters),
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
        *_steps(data),
        *week_cases(data.suites),
        Section(
            title="Agents and costs",
            blocks=[agents_table(data.results), costs_table(data)],
        ),
    ]


def _steps(data: WeekData) -> list[Section]:
    calendars = week_calendars(data.suites)
    text = (
        "What was due at each step, whether the agent had seen that it was, and what it did: the "
        "first week of each agent."
    )
    return [Section(title="Step by step", text=text, blocks=calendars)] if calendars else []


def _opening(data: WeekData, clusters: Clusters) -> str:
    parts = ["What was not played counts as empty acts; such a row is marked and never ranked."]
    if clusters.by_days:
        parts.append(
            "This is one week. Its intervals are over its days: they say how much a figure hangs "
            "on single days, not what another week would give."
        )
    else:
        parts.append("Intervals draw whole weeks, with all their repeats and models.")
    if any(beside(data, line) for line in lines(data)):
        parts.append(
            "Published figures are of eight models on this same week. The paper describes heartbeats "
            "that name all channels; the runner named those on which a task waited, so published "
            "heartbeats stand beside informed ones alone."
        )
    return " ".join([*parts, _played_now(data)]).strip()


def _played_now(data: WeekData) -> str:
    names = [entry.name for entry in data.entries if entry.source == "played now"]
    return f"Played for this report, since no run had them: {', '.join(names)}." if names else ""
