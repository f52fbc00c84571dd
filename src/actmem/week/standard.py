"""The standard set: the weeks that people quote, regenerated from seeds and pinned by hash.

What a run plays is chosen here too: files, weeks of a seed, or the first of the set.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from actmem.errors import InputError
from actmem.week.make import Knobs, make_week, make_weeks
from actmem.week.pmbench import load_any
from actmem.week.scenario import Scenario

FILE = Path(__file__).parent / "standard.toml"


class Pinned(Struct, frozen=True, forbid_unknown_fields=True):
    """One week of the set."""

    profile: Literal["full", "paper"]
    seed: int
    digest: str
    """The scenario's SHA-256."""


@lru_cache(maxsize=1)
def pinned() -> tuple[Pinned, ...]:
    """Return the weeks of the standard set, version 1, in their order."""
    return msgspec.convert(tomllib.loads(FILE.read_text("utf-8"))["weeks"], tuple[Pinned, ...])


def standard_weeks(number: int) -> list[Scenario]:
    """Make the first ``number`` weeks of the set.

    Raises ``InputError`` where the set has fewer, or where a week does not come out as pinned.
    """
    if number > len(pinned()):
        raise InputError(f"the standard set has {len(pinned())} weeks; for more, give --seed")
    weeks = []
    for entry in pinned()[:number]:
        week = make_week(entry.seed, Knobs(profile=entry.profile))
        if week.digest != entry.digest:
            raise InputError(
                f"{week.scenario_name} does not come out as the standard set pins it: content or "
                "generator have changed; give --seed to play other weeks"
            )
        weeks.append(week)
    return weeks


def choose_weeks(
    number: int, files: Sequence[Path] = (), seed: int | None = None, knobs: Knobs | None = None
) -> list[Scenario]:
    """Return the weeks of ``files``, else ``number`` weeks of a seed, else of the standard set.

    Knobs without a seed begin at seed 1. Raises ``InputError`` as reading and making do.
    """
    if files:
        return [load_any(path) for path in files]
    if seed is None and knobs in (None, Knobs()):
        return standard_weeks(number)
    return list(make_weeks(1 if seed is None else seed, number, knobs or Knobs()))
