"""Orders by score and their fusion, with ties always broken the same way: the older turn first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

K = 60
"""Constant of reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009)."""


def best(scores: NDArray[Any], limit: int, above: float | None = None) -> list[int]:
    """Return the indices of the ``limit`` highest scores, the highest first.

    With ``above``, only of scores greater than it.
    """
    if limit <= 0 or not len(scores):
        return []
    if len(scores) > limit:
        # All that tie with the last place are kept, so that the stable sort decides among them.
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        chosen = np.flatnonzero(scores >= least)
    else:
        chosen = np.arange(len(scores))
    if above is not None:
        chosen = chosen[scores[chosen] > above]
    order = chosen[np.argsort(-scores[chosen], kind="stable")]
    return [int(index) for index in order[:limit]]


def fuse(rankings: Iterable[Sequence[int]], limit: int, k: int = K) -> list[int]:
    """Return the best ``limit`` of several rankings by reciprocal rank fusion."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, index in enumerate(ranking, start=1):
            scores[index] = scores.get(index, 0.0) + 1 / (k + rank)
    return sorted(scores, key=lambda index: (-scores[index], index))[:limit]
