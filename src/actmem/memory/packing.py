"""Fitting passages into a budget, by one rule for all systems."""

from __future__ import annotations

from collections.abc import Iterable

from actmem.memory.protocol import Passage
from actmem.memory.tokens import count_tokens, cut_end, cut_start


def spent(passages: Iterable[Passage]) -> int:
    """Return the tokens of passages."""
    return sum(count_tokens(passage.text) for passage in passages)


def fit(passages: Iterable[Passage], budget: int) -> list[Passage]:
    """Return the first passages that fit into ``budget`` tokens, the last one cut at its end."""
    kept: list[Passage] = []
    left = budget
    for passage in passages:
        if left <= 0:
            break
        size = count_tokens(passage.text)
        if size > left:
            passage = Passage(cut_end(passage.text, left), passage.turns)
        if passage.text:
            kept.append(passage)
        left -= size
    return kept


def fit_end(passages: Iterable[Passage], budget: int) -> list[Passage]:
    """Return the last passages that fit into ``budget`` tokens, the first one cut at its start."""
    kept: list[Passage] = []
    left = budget
    for passage in reversed(list(passages)):
        if left <= 0:
            break
        size = count_tokens(passage.text)
        if size > left:
            passage = Passage(cut_start(passage.text, left), passage.turns)
        if passage.text:
            kept.append(passage)
        left -= size
    return kept[::-1]
