"""The standard set: the weeks that people quote, regenerated from seeds and pinned by hash."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from actmem.errors import InputError
from actmem.week.make import Knobs, make_week
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
