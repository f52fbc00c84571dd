"""The plots of a week run: precision against recall, and Set-F1 against what it cost.

Models stand in colours by setup; agents without a model are grey, with their names beside them:
they are what a number has to be read against.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actmem.report.document import Plot
from actmem.report.dots import legend, share
from actmem.report.week_data import Entry, WeekData
from actmem.report.week_rates import PRECISION, RECALL, SET_F1, Clusters, Rate

WIDTH, HEIGHT = 330, 300
LEVELS = (0.2, 0.4, 0.6, 0.8)
"""The levels of F1 at which a line is drawn."""
NEAR = 0.06
"""Levels closer than this share one label."""
RIGHT = 0.7
"""From this recall on a name stands to the left of its point."""
Point = dict[str, Any]
"""What is drawn of one result: a row of a plot's data."""
Channel = dict[str, Any]
"""An encoding channel of Vega-Lite."""


def week_plots(data: WeekData, clusters: Clusters) -> list[Plot]:
    """Return the plots that the data give something to draw for; a point is an entry."""
    points = [_point(entry, clusters) for entry in data.entries]
    plots = [precision_recall(points)]
    if any(point["tokens"] for point in points):
        plots.append(f1_tokens(points))
    return plots


def precision_recall(entries: Sequence[Point]) -> Plot:
    """Plot precision against recall; who chose nothing has no precision and no point."""
    points = [point for point in entries if point["precision"] is not None]
    absent = [point["agent"] for point in entries if point["precision"] is None]
    note = "Curves join points of equal Set-F1. Grey: agents without a model."
    note += _drawn(points)
    if absent:
        note += f" Without a point, since nothing was chosen: {', '.join(absent)}."
    x, y = share("recall", RECALL.title), share("precision", PRECISION.title)
    colours = _colours(entries)
    return Plot(
        name="precision_recall",
        title="Precision against recall",
        spec={
            "description": _description("Precision against recall", points),
            "width": WIDTH,
            "height": HEIGHT,
            "layer": [
                *_iso_f1(),
                *_intervals(points, RECALL, "x", y, colours),
                *_intervals(points, PRECISION, "y", x, colours),
                *_floors(points, x, y),
                *_models(points, x, y, colours),
            ],
        },
        note=note,
    )


def f1_tokens(entries: Sequence[Point]) -> Plot:
    """Plot Set-F1 against tokens a week; the level of an agent without a model is a line."""
    points = [point for point in entries if point["tokens"] and point["set_f1"] is not None]
    floors = [point for point in entries if point["floor"] and point["set_f1"] is not None]
    colours = _colours(entries)
    used = [point["tokens"] for point in points]
    tokens = {
        "field": "tokens", "type": "quantitative", "title": "tokens a week (log scale)",
        "scale": {"type": "log", "domain": [min(used) / 2, max(used) * 2], "nice": False},
        "axis": {"format": "~s", "tickCount": 5, "grid": False},
    }  # fmt: skip
    return Plot(
        name="f1_tokens",
        title="Set-F1 against tokens",
        spec={
            "description": _description("Set-F1 against tokens a week", [*points, *floors]),
            "width": WIDTH,
            "height": HEIGHT,
            "layer": [
                *_levels(floors),
                *_intervals(points, SET_F1, "y", tokens, colours),
                *_models(points, tokens, share("set_f1", SET_F1.title), colours),
            ],
        },
        note="Tokens of prompts and replies, those from the prompt cache included. Dashed: agents "
        "without a model." + _drawn(points),
    )


def _point(entry: Entry, clusters: Clusters) -> Point:
    """Return what is drawn of an entry, as data."""
    result = entry.result
    series = result.setup or entry.name
    point: Point = {
        "agent": entry.name, "floor": entry.floor, "model": result.model,
        "series": f"{series} ({result.privilege})" if result.privilege else series,
        "complete": result.complete, "tokens": result.tokens / max(1, result.planned),
    }  # fmt: skip
    words = [entry.name if result.complete else f"{entry.name}, INCOMPLETE"]
    for rate in (SET_F1, PRECISION, RECALL):
        value = clusters.value([entry], rate)
        bounds = clusters.interval([entry], rate)
        point[rate.key] = value
        point[f"{rate.key}_low"] = bounds.low if bounds else None
        point[f"{rate.key}_high"] = bounds.high if bounds else None
        words.append(f"{rate.title} {'n/a' if value is None else f'{100 * value:.1f} %'}")
    if point["tokens"]:
        words.append(f"{point['tokens']:,.0f} tokens a week")
    return point | {"text": ", ".join(words)}


def _description(title: str, points: Sequence[Point]) -> str:
    return f"{title}. " + "; ".join(point["text"] for point in points)


def _drawn(points: Sequence[Point]) -> str:
    """Say what the signs of the points mean, where they occur."""
    text = "" if all(point["complete"] for point in points) else " Hollow: INCOMPLETE."
    if any(point["set_f1_low"] is not None for point in points):
        text += " Thin lines: 95 % intervals."
    return text


