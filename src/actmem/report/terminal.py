"""Tables in the terminal. Rates are per cent here, and n/a where undefined."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from actmem.week.records import Links
from actmem.week.results import Rates, Result
from actmem.week.scenario import Scenario
from actmem.week.score import Score

WIDTH = 120
"""Columns of a table where the output is no terminal."""
MODELLED = ("invalid", "calls", "tokens")
"""Further columns of a run with models. A star says that long histories were pruned."""
WORDS = 40
"""Most columns of an agent's name before it is folded."""


def print_json(value: Any) -> None:
    """Print ``value`` as JSON on stdout."""
    print(json.dumps(value, indent=1))


def percent(value: float | None) -> str:
    """Return a fraction as per cent with one decimal."""
    return "n/a" if value is None else f"{100 * value:.1f}"


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the command line, which knows the exit code: called where it is handled."""
        raise BrokenPipeError


def _console(width: int | None) -> Console:
    return _Console(highlight=False, markup=False, emoji=False, width=width)


def _print(table: Table) -> None:
    """Print a table, wider than the terminal rather than with numbers cut short."""
    needed = _console(10_000).measure(table).minimum
    _console(max(needed, _console(None).width if sys.stdout.isatty() else WIDTH)).print(table)


def show_results(results: Sequence[Result]) -> None:
    """Print one row an agent. A row below full coverage is marked and never ranked."""
    table = Table(
        title="week: pooled over the planned episodes, rates in %",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    modelled = any(result.model for result in results)
    names = ["agent", "scored", "Set-F1", "per week", "prec", "recall", "late", "x-day", "update",
             "FP", "clock", "hidden", "stale"]  # fmt: skip
    for name in [*names, *(MODELLED if modelled else ()), "privilege"]:
        if name in ("agent", "privilege"):  # long ones are folded, numbers never
            table.add_column(name, max_width=WORDS, overflow="fold")
        else:
            table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        rates, counts = result.rates, result.counts
        covered = f"{result.scored}/{result.planned}"
        table.add_row(
            result.agent,
            covered if result.complete else f"{covered} INCOMPLETE",
            percent(rates.set_f1),
            f"{percent(result.set_f1_mean)} ± {percent(result.set_f1_sd)}",
            percent(rates.precision),
            percent(rates.recall),
            percent(rates.late_rate),
            percent(rates.cross_day_hit_rate),
            percent(rates.update_hit_rate),
            str(counts["set_fp"]),
            str(counts["clock_queries"]),
            str(counts["hidden_channel_queries"]),
            str(counts["stale_acts"]),
            *(_model_cells(result) if modelled else ()),
            result.privilege,
        )
    _print(table)


def _model_cells(result: Result) -> tuple[str, ...]:
    """Return the cells of ``MODELLED``; empty for an agent without a model."""
    if not result.model:
        return ("",) * len(MODELLED)
    pruned = "*" if result.pruned else ""
    return str(result.invalid), str(result.calls), f"{result.tokens / 1000:,.0f}k{pruned}"


def show_score(score: Score, rates: Rates, links: Links) -> None:
    """Print the counts of one log: the week beside its days, then rates and broken links."""
    days = list(score.per_day)
    table = Table(title=f"{score.steps} steps", title_justify="left")
    table.add_column("count")
    for name in ("week", *(day[:3] for day in days)):
        table.add_column(name, justify="right")
    for metric, total in score.summary.items():
        cells = [str(score.per_day[day].metrics[metric]) for day in days]
        table.add_row(metric, str(total), *cells)
    _print(table)
    for field in Rates.__struct_fields__:
        print(f"{field:<22}{percent(getattr(rates, field)):>7}")
    print(f"{'hits with evidence':<22}{links.hits_with_evidence:>7}")
    print(f"{'hits without evidence':<22}{links.hits_without_evidence:>7}")
    for link, number in links.broken.items():
        print(f"{'broken at ' + link:<22}{number:>7}")


def show_composition(scenarios: Sequence[Scenario]) -> None:
    """Print what the weeks are made of, beside Table 1 of the PM-Bench paper."""
    from actmem.week.stats import paper_table_1, stats

    columns = [stats(scenario) for scenario in scenarios]
    table = Table(title="composition", title_justify="left")
    table.add_column("statistic")
    table.add_column("PM-Bench paper", justify="right")
    for scenario in scenarios:
        table.add_column(scenario.scenario_name, justify="right")
    for name, published in paper_table_1().items():
        table.add_row(name, str(published), *(str(column[name]) for column in columns))
    _print(table)
