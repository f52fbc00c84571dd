"""Tables in the terminal. Rates are per cent here, and n/a where undefined."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from actmem.report.document import Case, Cell, Column, Report, Table
from actmem.report.text import drawn, shown
from actmem.report.week_agents import agents_table
from actmem.week.records import Links
from actmem.week.results import Rates, Result
from actmem.week.scenario import Scenario
from actmem.week.score import Score

WIDTH = 120
"""Columns of a table where the output is no terminal."""
WORDS = 40
"""Most columns of a text before it is folded."""
LEAST_WORDS = 18
"""Columns that a text has at least, where it needs them."""


def print_json(value: Any) -> None:
    """Print ``value`` as JSON on stdout."""
    print(json.dumps(value, indent=1))


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the command line, which knows the exit code: called where it is handled."""
        raise BrokenPipeError


def _console(width: int | None) -> Console:
    return _Console(highlight=False, markup=False, emoji=False, width=width)


def _print(table: Grid) -> None:
    """Print a table, wider than the terminal rather than with numbers cut short."""
    needed = _console(10_000).measure(table).minimum
    _console(max(needed, _console(None).width if sys.stdout.isatty() else WIDTH)).print(table)


def show_results(results: Sequence[Result]) -> None:
    """Print one row an agent. A row below full coverage is marked and never ranked."""
    show_table(agents_table(results))


def show_report(report: Report) -> None:
    """Print the tables and cases of a report, section by section."""
    print(report.title)
    for name, value in report.facts.items():
        print(f"  {name}: {value}")
    for section in report.sections:
        print(f"\n{section.title.upper()}")
        _print_text(section.text)
        for block in section.blocks:
            if isinstance(block, Table):
                print()
                show_table(block)
            elif isinstance(block, Case):
                print("\n".join(["", block.title, *(f"  {line}" for line in block.lines)]))


def show_table(table: Table) -> None:
    """Print a table; the best of a column bears a star where the output is no terminal."""
    starred = not sys.stdout.isatty()
    drawing = Grid(
        title=table.title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    texts = [
        [_text(cell, column, starred) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    for place, column in enumerate(table.columns):
        widest = max((len(row[place]) for row in texts), default=0)
        if column.kind == "text":  # long ones are folded, numbers never
            least = min(widest, LEAST_WORDS)
            drawing.add_column(column.title, min_width=least, max_width=WORDS, overflow="fold")
        else:
            word = max(map(len, column.title.split()))  # a title is broken between words alone
            drawing.add_column(column.title, justify="right", min_width=max(widest, word))
    for row in texts:
        drawing.add_row(*row)
    _print(drawing)
    _print_text(table.note)


def _text(cell: Cell, column: Column, starred: bool) -> Text:
    text = drawn(cell, column)
    if cell.best:
        return Text(f"*{text}") if starred else Text(text, style="bold green")
    return Text(text)


def _print_text(text: str) -> None:
    """Print sentences, broken at the width of a table."""
    if text:
        _console(_console(None).width if sys.stdout.isatty() else WIDTH).print(text)


def show_score(score: Score, rates: Rates, links: Links) -> None:
    """Print the counts of one log: the week beside its days, then rates and broken links."""
    days = list(score.per_day)
    table = Grid(title=f"{score.steps} steps", title_justify="left")
    table.add_column("count")
    for name in ("week", *(day[:3] for day in days)):
        table.add_column(name, justify="right")
    for metric, total in score.summary.items():
        cells = [str(score.per_day[day].metrics[metric]) for day in days]
        table.add_row(metric, str(total), *cells)
    _print(table)
    for field in Rates.__struct_fields__:
        print(f"{field:<22}{shown(getattr(rates, field), 'percent'):>7}")
    print(f"{'hits with evidence':<22}{links.hits_with_evidence:>7}")
    print(f"{'hits without evidence':<22}{links.hits_without_evidence:>7}")
    for link, number in links.broken.items():
        print(f"{'broken at ' + link:<22}{number:>7}")


def show_composition(scenarios: Sequence[Scenario]) -> None:
    """Print what the weeks are made of, beside Table 1 of the PM-Bench paper."""
    from actmem.week.paper import paper
    from actmem.week.stats import stats

    columns = [stats(scenario) for scenario in scenarios]
    table = Grid(title="composition", title_justify="left")
    table.add_column("statistic")
    table.add_column("PM-Bench paper", justify="right")
    for scenario in scenarios:
        table.add_column(scenario.scenario_name, justify="right")
    for name, published in paper().table_1.items():
        table.add_row(name, str(published), *(str(column[name]) for column in columns))
    _print(table)
