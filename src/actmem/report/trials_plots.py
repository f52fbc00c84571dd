"""The plots of a trials run: accuracy by subset, and how the trials went wrong."""

from __future__ import annotations

from collections.abc import Sequence

from actmem.report.document import Plot
from actmem.report.dots import Dot, dot_plot
from actmem.trials.results import Result

ERRORS = {
    "miss_rate": "miss",
    "late_rate": "late",
    "false_alarm_rate": "false alarm",
    "wrong_content_rate": "wrong content",
    "slip_rate": "slip",
}
"""The rates of ``Rates`` that tell errors apart, and their names."""


def trials_plots(results: Sequence[Result]) -> list[Plot]:
    """Return the plots of the results; none where there is nothing to draw."""
    drawn = [accuracy(results), errors(results)]
    return [plot for plot in drawn if plot is not None]


def accuracy(results: Sequence[Result]) -> Plot | None:
    """Plot accuracy by subset, with Wilson intervals."""
    dots = []
    for result in results:
        for subset, rates in result.groups["subset"].items():
            if rates.accuracy is not None and rates.interval is not None:
                low, high = rates.interval
                dots.append(
                    Dot(row=name(result), group=subset, value=rates.accuracy, low=low, high=high)
                )
    note = "Over the planned trials of each subset. Thin lines: 95 % intervals (Wilson)."
    return dot_plot("accuracy", "Accuracy by subset", "trials passed", dots, note) if dots else None


def errors(results: Sequence[Result]) -> Plot | None:
    """Plot the rates of each kind of error over all trials."""
    dots = [
        Dot(row=name(result), group=kind, value=rate)
        for result in results
        for field, kind in ERRORS.items()
        if (rate := getattr(result.rates, field)) is not None
    ]
    note = "Misses and late acts over the trials with something to do, the others over all trials."
    return dot_plot("errors", "Kinds of errors", "share of trials", dots, note) if dots else None


def name(result: Result) -> str:
    """Return how a plot calls a row: with its privilege, and marked below full coverage."""
    text = f"{result.agent} ({result.privilege})" if result.privilege else result.agent
    return text if result.complete else f"{text}, INCOMPLETE"
