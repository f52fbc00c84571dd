"""The dot plot that several suites use: a line for each row, a dot for each of its groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from actmem.report.document import Plot

WIDTH = 250
"""Pixels of a plot's frame; with its labels it fits the width of a phone."""
LABEL = 175
"""Most pixels of a row's name."""
STEP = 15
"""Pixels from dot to dot."""


class Dot(Struct, frozen=True, kw_only=True):
    """One dot: a fraction and its 95 % interval, where there is one."""

    row: str
    group: str = ""
    value: float
    low: float | None = None
    high: float | None = None

    def text(self) -> str:
        """Return the dot in words."""
        name = f"{self.row}, {self.group}" if self.group else self.row
        text = f"{name}: {100 * self.value:.1f} %"
        if self.low is None or self.high is None:
            return text
        return f"{text} ({100 * self.low:.1f} to {100 * self.high:.1f})"


def dot_plot(name: str, title: str, axis: str, dots: Sequence[Dot], note: str = "") -> Plot:
    """Return a plot of fractions from 0 to 1; rows and groups stand in the order of the dots."""
    rows = list(dict.fromkeys(dot.row for dot in dots))
    groups = list(dict.fromkeys(dot.group for dot in dots))
    values = [
        {"row": dot.row, "group": dot.group, "value": dot.value, "low": dot.low, "high": dot.high,
         "text": dot.text()}
        for dot in dots
    ]  # fmt: skip
    place: dict[str, Any] = {
        "y": {
            "field": "row", "type": "nominal", "sort": rows, "title": None,
            "scale": {"paddingInner": 0.25, "paddingOuter": 0.1},
            "axis": {
                "labelLimit": LABEL,
                "labelPadding": 14, "domain": False, "ticks": False, "grid": True},
        },
        "yOffset": {"field": "group", "sort": groups, "scale": {"paddingOuter": 0.4}},
        "color": {
            "field": "group", "type": "nominal", "sort": groups,
            "legend": legend(4 if max(map(len, groups)) < 6 else 2) if len(groups) > 1 else None,
        },
    }  # fmt: skip
    return Plot(
        name=name,
        title=title,
        spec={
            "description": f"{title}. " + "; ".join(dot.text() for dot in dots),
            "width": WIDTH,
            "height": {"step": STEP},
            "data": {"values": values},
            "encoding": place,
            "layer": [
                {
                    "transform": [{"filter": "datum.low !== null && datum.high !== null"}],
                    "mark": {"type": "rule", "style": "interval"},
                    "encoding": {"x": share("low", axis), "x2": {"field": "high"}},
                },
                {
                    "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                    "encoding": {"x": share("value", axis), "description": {"field": "text"}},
                },
            ],
        },
        note=note,
    )


def share(field: str, title: str) -> dict[str, Any]:
    """Return the channel of a fraction on an axis from 0 to 100 %."""
    return {
        "field": field, "type": "quantitative", "title": title, "scale": {"domain": [0, 1]},
        "axis": {"format": ".0%", "tickCount": 5},
    }  # fmt: skip


def legend(columns: int = 2) -> dict[str, Any]:
    """Return a legend below the plot."""
    return {"orient": "bottom", "title": None, "columns": columns, "columnPadding": 24}
