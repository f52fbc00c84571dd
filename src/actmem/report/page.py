"""A report as one HTML file that opens offline: no script, no font, no image from elsewhere.

Plots are drawn as SVG when the page is made. A page without scripts prints, opens anywhere, and
gives a hostile name nothing to run; its content security policy forbids the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from actmem.extra import load
from actmem.report.document import Block, Calendar, Moment, Plot, Report, Value
from actmem.report.svg import draw, printable
from actmem.report.text import shown

TEMPLATE = Path(__file__).parent / "template"

OUTCOMES = {
    "hit": ("✓", "on time"),
    "late": ("◷", "late"),
    "open": ("○", "due, not yet done"),
    "miss": ("✗", "missed"),
    "false": ("!", "false alarm"),
    "invalid": ("⊘", "no valid action"),
    "query": ("?", "question"),
}
"""Sign and name of the outcomes that a calendar draws; the sign, so that colour is not all."""


def render_html(report: Report) -> str:
    """Return the page of a report. Equal reports have equal pages.

    Raises ``InputError`` that names the extra where a package is missing.
    """
    page: str = _environment().get_template("page.html").render(report=report)
    return page


def groups(blocks: Sequence[Block]) -> list[tuple[str, list[Block]]]:
    """Return blocks in order, neighbours of one kind together: plots stand side by side."""
    return [(kind, list(some)) for kind, some in groupby(blocks, lambda b: type(b).__name__)]


def days(calendar: Calendar) -> list[tuple[str, list[Moment]]]:
    """Return the moments of each day, in order."""
    return [(day, list(some)) for day, some in groupby(calendar.moments, lambda m: m.day)]


def tally(calendar: Calendar) -> list[tuple[str, str, str, int]]:
    """Return (outcome, sign, name, number of marks) for what a calendar holds."""
    counts = Counter(outcome for moment in calendar.moments for outcome, _ in moment.marks)
    order = [*OUTCOMES, *sorted(counts.keys() - OUTCOMES.keys())]
    return [(name, *sign(name), counts[name]) for name in order if counts[name]]


def sign(outcome: str) -> tuple[str, str]:
    """Return the sign and the name of an outcome."""
    return OUTCOMES.get(outcome, ("•", outcome.replace("_", " ")))


def signed(value: Value, kind: str) -> str:
    """Return a cell's value as other outputs show it, with a minus sign that is one."""
    text = shown(value, kind)
    return text if isinstance(value, str) else text.replace("-", "\N{MINUS SIGN}")


def _environment() -> Any:
    """Return the templates' environment; everything that it prints is escaped."""
    jinja2, markup = (load(name, "a report", "report") for name in ("jinja2", "markupsafe"))

    def svg(plot: Plot, name: str) -> Any:
        return markup.Markup(draw(plot, name))

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    environment.filters |= {
        "groups": groups, "days": days, "tally": tally, "sign": sign, "shown": signed, "svg": svg,
        "first_line": lambda words: words.partition("\n")[0],
    }  # fmt: skip
    return environment
