"""Which kinds of evidence the pattern agent trusts, and how it learns from menus.

A menu drops what was done on time, so each act tells whether its evidence was a cue. Trust in a
kind of evidence is the share of hits, counted on from a prior. There are two priors: where lures are
drawn anew at each step, words that return are taken at their word; where lures stay, whoever made
the week is taken to have planted decoys, which repeat the words of a condition while the cue avoids
them. The numbers of the second were counted on weeks that serve no other purpose.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

WEIGHT = 6.0
"""Acts that a counted prior stands for."""
DOUBT = 2.0
"""Acts that the prior of outright evidence stands for: soon outweighed by what menus tell."""
NEEDED = 0.33
"""Least chance at which to act: half the Set-F1 that can be hoped for, where gain and loss meet."""
PLAIN = {"own strong": 0.8, "strong": 0.85, "strong unfinished": 0.6, "strong hedged": 0.1}
"""Chances where lures are drawn anew."""


@cache
def counted() -> dict[str, float]:
    """Return the chances where lures stay, by kind of evidence."""
    text = Path(__file__).with_name("trust.toml").read_text(encoding="utf-8")
    chances: dict[str, float] = {}
    for kind, values in tomllib.loads(text).items():
        if isinstance(values, list):
            chances |= {f"{kind} {number}": value for number, value in enumerate(values)}
        else:
            chances[kind] = values
    return chances


class Trust:
    """Hits and acts by kind of evidence."""

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}
        self._plain = False

    def saw_menus(self, before: set[str], after: set[str]) -> None:
        """Take note of what left the menu without having been chosen: lures drawn anew."""
        if before - after:
            self._plain = True

    def learn(self, kind: str, *, hit: bool) -> None:
        """Count an act on a kind of evidence."""
        counts = self._counts.setdefault(kind, [0, 0])
        counts[0] += hit
        counts[1] += 1

    def of(self, kind: str) -> float:
        """Return the chance that evidence of this kind is a cue."""
        hits, acts = self._counts.get(kind, (0, 0))
        prior = (PLAIN if self._plain else counted()).get(kind, 0.0)
        weight = DOUBT if kind.startswith("strong") and not self._plain else WEIGHT
        return (hits + weight * prior) / (acts + weight)
