"""Making cells: values with intervals, and marking the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from actmem.report.document import Cell, Value

if TYPE_CHECKING:
    from actmem.report.stats import Interval

NOTHING = Cell(value="")
"""A cell in which nothing belongs, as against a rate that is undefined."""


def cell(value: Value, interval: Interval | None = None, note: str = "") -> Cell:
    """Return a cell, with its interval where there is one."""
    if interval is None:
        return Cell(value=value, note=note)
    return Cell(value=value, low=interval.low, high=interval.high, note=note)


def share(part: float, whole: float) -> Cell:
    """Return ``part / whole``, undefined where there is nothing to divide by."""
    return Cell(value=part / whole if whole else None)


def coverage(scored: int, planned: int) -> Cell:
    """Return the cell that says how many of the planned episodes were played to their end."""
    return Cell(value=f"{scored}/{planned}", note="" if scored == planned else "INCOMPLETE")


def printed(per_cent: float | None) -> Cell:
    """Return a published figure, given in per cent; nothing where none was printed."""
    return NOTHING if per_cent is None else Cell(value=round(per_cent / 100, 6))


def best_of(cells: Sequence[Cell], ranked: Sequence[bool]) -> list[Cell]:
    """Mark the highest of the ranked cells, and its equals; none where it beats no other."""
    values = [
        c.value if ok and isinstance(c.value, int | float) else None
        for c, ok in zip(cells, ranked, strict=True)
    ]
    known = [value for value in values if value is not None]
    if not known or min(known) == max(known):
        return list(cells)
    highest = max(known)
    return [
        msgspec.structs.replace(c, best=True) if value == highest else c
        for c, value in zip(cells, values, strict=True)
    ]


def with_best(
    rows: Sequence[Sequence[Cell]], ranked: Sequence[bool], columns: Sequence[int]
) -> list[list[Cell]]:
    """Mark the best of each of the columns, which are given by their place."""
    table = [list(row) for row in rows]
    for column in columns:
        marked = best_of([row[column] for row in table], ranked)
        for row, one in zip(table, marked, strict=True):
            row[column] = one
    return table
