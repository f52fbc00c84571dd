"""The plots of a mem2act run: F1 by system and by level, and evidence recall against F1.

Needs the extra ``memory`` for the intervals.
"""

from __future__ import annotations

from collections.abc import Sequence

from actmem.mem2act.compare import interval
from actmem.mem2act.results import Row
from actmem.report.document import Plot
from actmem.report.dots import WIDTH, Dot, dot_plot, share


def mem2act_plots(rows: Sequence[Row]) -> list[Plot]:
    """Return the plots that the rows give something to draw for; retrieval alone has no F1."""
    drawn = [f1(rows), f1_by_level(rows), tsa(rows), recall_f1(rows)]
    return [plot for plot in drawn if plot is not None]


def f1(rows: Sequence[Row]) -> Plot | None:
    """Plot F1 by system, with intervals by bootstrap over tasks."""
    dots = []
    for row in rows:
        if row.by_task:
            found = interval(row.by_task, "f1")
            dots.append(Dot(row=name(row), value=found.mean, low=found.low, high=found.high))
    note = "Mean over tasks. Thin lines: 95 % intervals (bootstrap over tasks)."
    return dot_plot("f1", "F1 by system", "F1", dots, note) if dots else None


def f1_by_level(rows: Sequence[Row]) -> Plot | None:
    """Plot F1 by the level of complexity that the data give a task."""
    dots = [
        Dot(row=name(row), group=level, value=found.f1)
        for row in rows
        if row.analysis is not None
        for level, found in row.analysis.by_level.items()
        if found.f1 is not None
    ]
    note = "Mean over the tasks of each level."
    return dot_plot("f1_by_level", "F1 by level", "F1", dots, note) if dots else None


def recall_f1(rows: Sequence[Row]) -> Plot | None:
    """Plot the share of the evidence that was retrieved against F1."""
    points = []
    for row in rows:
        recall = row.retrieval["all"].means["recall"]
        score = row.scores.all.f1 if row.scores is not None else None
        if recall is not None and score is not None:
            words = f"{name(row)}: recall {100 * recall:.1f} %, F1 {100 * score:.1f} %"
            points.append(
                {"system": name(row), "model": row.model, "recall": recall, "f1": score,
                 "text": words}
            )  # fmt: skip
    if not points:
        return None
    systems = [point["system"] for point in points]
    return Plot(
        name="recall_f1",
        title="Evidence recall against F1",
        spec={
            "description": "Evidence recall against F1. " + "; ".join(str(p["text"]) for p in points),
            "width": WIDTH,
            "height": WIDTH,
            "data": {"values": points},
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
            "encoding": {
                "x": share("recall", "evidence recall"),
                "y": share("f1", "F1"),
                "color": {
                    "field": "system", "type": "nominal", "scale": {"domain": systems},
                    "legend": {"orient": "bottom", "title": None, "columns": 1},
                },
                "description": {"field": "text"},
            },
        },
        note="Recall is the share of a task's facts that the passages cover. High recall and low F1: "
        "the reader has the evidence and does not use it.",
    )  # fmt: skip


def tsa(rows: Sequence[Row]) -> Plot | None:
    """Plot tool selection by the number of hard negatives; None where no run has any."""
    dots = [
        Dot(row=row.agent, group=str(row.negatives), value=row.scores.all.tsa)
        for row in rows
        if row.scores is not None and row.scores.all.tsa is not None and row.negatives
    ]
    note = "Colours are the number of hard negatives beside the right tool."
    title = "Tool selection by number of hard negatives"
    return dot_plot("tsa_by_negatives", title, "TSA", dots, note) if dots else None


def name(row: Row) -> str:
    """Return how a plot calls a row: with its privilege, and marked below coverage."""
    text = f"{row.title} ({row.privilege})" if row.privilege else row.title
    return text if row.status == "complete" else f"{text}, INCOMPLETE"
