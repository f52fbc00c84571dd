"""A table of paired differences, whatever is compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from actmem.report.cells import cell
from actmem.report.document import Column, Table
from actmem.report.stats import EXACT, Difference, holm


class Pair(NamedTuple):
    """Two that were compared."""

    one: str
    two: str
    members: int
    """Models over which both were pooled."""
    gap: Difference


def differences_table(pairs: Sequence[Pair], rate: str, note: str, unit: str = "") -> Table:
    """Return a row a pair, p-values corrected for their number.

    ``unit`` is what is exchanged for p; empty where p was found otherwise.
    """
    corrected = iter(holm([pair.gap.p for pair in pairs if pair.gap.p is not None]))
    return Table(
        name="differences",
        title=f"Paired differences in {rate}",
        columns=[
            Column(key="one", title="one", kind="text"),
            Column(key="two", title="less the other", kind="text"),
            Column(key="models", title="models", help="Models that both have."),
            Column(key="difference", title=rate, kind="percent",
                   help="Difference in points, with its 95 % interval."),
            Column(key="p", title="p", kind="number",
                   help="Two-sided" + (f", by exchanging the two within {unit}." if unit else ".")),
            Column(key="p_holm", title="p (Holm)", kind="number",
                   help="Corrected for the number of comparisons in this table."),
        ],
        rows=[
            [
                cell(pair.one), cell(pair.two), cell(pair.members),
                cell(pair.gap.value, pair.gap.interval), cell(pair.gap.p),
                cell(None if pair.gap.p is None else next(corrected)),
            ]
            for pair in pairs
        ],
        note=" ".join(part for part in (note, _exchanges(pairs, unit)) if part)
        if pairs
        else f"There are no two to compare. {note}",
    )  # fmt: skip


def _exchanges(pairs: Sequence[Pair], unit: str) -> str:
    """Say how p was found, and how small it can get."""
    known = [pair.gap for pair in pairs if pair.gap.p is not None]
    if not known or not unit:
        return ""
    clusters = known[0].clusters
    if known[0].exact:
        return (
            f"p goes through all {2**clusters:,} exchanges; with {clusters} {unit} it cannot fall "
            f"below {2 / 2**clusters:.2g}."
        )
    return f"p is drawn, since there are more than {EXACT:,} exchanges."
