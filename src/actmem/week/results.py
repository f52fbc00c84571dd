"""What a run amounts to: one result an agent, pooled over its planned episodes.

Rates are fractions; one that is undefined (nothing to divide by) is None, never 0 or 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

import msgspec
from msgspec import Struct

from actmem.run.coverage import Covered, Ended, covered
from actmem.week.records import LINKS, Links
from actmem.week.score import METRICS, Score, Tally


class Played(Ended, frozen=True, kw_only=True):
    """One planned episode, scored; what was not played counts as empty acts."""

    unit: str
    invalid: int
    """Steps that an empty act stands in for, since no valid action came."""
    score: Score
    links: Links


class Rates(Struct, frozen=True, kw_only=True):
    """Fractions of pooled counts (paper, section A.4)."""

    set_f1: float | None
    """2 TP / (2 TP + FP + FN)."""
    precision: float | None
    """Hits over chosen handles."""
    recall: float | None
    """TP / (TP + FN): of the due actions, the share that was done then."""
    hit_rate: float | None
    """Over the tasks that were not cancelled, like the next two."""
    late_rate: float | None
    miss_rate: float | None
    cross_day_hit_rate: float | None
    update_hit_rate: float | None
    """Over updated tasks that were not cancelled."""
    exact_set_rate: float | None
    """Share of steps at which exactly the due set was chosen."""


class Result(Covered, frozen=True, kw_only=True):
    """One agent's row."""

    rates: Rates
    set_f1_mean: float | None
    """Mean over weeks of each week's Set-F1, its repeats pooled."""
    set_f1_sd: float | None
    """Sample standard deviation over weeks; None for fewer than two."""
    invalid: int
    """Steps that an empty act stands in for."""
    counts: Tally
    by_type: dict[str, Tally]
    by_regular: dict[str, Tally]
    by_monitoring: dict[str, Tally]
    by_monitoring_channel: dict[str, Tally]
    queries_by_channel: Tally
    links: Links

    def row(self) -> dict[str, Any]:
        """Return the row as plain data, rates beside the counts of episodes."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        shares: dict[str, Any] = fields.pop("rates")
        head = self.head()
        return head | shares | {name: fields[name] for name in fields if name not in head}


def ratio(part: int, whole: int) -> float | None:
    """Return ``part / whole``, None where there is nothing to divide by."""
    return part / whole if whole else None


def rates(counts: Tally) -> Rates:
    """Return the rates of pooled counts."""
    hits, false, missed = counts["set_tp"], counts["set_fp"], counts["set_fn"]
    tasks = counts["hit"] + counts["late"] + counts["miss"]
    steps = counts["exact_set_match_steps"] + counts["exact_set_mismatch_steps"]
    return Rates(
        set_f1=ratio(2 * hits, 2 * hits + false + missed),
        precision=ratio(counts["hit"], counts["chosen_tasks"]),
        recall=ratio(hits, hits + missed),
        hit_rate=ratio(counts["hit"], tasks),
        late_rate=ratio(counts["late"], tasks),
        miss_rate=ratio(counts["miss"], tasks),
        cross_day_hit_rate=ratio(counts["cross_day_hit"], counts["cross_day_total"]),
        update_hit_rate=ratio(
            counts["update_hit"], counts["update_total"] - counts["update_canceled"]
        ),
        exact_set_rate=ratio(counts["exact_set_match_steps"], steps),
    )


def result(
    agent: str, privilege: str, played: Sequence[Played], setup: str = "", model: str = ""
) -> Result:
    """Pool the planned episodes of one agent."""
    days = [day for episode in played for day in episode.score.per_day.values()]
    counts = add(METRICS, [episode.score.summary for episode in played])
    weeks: dict[str, list[Tally]] = {}
    for episode in played:  # repeats of a week are pooled: they are no weeks of their own
        weeks.setdefault(episode.unit, []).append(episode.score.summary)
    weekly = [f1 for week in weeks.values() if (f1 := rates(add((), week)).set_f1) is not None]
    return Result(
        **covered(agent, privilege, played, setup, model),
        rates=rates(counts),
        set_f1_mean=fmean(weekly) if weekly else None,
        set_f1_sd=stdev(weekly) if len(weekly) > 1 else None,
        invalid=sum(episode.invalid for episode in played),
        counts=counts,
        by_type=add_groups([day.by_type for day in days]),
        by_regular=add_groups([day.by_regular for day in days]),
        by_monitoring=add_groups([day.by_monitoring for day in days]),
        by_monitoring_channel=add_groups([day.by_monitoring_channel for day in days]),
        queries_by_channel=add((), [day.state_query_calls_by_channel for day in days]),
        links=add_links([episode.links for episode in played]),
    )


def add(names: Sequence[str], tallies: Sequence[Tally]) -> Tally:
    """Add tallies name by name; ``names`` come first and are there even with nothing to add."""
    total = dict.fromkeys(names, 0)
    for part in tallies:
        for name, number in part.items():
            total[name] = total.get(name, 0) + number
    return total


def add_groups(groups: Sequence[dict[str, Tally]]) -> dict[str, Tally]:
    """Add groups of tallies, group by group."""
    total: dict[str, Tally] = {}
    for part in groups:
        for name, counts in part.items():
            total[name] = add((), [total.get(name, {}), counts])
    return dict(sorted(total.items()))


def add_links(links: Sequence[Links]) -> Links:
    """Add what the obligation records of several episodes tell."""
    late = add((), [part.late_steps for part in links])
    return Links(
        hits_with_evidence=sum(part.hits_with_evidence for part in links),
        hits_without_evidence=sum(part.hits_without_evidence for part in links),
        late_steps=dict(sorted(late.items(), key=lambda item: int(item[0]))),
        broken=add(LINKS, [part.broken for part in links]),
    )
