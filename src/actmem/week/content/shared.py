"""What weeks share beyond the domains: archetypes, routines and phrases, from ``shared/*.toml``."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import msgspec

from actmem.errors import InputError
from actmem.hashing import digest_files
from actmem.week.content.bank import FOLDER as BANK
from actmem.week.content.schema import Lines, Part, parse_lines

FOLDER = Path(__file__).parent / "shared"


class Archetype(Part, frozen=True, kw_only=True):
    """A kind of day."""

    name: str
    steps: tuple[int, int]
    """Fewest and most steps."""
    dayparts: tuple[float, float, float]
    """Weights of steps before noon, from noon to 17:00, and after 17:00."""
    gap: int
    """Least minutes between two steps: the day's tempo."""
    domains: tuple[str, ...]


class Archetypes(Part, frozen=True, kw_only=True):
    """The file of the archetypes."""

    archetypes: tuple[Archetype, ...]


class Routine(Part, frozen=True, kw_only=True):
    """A standing routine on a narrative cue."""

    id: str
    earliest: str
    """The cue's scene is plausible from this time on …"""
    latest: str
    actions: Lines
    announce: Lines
    """Sentences with ``{do}``."""
    cues: Lines
    near: Lines
    why: str


class Routines(Part, frozen=True, kw_only=True):
    """The file of the routines."""

    narrative: tuple[Routine, ...]
    clock_actions: Lines
    clock_announce: Lines
    """Sentences with ``{do}`` and ``{time}``."""


class Phrases(Part, frozen=True, kw_only=True):
    """The shapes of announcements and notices; slots in braces.

    ``{do}`` an action as a verb phrase, ``{when}`` a clause, ``{time}`` a time in words, ``{old}``
    the time that held so far, ``{topic}`` a noun phrase, ``{day}`` a weekday, ``{text}`` an
    announcement.
    """

    openings: Lines
    """What stands before and after the day's agenda: ``{list}``."""
    notes: Lines
    """How an announcement reaches one in the middle of the day: ``{text}``, in quotation marks or
    at the end."""
    timed: Lines
    window: Lines
    """``{do}``, ``{time}`` and ``{until}``: from one time to the other."""
    cross_day: Lines
    """``{day}``, ``{do}``, ``{when}``."""
    dependency: Lines
    """A sentence after an announcement: ``{first}`` has to be done before."""
    recurrence: Lines
    """``{do}``, ``{time}``, ``{first}`` and ``{last}`` weekday, ``{except}`` weekday."""
    cancel: Lines
    cancel_topic: Lines
    cancel_timed: Lines
    """``{old}``."""
    cancel_early: Lines
    """``{day}``, ``{do}``."""
    override: Lines
    """``{do}``, ``{when}``."""
    override_topic: Lines
    """``{topic}``, ``{when}``."""
    reschedule: Lines
    """``{do}``, ``{time}``."""
    reschedule_timed: Lines
    """``{old}``, ``{time}``."""
    reschedule_early: Lines
    """``{day}``, ``{do}``, ``{time}``."""
    idle: dict[str, str]
    """What a snapshot channel answers before anything has happened, by channel."""


T = TypeVar("T", bound=Part)


def read_shared(name: str, kind: type[T]) -> T:
    """Read a shared content file strictly; a fault is an ``InputError`` that names the field."""
    path = FOLDER / f"{name}.toml"
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), kind, dec_hook=parse_lines)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise InputError(str(error), path) from None


@lru_cache(maxsize=1)
def archetypes() -> tuple[Archetype, ...]:
    """Return the kinds of day."""
    return read_shared("archetypes", Archetypes).archetypes


@lru_cache(maxsize=1)
def routines() -> Routines:
    """Return the standing routines."""
    return read_shared("routines", Routines)


@lru_cache(maxsize=1)
def phrases() -> Phrases:
    """Return the shapes of announcements and notices."""
    return read_shared("phrases", Phrases)


@lru_cache(maxsize=1)
def content_digest() -> str:
    """Return the SHA-256 of all content files; scenarios record it."""
    return digest_files([*BANK.glob("*.toml"), *FOLDER.glob("*.toml")])
