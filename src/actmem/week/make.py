"""Making weeks: a draw that the checks accept (paper, section A.2).

Seven kinds of day, steps at irregular times, routines, tasks with cues in the narrative or on
channels, cross-day intentions, updates, lures, and noise. A draw that breaks a rule of
``week/check.py`` or that perfect play cannot solve is rejected, and the next attempt is made. The
same seed and knobs give the same bytes on every Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from actmem.errors import InputError
from actmem.week.check import check
from actmem.week.content.schema import CHANNELS, PROCESS_CHANNELS, SNAPSHOT_CHANNELS
from actmem.week.content.shared import content_digest, phrases
from actmem.week.generator.draft import Rejected
from actmem.week.generator.draw import Draw
from actmem.week.generator.weave import Quotas, weave
from actmem.week.scenario import (
    CLOCK,
    Channel,
    ChannelEvent,
    Generator,
    Scenario,
)

VERSION = "1"
"""Version of the generator's rules; a change of what a seed gives raises it."""
ATTEMPTS = 60
"""Draws before a seed is given up."""

Profile = Literal["paper", "full"]

QUOTAS: dict[str, Quotas] = {
    "paper": Quotas(),
    "full": Quotas(
        narrative=28, timed=6, reschedules=4, dependencies=3, time_checks=4, channel_updates=3,
        early_updates=2, second_updates=2, recurrences=1, conditions=3,
    ),
}  # fmt: skip
"""What a week of seven days holds beyond routines and ordinary tasks, by profile."""


LURES: dict[str, tuple[int, int] | None] = {"paper": (10, 12), "full": None}
"""Fewest and most lures a day; None for about as many as tasks."""


LEAST_DAYS = {"cross_day": 2, "early_updates": 4, "recurrences": 5}
"""Days that a week must have for a kind to be in it, where more than one."""


@dataclass(frozen=True)
class Knobs:
    """What can be set. None takes the profile's number."""

    profile: Profile = "full"
    days: int = 7
    """From 1 to 7; numbers a week are scaled with it."""
    density: float = 1.0
    """Tasks and steps a day, relative to the profile; from 0.5 to 1.5."""
    channels: tuple[str, ...] | None = None
    """Channels switched on; None for all. The clock is always on."""
    dependencies: int | None = None
    time_checks: int | None = None
    channel_updates: int | None = None
    early_updates: int | None = None
    second_updates: int | None = None
    recurrences: int | None = None
    conditions: int | None = None

    def quotas(self) -> Quotas:
        """Return the numbers for one week, scaled to its days and density."""
        base = QUOTAS[self.profile]
        scale = self.days / 7 * self.density
        given = {name: getattr(self, name, None) for name in Quotas.__dataclass_fields__}
        return Quotas(
            **{
                name: self._scaled(name, getattr(base, name), scale) if value is None else value
                for name, value in given.items()
            }
        )

    def _scaled(self, name: str, number: int, scale: float) -> int:
        """Return a week's number; what needs more days than there are is left out."""
        return 0 if self.days < LEAST_DAYS.get(name, 1) else round(number * scale)


def make_weeks(seed: int, count: int, knobs: Knobs = Knobs()) -> Iterator[Scenario]:
    """Make the weeks of the seeds ``seed``, ``seed + 1`` and so on."""
    for number in range(count):
        yield make_week(seed + number, knobs)


def make_week(seed: int, knobs: Knobs = Knobs()) -> Scenario:
    """Make the week of a seed.

    Raises ``InputError`` for knobs that are out of range, or that no draw of ``ATTEMPTS`` can meet.
    """
    channels = _channels(knobs)
    reason = ""
    for attempt in range(ATTEMPTS):
        draw = Draw(f"actmem week {VERSION} {knobs.profile} {seed} {attempt}")
        name = f"{knobs.profile}-{seed}"
        try:
            days = weave(
                draw,
                knobs.quotas(),
                knobs.days,
                knobs.density,
                tuple(channels),
                LURES[knobs.profile],
            )
        except Rejected as rejected:
            reason = str(rejected)
            continue
        scenario = Scenario(
            scenario_name=name,
            generator=Generator(
                version=VERSION,
                seed=seed,
                attempt=attempt,
                profile=knobs.profile,
                content=content_digest(),
                settings=_settings(knobs),
            ),
            menu="persistent",
            snapshot="current",
            state_channels=channels,
            days=days,
        )
        violations = check(scenario)
        if not violations:
            return scenario
        reason = f"{violations[0].where}: {violations[0].message}"
    raise InputError(f"seed {seed}: no week with these knobs in {ATTEMPTS} attempts ({reason})")


def _channels(knobs: Knobs) -> dict[str, Channel]:
    """Return the channels that are switched on, after checking the knobs."""
    if not 1 <= knobs.days <= 7:
        raise InputError(f"days: {knobs.days} is not from 1 to 7")
    if not 0.5 <= knobs.density <= 1.5:
        raise InputError(f"density: {knobs.density} is not from 0.5 to 1.5")
    wanted = CHANNELS if knobs.channels is None else knobs.channels
    unknown = [name for name in wanted if name not in (*CHANNELS, CLOCK)]
    if unknown:
        raise InputError(f"channels: {unknown[0]!r} is none of {', '.join((CLOCK, *CHANNELS))}")
    return {CLOCK: Channel(mode="snapshot")} | {
        name: _snapshot(name) if name in SNAPSHOT_CHANNELS else Channel(mode="delta")
        for name in CHANNELS
        if name in wanted
    }


def _snapshot(name: str) -> Channel:
    phase = {"phase": "idle"} if name in PROCESS_CHANNELS else {}
    text = phrases().idle[name]
    return Channel(
        mode="snapshot", default_item=ChannelEvent(f"{name}_idle", text, None, {**phase})
    )


def _settings(knobs: Knobs) -> dict[str, int | float | str | bool | None]:
    """Return the knobs that differ from the profile's own."""
    default = asdict(Knobs(profile=knobs.profile))
    given = asdict(knobs)
    return {
        name: ",".join(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value != default[name]
    }
