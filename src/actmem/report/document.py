"""What a report holds, before it is drawn: sections of tables, plots, notes and cases.

A suite's report builds a ``Report``; terminal, Markdown, CSV, JSON and the HTML page draw the same
one. Nothing here knows a suite, and nothing that draws knows one either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

Value = str | int | float | None
"""A cell's value as data. None is an undefined rate: n/a where drawn, null in JSON."""


class Cell(Struct, frozen=True, kw_only=True):
    """One cell of a table."""

    value: Value
    low: float | None = None
    """Lower end of the 95 % interval, in the unit of ``value``."""
    high: float | None = None
    best: bool = False
    """True for the best of its column, or of its row where the table says so; only full coverage
    without privilege competes."""
    note: str = ""
    """A few words that are drawn beside the value, such as ``INCOMPLETE``."""


class Column(Struct, frozen=True, kw_only=True):
    """What stands in a column."""

    key: str
    """Name in CSV and JSON."""
    title: str
    kind: Literal["text", "count", "percent", "number"] = "count"
    """``percent`` holds a fraction, drawn as per cent with one decimal."""
    help: str = ""
    """One sentence: what it counts, over what."""


class Table(Struct, frozen=True, kw_only=True, tag="table"):
    """Rows by columns. Each row has a cell for each column."""

    name: str
    """Short and unique in the report; names the CSV file and the JSON key."""
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    note: str = ""


class Plot(Struct, frozen=True, kw_only=True, tag="plot"):
    """A Vega-Lite specification; its data stand in it. Text outputs leave it out."""

    name: str
    title: str
    spec: dict[str, Any]
    note: str = ""


class Case(Struct, frozen=True, kw_only=True, tag="case"):
    """One thing that went wrong, in lines that a person reads."""

    name: str
    title: str
    lines: Sequence[str]


class Moment(Struct, frozen=True, kw_only=True):
    """A step of a calendar: when, and what was due, seen and done there."""

    day: str
    time: str
    step: str
    marks: Sequence[tuple[str, str]]
    """Outcome (hit, late, open, miss, false, query, invalid) and the words for it, one for each due
    action, act or query. The words' first line is short; what follows is detail."""


class Calendar(Struct, frozen=True, kw_only=True, tag="calendar"):
    """One episode laid out by day and step. Text outputs leave it out."""

    name: str
    title: str
    moments: Sequence[Moment]
    note: str = ""


Block = Table | Plot | Case | Calendar


class Section(Struct, frozen=True, kw_only=True):
    """A heading, a few sentences, and what belongs to it."""

    title: str
    text: str = ""
    blocks: Sequence[Block] = ()


class Report(Struct, frozen=True, kw_only=True):
    """A whole report of runs of one suite."""

    suite: str
    title: str
    facts: dict[str, str]
    """What moves the numbers: scenario set, scorer version, runs, seeds, models, prompts."""
    sections: Sequence[Section]
    incomplete: Sequence[str] = ()
    """A line for each row below full coverage: which it is, how far it came, and why."""
