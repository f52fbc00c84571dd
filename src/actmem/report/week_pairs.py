"""Differences between setups or agents on the same weeks, and whether chance could make them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec

from actmem.report.document import Table
from actmem.report.pairs import Pair, differences_table
from actmem.report.stats import difference
from actmem.report.week_data import WeekData
from actmem.report.week_rates import SET_F1, Clusters, Line, lines

YARDSTICK = "keyword"
"""The floor that every line is compared with: it needs no model and reads patterns alone."""


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
    rows = []
    for one, two in pairs:
        gap = difference(clusters.parts(one.entries, SET_F1), clusters.parts(two.entries, SET_F1))
        if clusters.by_days:  # days of one week say nothing of other weeks
            gap = msgspec.structs.replace(gap, p=None)
        members = max(len(one.entries), len(two.entries))
        rows.append(Pair(_label(one), _label(two), members, gap))
    parts = [f"Intervals: 95 %, over {clusters.words}, drawn for both together."]
    if clusters.by_days:
        parts.append("One week gives no p: what another week would show is not known from it.")
    if out := [line.name for line in compared if not line.complete]:
        parts.append(f"Left out, since not all of it was played: {', '.join(out)}.")
    return differences_table(rows, SET_F1.title, " ".join(parts), "weeks")


def _label(line: Line) -> str:
    return f"{line.name} ({line.privilege})" if line.privilege else line.name