def _iso_f1() -> list[dict[str, Any]]:
    """Return lines of equal F1: precision = F1 · recall / (2 · recall − F1)."""
    lines = []
    for level in LEVELS:
        first = level / (2 - level)
        recalls = [first + (1 - first) * (n / 24) ** 2 for n in range(25)]
        lines += [
            {
                "level": f"F1 {100 * level:.0f}",
                "recall": r,
                "precision": level * r / (2 * r - level),
            }
            for r in recalls
        ]
    ends = [line for line in lines if line["recall"] == 1]
    x, y = share("recall", RECALL.title), share("precision", PRECISION.title)
    return [
        {
            "data": {"values": lines},
            "mark": {"type": "line", "style": "guide", "tooltip": None},
            "encoding": {"x": x, "y": y, "detail": {"field": "level"}},
        },
        {
            "data": {"values": ends},
            "mark": {"type": "text", "style": "guide-label", "align": "left", "dx": 5},
            "encoding": {"x": x, "y": y, "text": {"field": "level"}},
        },
    ]


def _intervals(
    points: Sequence[Point], rate: Rate, along: str, across: Channel, colours: Channel
) -> list[dict[str, Any]]:
    """Return the intervals of a rate as rules along an axis (``x`` or ``y``) through the points.

    ``across`` says where the rules stand on the other axis.
    """
    given = [point for point in points if point[f"{rate.key}_low"] is not None]
    ends = {
        along: share(f"{rate.key}_low", rate.title),
        f"{along}2": {"field": f"{rate.key}_high"},
        {"x": "y", "y": "x"}[along]: across,
    }
    layers = []
    for floor, colour in ((True, {"value": "var(--muted)"}), (False, colours)):
        if some := [point for point in given if point["floor"] == floor]:
            mark = {"type": "rule", "style": "interval"}
            layers.append(
                {"data": {"values": some}, "mark": mark, "encoding": ends | {"color": colour}}
            )
    return layers


def _models(
    points: Sequence[Point], x: Channel, y: Channel, colours: Channel
) -> list[dict[str, Any]]:
    """Return the points of models: coloured by setup, shaped by model, hollow below coverage."""
    models = [point for point in points if not point["floor"]]
    if not models:
        return []
    encoding = {
        "x": x,
        "y": y,
        "color": colours,
        "stroke": colours | {"legend": None},
        "fillOpacity": {"condition": {"test": "datum.complete", "value": 1}, "value": 0},
        "description": {"field": "text"},
    }
    if len({point["model"] for point in models}) > 1:
        encoding["shape"] = {"field": "model", "type": "nominal", "legend": legend(1)}
    mark = {"type": "point", "filled": True, "size": 90, "opacity": 1, "strokeWidth": 2}
    return [{"data": {"values": models}, "mark": mark, "encoding": encoding}]


def _colours(entries: Sequence[Point]) -> Channel:
    """Return the colours of the setups: the same in every plot of the entries."""
    series = [point["series"] for point in entries if not point["floor"]]
    return {
        "field": "series", "type": "nominal", "legend": legend(),
        "scale": {"domain": list(dict.fromkeys(series))},
    }  # fmt: skip


def _floors(points: Sequence[Point], x: Channel, y: Channel) -> list[dict[str, Any]]:
    """Return the points of agents without a model, with their names."""
    floors = [point for point in points if point["floor"]]
    place = {"x": x, "y": y}
    right = [point for point in floors if point["recall"] < RIGHT]
    left = [point for point in floors if point["recall"] >= RIGHT]
    text = {"type": "text", "style": "floor-label", "dy": -10}
    layers = [
        {
            "data": {"values": floors},
            "mark": {
                "type": "point",
                "style": "floor",
                "shape": "diamond",
                "size": 90,
                "opacity": 1,
            },
            "encoding": place | {"description": {"field": "text"}},
        }
    ]
    for some, side in ((right, {"align": "left", "dx": 5}), (left, {"align": "right", "dx": -5})):
        name = {"text": {"field": "agent"}}
        layers.append({"data": {"values": some}, "mark": text | side, "encoding": place | name})
    return layers


def _levels(floors: Sequence[Point]) -> list[dict[str, Any]]:
    """Return lines at the Set-F1 of agents without a model, names of near levels joined."""
    levels: list[list[Point]] = []
    for point in sorted(floors, key=lambda point: float(point["set_f1"] or 0)):
        if levels and point["set_f1"] - levels[-1][-1]["set_f1"] < NEAR:
            levels[-1].append(point)
        else:
            levels.append([point])
    names = [
        {"agent": ", ".join(p["agent"] for p in some), "set_f1": some[-1]["set_f1"]}
        for some in levels
    ]
    y = share("set_f1", SET_F1.title)
    text = {
        "type": "text",
        "style": "floor-label",
        "align": "right",
        "baseline": "bottom",
        "dy": -3,
    }
    return [
        {
            "data": {"values": list(floors)},
            "mark": {"type": "rule", "style": "reference"},
            "encoding": {"y": y, "description": {"field": "text"}},
        },
        {
            "data": {"values": names},
            "mark": text,
            "encoding": {"y": y, "x": {"value": WIDTH}, "text": {"field": "agent"}},
        },
    ]
