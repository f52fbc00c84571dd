"""Results as text: a headline table, then the splits that tell the errors apart."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from actmem.trials.results import Result
from actmem.trials.stats import Rates

SPLITS = ("type", "world", "go")
ERRORS = {"miss_rate": "miss", "late_rate": "late", "false_alarm_rate": "false",
          "wrong_content_rate": "content", "slip_rate": "slip", "ongoing": "ongoing",
          "stated": "stated", "encoded": "encoded"}  # fmt: skip
"""The rates of the error split, by their names in ``Rates``."""


def lines(results: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of the report: a row an agent, rates in per cent, n/a where undefined."""
    subsets = sorted({name for result in results for name in result.groups["subset"]})
    modelled = any(result.model for result in results)
    wide = _width(results)
    head = f"{'agent':<{wide}}{'scored':>9}{'accuracy [95 %]':>22}"
    head += "".join(f"{name:>7}" for name in subsets)
    head += f"{'miss':>7}{'late':>7}{'false':>7}{'ongoing':>9}{'dprime':>7}{'c':>7}"
    yield "trials: over the planned episodes, rates in %"
    yield (
        head
        + (f"{'invalid':>9}{'calls':>7}{'tokens':>9}{'cost':>9}" if modelled else "")
        + "  privilege"
    )
    for result in results:
        rates = result.rates
        covered = f"{result.scored}/{result.planned}"
        row = f"{result.agent:<{wide}}{covered:>9}{_accuracy(rates):>22}"
        row += "".join(f"{_percent(_of(result, 'subset', s)):>7}" for s in subsets)
        row += f"{_percent(rates.miss_rate):>7}{_percent(rates.late_rate):>7}"
        row += f"{_percent(rates.false_alarm_rate):>7}{_percent(rates.ongoing):>9}"
        row += f"{_number(rates.d_prime):>7}{_number(rates.criterion):>7}"
        row += (_model_cells(result) if modelled else "") + f"  {result.privilege}"
        yield row.rstrip() + ("" if result.complete else "  INCOMPLETE, not ranked")
    for title, split, names in _splits(results):
        yield ""
        yield f"{title:<{wide}}" + "".join(f"{name:>13}" for name in names)
        for result in results:
            cells = "".join(f"{_percent(_of(result, split, name)):>13}" for name in names)
            yield f"{result.agent:<{wide}}{cells}"
    yield from errors(results)


def _width(results: Sequence[Result]) -> int:
    """Return the width of the first column: names are never cut, for two may end alike."""
    return max([24, *(len(result.agent) for result in results)]) + 1


def _model_cells(result: Result) -> str:
    """Return what the calls of a model took; nothing for an agent without one."""
    if not result.model:
        return " " * 34
    pruned = "*" if result.pruned else ""
    tokens = f"{result.tokens / 1000:,.0f}k{pruned}"
    return f"{result.invalid:>9}{result.calls:>7}{tokens:>9}{_cost(result.cost):>9}"


def _cost(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.4g}"


def _splits(results: Sequence[Result]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield title, dimension and groups of each table of accuracies, the last one as in Figure 3."""
    for split in SPLITS:
        yield f"accuracy by {split}", split, _names(results, split)
    hard = [name for name in _names(results, "subset_type") if name.startswith("C ")]
    if hard:
        yield "accuracy on C by type", "subset_type", hard


def _names(results: Sequence[Result], split: str) -> list[str]:
    return sorted({name for result in results for name in result.groups[split]})


@lru_cache(maxsize=1)
def paper() -> dict[str, Any]:
    """Return the tables that the source prints, accuracies in per cent."""
    path = Path(__file__).parent / "paper.toml"
    return tomllib.loads(path.read_text("utf-8"))


def published() -> Iterator[str]:
    """Yield Tables 1 and 2 of the source, to be read beside one's own results."""
    yield "published accuracy, in % (other tasks than these; the no-go trials are ours alone)"
    yield f"{'model':<20}{'architecture':<20}{'A':>7}{'B':>7}{'C':>7}"
    for model, setup, *cells in paper()["table_1"]["rows"]:
        yield f"{model:<20}{setup:<20}" + "".join(f"{cell:>7.1f}" for cell in cells)
    yield ""
    yield f"{'subset C: model':<20}{'base':>12}{'reminder at each step':>24}{'gain':>7}"
    for model, base, reminded in paper()["table_2"]["rows"]:
        yield f"{model:<20}{base:>12.1f}{reminded:>24.1f}{reminded - base:>+7.1f}"


def errors(results: Sequence[Result]) -> Iterator[str]:
    """Yield the error split of subset C: misses against false alarms; nothing without C."""
    wide = _width(results)
    rows = [(r.agent, hard) for r in results if (hard := r.groups["subset"].get("C")) is not None]
    if rows:
        yield ""
        heads = "".join(f"{name:>9}" for name in ERRORS.values())
        yield f"{'errors on C, in %':<{wide}}{heads}"
    for agent, hard in rows:
        cells = "".join(f"{_percent(getattr(hard, name)):>9}" for name in ERRORS)
        yield f"{agent:<{wide}}{cells}"


def _of(result: Result, split: str, name: str) -> float | None:
    group = result.groups[split].get(name)
    return group.accuracy if group else None


def _accuracy(rates: Rates) -> str:
    if rates.interval is None:
        return "n/a"
    low, high = rates.interval
    return f"{_percent(rates.accuracy)} [{_percent(low)}, {_percent(high)}]"


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.1f}"


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
