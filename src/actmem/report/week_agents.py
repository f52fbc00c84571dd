"""One row an agent of a run of weeks: what a run prints when it ends. Loads no numpy."""

from __future__ import annotations

from collections.abc import Sequence

from actmem.report.cells import cell, coverage
from actmem.report.document import Cell, Column, Table
from actmem.week.results import Result

COLUMNS = (
    Column(key="agent", title="agent", kind="text"),
    Column(key="scored", title="scored", kind="text",
           help="Episodes played to their end, of the planned ones; the rest are empty acts."),
    Column(key="set_f1", title="Set-F1", kind="percent", help="2 TP / (2 TP + FP + FN)."),
    Column(key="set_f1_mean", title="per week", kind="percent",
           help="Mean and standard deviation over weeks."),
    Column(key="precision", title="prec", kind="percent", help="Hits over chosen handles."),
    Column(key="recall", title="recall", kind="percent", help="TP / (TP + FN)."),
    Column(key="late_rate", title="late", kind="percent", help="Tasks done late."),
    Column(key="cross_day_hit_rate", title="x-day", kind="percent",
           help="Hit rate of tasks announced on an earlier day."),
    Column(key="update_hit_rate", title="update", kind="percent",
           help="Hit rate of tasks that were updated and not cancelled."),
    Column(key="fp", title="FP", help="Handles chosen that were not due."),
    Column(key="clock_queries", title="clock", help="Queries of the clock."),
    Column(key="channel_queries", title="hidden", help="Queries of other channels."),
    Column(key="stale_acts", title="stale", help="Acts on what an update had changed."),
)  # fmt: skip
MODELLED = (
    Column(key="invalid", title="invalid", help="Steps that an empty act stands in for."),
    Column(key="calls", title="calls", help="Calls of the model."),
    Column(
        key="tokens", title="tokens", help="Prompts and replies; a star: histories were pruned."
    ),
)
"""Further columns where there are models."""
PRIVILEGE = Column(key="privilege", title="privilege", kind="text")


def agents_table(results: Sequence[Result]) -> Table:
    """Return a row an agent; one below full coverage is marked."""
    modelled = any(result.model for result in results)
    return Table(
        name="agents",
        title="week: pooled over the planned episodes, rates in %",
        columns=[*COLUMNS, *(MODELLED if modelled else ()), PRIVILEGE],
        rows=[_row(result, modelled) for result in results],
    )


def _row(result: Result, modelled: bool) -> list[Cell]:
    rates, counts = result.rates, result.counts
    spread = "n/a" if result.set_f1_sd is None else f"{100 * result.set_f1_sd:.1f}"
    cells = [
        cell(result.agent),
        coverage(result.scored, result.planned),
        cell(rates.set_f1),
        cell(result.set_f1_mean, note=f"± {spread}"),
        *(cell(value) for value in (rates.precision, rates.recall, rates.late_rate)),
        *(cell(value) for value in (rates.cross_day_hit_rate, rates.update_hit_rate)),
        *(
            cell(counts[name])
            for name in ("set_fp", "clock_queries", "hidden_channel_queries", "stale_acts")
        ),
    ]
    if modelled:
        numbers = (result.invalid, result.calls, result.tokens)
        cells += [cell(number if result.model else "") for number in numbers]
        if result.pruned:
            cells[-1] = cell(result.tokens, note="*")
    return [*cells, cell(result.privilege)]
