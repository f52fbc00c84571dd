"""Intervals and tests over weeks (extra ``report``).

Every rate of a report is a mean over members (the models of a setup; one for a single agent) of a
ratio of sums over clusters (weeks). What chance could have made otherwise is which weeks were
drawn, so weeks are drawn, each with all its episodes, repeats and models together: a repeat is no
week of its own, and all members meet the same weeks.

``parts`` is always an array (clusters, members, 2) of what stands above and below the line. A
member without anything below the line is left out of the mean, and a value without any member is
``nan``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

Array = NDArray[np.float64]

DRAWS = 10_000
LEVEL = 0.95
EXACT = 100_000
"""Most exchanges of weeks that are gone through one by one."""
UNDEFINED = 0.05
"""Share of draws without a value above which there is no interval."""
_BATCH = 4096
"""Draws at a time, so that memory does not grow with them."""


class Interval(Struct, frozen=True):
    """A 95 % interval, in the unit of the value."""

    low: float
    high: float


class Difference(Struct, frozen=True, kw_only=True):
    """A value of one less that of another, over the same clusters."""

    value: float | None
    interval: Interval | None
    p: float | None
    """Two-sided, by exchange within clusters; None for fewer than two clusters."""
    clusters: int
    exact: bool
    """True where every exchange was gone through."""


def mean_ratio(totals: Array) -> Array:
    """Return the mean over members of their ratios: (…, members, 2) to (…)."""
    above, below = totals[..., 0], totals[..., 1]
    defined = below > 0
    ratios = np.divide(above, below, out=np.zeros_like(above), where=defined)
    members = defined.sum(axis=-1)
    sums = np.where(defined, ratios, 0.0).sum(axis=-1)
    found: Array = np.divide(sums, members, out=np.full(sums.shape, np.nan), where=members > 0)
    return found


def interval(parts: Array, *, seed: int = 0, draws: int = DRAWS) -> Interval | None:
    """Return the bootstrap interval of ``mean_ratio`` of the sums over clusters.

    It is the percentile interval, its levels moved outwards by ``levels`` for the number of
    clusters. None for fewer than two clusters, and where too many draws have no value.
    """
    if len(parts) < 2:
        return None
    return _bounds(_drawn(parts, seed, draws), len(parts))


def difference(
    one: Array, two: Array, *, seed: int = 0, draws: int = DRAWS, exact: int = EXACT
) -> Difference:
    """Compare two over the same clusters and members, in the same order.

    One with a single member is set against each member of the other.

    The interval draws clusters with both together. For p, the two exchange their episodes of a
    cluster: if they are alike, each of the 2^clusters exchanges is as likely as what was seen. All
    are gone through up to ``exact``; beyond, ``draws`` are drawn, and what was seen counts as one
    more of them, so that p is never 0.
    """
    clusters = len(one)
    members = max(one.shape[1], two.shape[1])
    one, two = (
        np.broadcast_to(part, (clusters, members, 2)) if part.shape[1] == 1 else part
        for part in (one, two)
    )
    seen = float(mean_ratio(one.sum(axis=0)) - mean_ratio(two.sum(axis=0)))
    if np.isnan(seen):
        return Difference(value=None, interval=None, p=None, clusters=clusters, exact=False)
    every = 2**clusters <= exact
    if clusters < 2:
        return Difference(value=seen, interval=None, p=None, clusters=clusters, exact=every)
    gaps = _drawn(one, seed, draws) - _drawn(two, seed, draws)
    return Difference(
        value=seen,
        interval=_bounds(gaps, clusters),
        p=_exchanged(one, two, seen, seed, draws, every),
        clusters=clusters,
        exact=every,
    )


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number (Holm 1979), in their order."""
    corrected = [0.0] * len(values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[place]))
        corrected[place] = largest
    return corrected


def levels(clusters: int) -> tuple[float, float]:
    """Return the two quantiles of the draws that bound a 95 % interval.

    Percentile intervals of few clusters are too short: draws vary less than samples do, by
    (n - 1) / n, and by the normal instead of the t distribution. Both are made good in the levels
    (the expanded percentile interval of Hesterberg 2015, section 3.3).
    """
    tail = (1 - LEVEL) / 2
    wide = float(stdtrit(clusters - 1, 1 - tail)) * (clusters / (clusters - 1)) ** 0.5
    below = float(ndtr(-wide))
    return below, 1 - below


def _drawn(parts: Array, seed: int, draws: int) -> Array:
    """Return the values of ``draws`` samples of the clusters, the same samples for the same seed."""
    flat = parts.reshape(len(parts), -1)
    found = np.empty(draws)
    often = _often(len(parts), seed, draws)
    for start in range(0, draws, _BATCH):
        totals = often[start : start + _BATCH] @ flat
        found[start : start + _BATCH] = mean_ratio(totals.reshape(-1, *parts.shape[1:]))
    return found


@lru_cache(maxsize=4)
def _often(clusters: int, seed: int, draws: int) -> NDArray[np.int16]:
    """Return how often each cluster is in each sample: (draws, clusters)."""
    chance = np.random.default_rng(seed)
    even = np.full(clusters, 1 / clusters)
    return chance.multinomial(clusters, even, size=draws).astype(np.int16)


@lru_cache(maxsize=4)
def _exchanges(clusters: int, seed: int, draws: int) -> NDArray[np.int8]:
    """Return which clusters are exchanged in each of ``draws`` exchanges: (draws, clusters)."""
    chance = np.random.default_rng(seed)
    return chance.integers(0, 2, size=(draws, clusters), dtype=np.int8)


def _bounds(drawn: Array, clusters: int) -> Interval | None:
    defined = drawn[~np.isnan(drawn)]
    if len(defined) < (1 - UNDEFINED) * len(drawn):
        return None
    low, high = np.quantile(defined, levels(clusters))
    return Interval(float(low), float(high))


def _exchanged(one: Array, two: Array, seen: float, seed: int, draws: int, every: bool) -> float:
    """Return the share of exchanges whose difference is as large as the one seen."""
    clusters = len(one)
    number = 2**clusters if every else draws
    as_large = 0
    for start in range(0, number, _BATCH):
        if every:
            codes = np.arange(start, min(start + _BATCH, number))[:, None]
            swapped: NDArray[Any] = (codes >> np.arange(clusters)) & 1
        else:
            swapped = _exchanges(clusters, seed, draws)[start : start + _BATCH]
        gaps = _swapped(one, two, swapped) - _swapped(two, one, swapped)
        # A hair of tolerance: equal differences may come out unequal in the last bit. A difference
        # that an exchange leaves undefined is none to speak against what was seen, and counts.
        as_large += int((np.isnan(gaps) | (np.abs(gaps) >= abs(seen) - 1e-12)).sum())
    return as_large / number if every else (as_large + 1) / (number + 1)


def _swapped(one: Array, two: Array, swapped: NDArray[Any]) -> Array:
    """Return the values of ``one`` where the marked clusters are those of ``two``."""
    size, clusters = swapped.shape
    kept = (1 - swapped) @ one.reshape(clusters, -1) + swapped @ two.reshape(clusters, -1)
    return mean_ratio(kept.reshape(size, *one.shape[1:]))
