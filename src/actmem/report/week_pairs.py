"""Differences between setups or agents on the same weeks, and whether chance could make them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from actmem.report.cells import cell
from actmem.report.document import Cell, Column, Table
from actmem.report.stats import EXACT, Difference, difference, holm
from actmem.report.week_data import WeekData
from actmem.report.week_rates import SET_F1, Clusters, Line, lines

YARDSTICK = "keyword"
"""The floor that every line is compared with: it needs no model and reads patterns alone."""

COLUMNS = (
    Column(key="one", title="one", kind="text"),
    Column(key="two", title="less the other", kind="text"),
    Column(key="models", title="models", help="Models that both have; the others are left out."),
    Column(key="difference", title="Set-F1", kind="percent",
           help="Difference in points, with its 95 % interval."),
    Column(key="p", title="p", kind="number",
           help="Two-sided, by exchanging the two within weeks."),
    Column(key="p_holm", title="p (Holm)", kind="number",
           help="Corrected for the number of comparisons in this table."),
)  # fmt: skip


def pairs_table(data: WeekData, clusters: Clusters) -> Table:
    """Return the differences between all lines, and of each to the keyword floor.

    Setups are compared over the models that both have; those without a common one are not.
    """
    compared = _with_yardstick(lines(data))
    pairs = []
    for one, two in combinations(_whole(compared), 2):
        if one.models != {""} and two.models != {""}:
            shared = one.models & two.models
            one, two = one.restricted(shared), two.restricted(shared)
        if one.entries and two.entries:
            pairs.append((one, two))
    return _differences(pairs, compared, clusters)


def comparison_table(agents: Sequence[Line], clusters: Clusters) -> Table:
    """Return the differences between all agents, whatever their models."""
    compared = _with_yardstick(agents)
    return _differences(list(combinations(_whole(compared), 2)), compared, clusters)


def _with_yardstick(found: Sequence[Line]) -> list[Line]:
    """Return the lines that are no floor, and the yardstick; all where there are only floors."""
    players = [line for line in found if not line.entries[0].floor]
    yardstick = [line for line in found if line.entries[0].floor and line.name == YARDSTICK]
    return players + yardstick if players else list(found)


def _whole(compared: Sequence[Line]) -> list[Line]:
    return [line for line in compared if line.complete]


def _differences(
    pairs: Sequence[tuple[Line, Line]], compared: Sequence[Line], clusters: Clusters
) -> Table:
    rows: list[tuple[Line, Line, int, Difference]] = []
    for one, two in pairs:
        gap = difference(clusters.parts(one.entries, SET_F1), clusters.parts(two.entries, SET_F1))
        if clusters.by_days:  # days of one week say nothing of other weeks
            gap = Difference(
                value=gap.value, interval=gap.interval, p=None, clusters=1, exact=gap.exact
            )
        rows.append((one, two, max(len(one.entries), len(two.entries)), gap))
    known = [row[3].p for row in rows if row[3].p is not None]
    corrected = iter(holm(known))
    return Table(
        name="differences",
        title="Paired differences in Set-F1",
        columns=COLUMNS,
        rows=[_row(*row, next(corrected) if row[3].p is not None else None) for row in rows],
        note=_note(compared, [row[3] for row in rows], clusters),
    )


def _row(one: Line, two: Line, models: int, gap: Difference, corrected: float | None) -> list[Cell]:
    labels = [f"{line.name} ({line.privilege})" if line.privilege else line.name
              for line in (one, two)]  # fmt: skip
    return [
        *map(cell, labels), cell(models), cell(gap.value, gap.interval), cell(gap.p),
        cell(corrected),
    ]  # fmt: skip


def _note(compared: Sequence[Line], gaps: Sequence[Difference], clusters: Clusters) -> str:
    parts = [f"Intervals: 95 %, over {clusters.words}, drawn for both together."]
    if clusters.by_days:
        parts.append("One week gives no p: what another week would show is not known from it.")
    elif gaps:
        weeks = gaps[0].clusters
        if gaps[0].exact:
            parts.append(
                f"p goes through all {2**weeks:,} exchanges; with {weeks} weeks it cannot fall "
                f"below {2 / 2**weeks:.2g}."
            )
        else:
            parts.append(f"p is drawn, since there are more than {EXACT:,} exchanges.")
    if out := [line.name for line in compared if not line.complete]:
        parts.append(f"Left out, since not all of it was played: {', '.join(out)}.")
    return " ".join(parts)
