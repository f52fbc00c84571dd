"""Results as text: a headline table, then the splits that tell the errors apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from actmem.trials.results import Result
from actmem.trials.stats import Rates

SPLITS = ("type", "world", "go")


def lines(results: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of the report: a row an agent, rates in per cent, n/a where undefined."""
    subsets = sorted({name for result in results for name in result.groups["subset"]})
    head = f"{'agent':<16}{'scored':>9}{'accuracy [95 %]':>22}"
    head += "".join(f"{name:>7}" for name in subsets)
    yield "trials: over the planned episodes, rates in %"
    yield head + f"{'miss':>7}{'late':>7}{'false':>7}{'ongoing':>9}{'dprime':>7}{'c':>7}  privilege"
    for result in results:
        rates = result.rates
        covered = f"{result.scored}/{result.planned}"
        row = f"{result.agent[-15:]:<16}{covered:>9}{_accuracy(rates):>22}"
        row += "".join(f"{_percent(_of(result, 'subset', s)):>7}" for s in subsets)
        row += f"{_percent(rates.miss_rate):>7}{_percent(rates.late_rate):>7}"
        row += f"{_percent(rates.false_alarm_rate):>7}{_percent(rates.ongoing):>9}"
        row += f"{_number(rates.d_prime):>7}{_number(rates.criterion):>7}  {result.privilege}"
        yield row.rstrip() + ("" if result.complete else "  INCOMPLETE, not ranked")
    for split in SPLITS:
        names = sorted({name for result in results for name in result.groups[split]})
        yield ""
        yield f"{'accuracy by ' + split:<25}" + "".join(f"{name:>13}" for name in names)
        for result in results:
            cells = "".join(f"{_percent(_of(result, split, name)):>13}" for name in names)
            yield f"{result.agent[-24:]:<25}{cells}"


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
