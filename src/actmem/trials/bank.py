"""The wording bank: TOML files in ``phrases/``, read once, strictly."""

from __future__ import annotations

import functools
import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec

FOLDER = Path(__file__).parent / "phrases"

_WORD = re.compile(r"[a-z]+")
_ENDINGS = ("ing", "ers", "er", "es", "ed", "s")
_SMALL = frozenset(
    """
    a an the to of in on is it its at by and or but if be as do that with for from when
    once has have been are was were you your somebody something who which this all no not
    out up our
    """.split()
)


class Exact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cue named as it appears; ``lures`` contain its name and are something else."""

    name: str
    lures: tuple[str, ...]


class Category(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cue described by its kind.

    ``members`` share no word with ``text``; ``lures`` share one and are no members; ``near`` are
    close in sense and no members; ``apart`` names categories not to be shown beside it.
    """

    key: str
    text: str
    members: tuple[str, ...]
    lures: tuple[str, ...]
    near: tuple[str, ...]
    apart: tuple[str, ...] = ()


class Situation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cue described as a clause; ``cues`` are remarks that mean it, ``lures`` such that do not."""

    text: str
    cues: tuple[str, ...]
    lures: tuple[str, ...]


class Brief(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of a world, for the first prompt."""

    text: str


class WorldBank(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All wording of one world. Lists that only one world needs are empty elsewhere."""

    ambient: tuple[str, ...]
    remarks: tuple[str, ...]
    number_remarks: tuple[str, ...]
    exact: tuple[Exact, ...]
    category: tuple[Category, ...]
    situation: tuple[Situation, ...]
    action: dict[str, tuple[str, ...]]
    wording: dict[str, tuple[str, ...]]
    brief: Brief
    targets: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    special: tuple[str, ...] = ()


@functools.cache
def world_bank(world: str) -> WorldBank:
    """Return the wording of ``world``."""
    return msgspec.convert(_read(world), WorldBank)


@functools.cache
def frame() -> dict[str, Any]:
    """Return what all worlds say alike: first prompt, times, counts, numbers."""
    return _read("wording")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def content_words(text: str) -> set[str]:
    """Return the stems of the words of ``text`` that carry meaning."""
    return {_stem(word) for word in _WORD.findall(text.casefold()) if word not in _SMALL}


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
