"""Rates of weeks, their intervals and differences: what is counted, and how it is pooled.

A *line* of a table is a setup with all its models, or a single agent. Its rate is the mean over its
members of each one's pooled rate, as in the paper; the micro rate pools the members too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from actmem.report.stats import Array, Interval, interval, mean_ratio
from actmem.report.week_data import Entry, Source, WeekData
from actmem.week.agents.setups import SETUPS
from actmem.week.results import Played, add
from actmem.week.scenario import CLOCK
from actmem.week.score import DayScore, Tally


class Rate(Struct, frozen=True):
    """A ratio of two sums of counts, each with its factor."""

    key: str
    title: str
    help: str
    above: dict[str, int]
    below: dict[str, int]


SET_F1 = Rate(
    "set_f1", "Set-F1", "2 TP / (2 TP + FP + FN) over steps, mean over models",
    {"set_tp": 2}, {"set_tp": 2, "set_fp": 1, "set_fn": 1},
)  # fmt: skip
PRECISION = Rate(
    "precision", "precision", "hits over chosen handles, mean over models",
    {"hit": 1}, {"chosen_tasks": 1},
)  # fmt: skip
RECALL = Rate(
    "recall", "recall", "of the due actions, those done then, mean over models",
    {"set_tp": 1}, {"set_tp": 1, "set_fn": 1},
)  # fmt: skip
CROSS_DAY = Rate(
    "cross_day_hit", "cross-day", "hit rate of tasks announced on an earlier day",
    {"cross_day_hit": 1}, {"cross_day_total": 1},
)  # fmt: skip
UPDATE = Rate(
    "update_hit", "update", "hit rate of tasks that were updated and not cancelled",
    {"update_hit": 1}, {"update_total": 1, "update_canceled": -1},
)  # fmt: skip
NARRATIVE = Rate(
    "narrative", "narrative", "hit rate of tasks whose condition stands in the open",
    {"narrative:hit": 1}, {"narrative:total": 1},
)  # fmt: skip
CLOCK_RATE = Rate(
    "clock", "clock", "hit rate of tasks for which the hidden clock has to be asked",
    {"clock:hit": 1}, {"clock:total": 1},
)  # fmt: skip
CHANNEL = Rate(
    "channel", "channel", "hit rate of tasks for which another hidden channel has to be asked",
    {"channel:hit": 1}, {"channel:total": 1},
)  # fmt: skip


def on_channel(name: str) -> Rate:
    """Return the hit rate of the tasks that one hidden channel cues."""
    return Rate(
        name, name.replace("_", " "), f"hit rate of tasks for which {name} has to be asked",
        {f"on:{name}:hit": 1}, {f"on:{name}:total": 1},
    )  # fmt: skip


class Line(NamedTuple):
    """A row of a table: a setup with its models, or a single agent."""

    name: str
    entries: tuple[Entry, ...]

    @property
    def source(self) -> Source:
        """Where it comes from."""
        return self.entries[0].source

    @property
    def complete(self) -> bool:
        """True where every planned episode of every member was played to its end."""
        return all(entry.result.complete for entry in self.entries)

    @property
    def privilege(self) -> str:
        """What its members get beyond the standard observation."""
        return ", ".join(
            dict.fromkeys(e.result.privilege for e in self.entries if e.result.privilege)
        )

    @property
    def ranked(self) -> bool:
        """True where it may be the best: all of it was played, and with no privilege."""
        return self.complete and not self.privilege

    @property
    def models(self) -> frozenset[str]:
        """The members' models."""
        return frozenset(entry.result.model for entry in self.entries)

    def restricted(self, models: frozenset[str]) -> Line:
        """Return the line with the members of some models alone, in the order of their names."""
        kept = [entry for entry in self.entries if entry.result.model in models]
        return self._replace(entries=tuple(sorted(kept, key=lambda entry: entry.result.model)))


def lines(data: WeekData) -> list[Line]:
    """Return the lines: setups in their order, single agents, floors and oracle."""
    found = []
    for setup in SETUPS:
        members = tuple(entry for entry in data.entries if entry.result.setup == setup)
        if members:
            found.append(Line(setup, members))
    single = [Line(e.name, (e,)) for e in data.entries if not e.result.setup]
    return [*found, *sorted(single, key=lambda line: line.entries[0].floor)]


class Clusters:
    """What is drawn for intervals: weeks, or the days of a single week."""

    def __init__(self, data: WeekData) -> None:
        self.by_days = len(data.units) == 1
        """True for a single week: its days stand in, and say less."""
        self._keys = [
            (unit, day.day.name if self.by_days else "")
            for unit, plan in data.plans.items()
            for day in (plan.days if self.by_days else plan.days[:1])
        ]
        self._tallies: dict[tuple[str, str, str], dict[tuple[str, str], Tally]] = {}

    @cached_property
    def words(self) -> str:
        """What the intervals are over, in words."""
        number = len(self._keys)
        return f"the {number} days of the one week" if self.by_days else f"{number} weeks"

    def parts(self, entries: Sequence[Entry], rate: Rate) -> Array:
        """Return what stands above and below the line: (clusters, members, 2)."""
        found = np.zeros((len(self._keys), len(entries), 2))
        for member, entry in enumerate(entries):
            tallies = self._of(entry)
            for cluster, key in enumerate(self._keys):
                tally = tallies[key]
                found[cluster, member] = _sum(tally, rate.above), _sum(tally, rate.below)
        return found

    def value(self, entries: Sequence[Entry], rate: Rate) -> float | None:
        """Return the mean over the entries of the pooled rate; None where none has one."""
        found = float(mean_ratio(self.parts(entries, rate).sum(axis=0)))
        return None if np.isnan(found) else found

    def micro(self, entries: Sequence[Entry], rate: Rate) -> float | None:
        """Return the rate of the entries' counts pooled."""
        above, below = self.parts(entries, rate).sum(axis=(0, 1))
        return float(above / below) if below else None

    def interval(self, entries: Sequence[Entry], rate: Rate) -> Interval | None:
        """Return the interval of ``value``."""
        return interval(self.parts(entries, rate))

    def _of(self, entry: Entry) -> dict[tuple[str, str], Tally]:
        """Return the counts of an entry by cluster, its repeats together."""
        name = (entry.name, entry.source, entry.where)
        known = self._tallies.get(name)
        if known is None:
            groups: dict[tuple[str, str], list[Tally]] = {key: [] for key in self._keys}
            for played in entry.played:
                for day, tally in tallies(played).items():
                    groups[played.unit, day if self.by_days else ""].append(tally)
            known = {key: add((), group) for key, group in groups.items()}
            self._tallies[name] = known
        return known


def _sum(tally: Tally, factors: dict[str, int]) -> int:
    return sum(factor * tally.get(name, 0) for name, factor in factors.items())


def tallies(played: Played) -> dict[str, Tally]:
    """Return the counts of an episode by day, the slices by monitoring among them."""
    return {day: _flat(score) for day, score in played.score.per_day.items()}


def _flat(day: DayScore) -> Tally:
    flat = dict(day.metrics)
    for outcome, number in day.by_monitoring.get("no_proactive_monitoring", {}).items():
        flat[f"narrative:{outcome}"] = number
    for name, counts in day.by_monitoring_channel.items():
        group = "clock" if name == CLOCK else "channel"
        for outcome, number in counts.items():
            flat[f"on:{name}:{outcome}"] = number
            flat[f"{group}:{outcome}"] = flat.get(f"{group}:{outcome}", 0) + number
    return flat
