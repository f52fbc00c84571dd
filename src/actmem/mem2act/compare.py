"""Is one system better than another? Paired bootstrap over tasks.

The two systems answer the same tasks, so tasks are drawn, with both scores of each. Needs the extra
``memory`` for numpy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from actmem.errors import InputError
from actmem.mem2act.score import CallScore

if TYPE_CHECKING:
    from actmem.mem2act.results import Row

DRAWS = 10_000
LEVEL = 0.95


class Difference(Struct, frozen=True, kw_only=True):
    """The mean difference of a metric over tasks, the first system less the second."""

    metric: str
    tasks: int
    mean: float
    low: float
    """Bounds of the percentile interval at the level ``LEVEL``."""
    high: float
    p: float
    """Two-sided: twice the smaller share of draws at or beyond zero, at most 1."""


class Interval(Struct, frozen=True, kw_only=True):
    """A mean over tasks with its percentile interval at the level ``LEVEL``."""

    metric: str
    tasks: int
    mean: float
    low: float
    high: float


def interval(
    scores: Mapping[str, CallScore], metric: str, *, seed: int = 0, draws: int = DRAWS
) -> Interval:
    """Return the mean of a metric over tasks, and how far it may be from chance alone."""
    values = np.array([getattr(scores[name], metric) for name in sorted(scores)])
    if not len(values):
        raise InputError("there are no tasks to draw from", metric)
    low, high = np.quantile(_draw(values, seed, draws), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(
        metric=metric,
        tasks=len(values),
        mean=float(values.mean()),
        low=float(low),
        high=float(high),
    )


def compare(
    one: Mapping[str, CallScore],
    two: Mapping[str, CallScore],
    metric: str,
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> Difference:
    """Compare two systems task by task.

    Raises ``InputError`` where they did not answer the same tasks: no pair, no comparison.
    """
    if one.keys() != two.keys() or not one:
        raise InputError("the two did not answer the same tasks", metric)
    names = sorted(one)
    values = np.array([getattr(one[n], metric) - getattr(two[n], metric) for n in names])
    means = _draw(values, seed, draws)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    # One draw is added to either side, so that p is never 0: no bootstrap can show that.
    beyond = min(int((means <= 0).sum()), int((means >= 0).sum())) + 1
    return Difference(
        metric=metric,
        tasks=len(names),
        mean=float(values.mean()),
        low=float(low),
        high=float(high),
        p=min(1.0, 2 * beyond / (draws + 1)),
    )


class Pair(Struct, frozen=True, kw_only=True):
    """Two systems of a run and their difference."""

    one: str
    two: str
    repeat: int
    difference: Difference


def pairs(rows: Sequence[Row], metric: str = "f1") -> list[Pair]:
    """Return the differences of all pairs of a run within a group.

    Rows below full coverage are left out: an unfinished system is not compared.
    """
    whole = [row for row in rows if row.scores is not None and row.status == "complete"]
    return [
        Pair(
            one=one.agent,
            two=two.agent,
            repeat=one.repeat,
            difference=compare(one.by_task, two.by_task, metric),
        )
        for one, two in combinations(whole, 2)
        if one.group == two.group
    ]


def _draw(
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], seed: int, draws: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the means of ``draws`` samples of the same size, drawn with replacement."""
    chance = np.random.default_rng(seed)
    means = np.empty(draws)
    for start in range(0, draws, 500):  # in parts: draws times tasks may be large
        size = min(500, draws - start)
        picks = chance.integers(0, len(values), (size, len(values)))
        means[start : start + size] = values[picks].mean(axis=1)
    return means
