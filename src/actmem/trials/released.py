"""The released set, version 1: 234 trials, kept as they were drawn.

A release stays what it is: the hash would tell a change. ``make`` draws the same from ``SEED``.
"""

from __future__ import annotations

import functools
from pathlib import Path

import msgspec

from actmem.errors import ActMemError, InputError
from actmem.files import read_bytes
from actmem.hashing import digest
from actmem.trials.trial import Subset, Trial

VERSION = 1
"""Of the set and of the generator that drew it: of another one a seed gives other trials."""
SEED = 1
SIZES: dict[Subset, int] = {"A": 80, "B": 80, "C": 74}
HASH = "4054e11cb78bd126b4d346533aac9dc210e7f921171e7ce381d1af1e37ada365"
"""SHA-256 of the canonical JSON of ``released()``; it changes only with ``VERSION``."""
FILE = Path(__file__).with_suffix(".jsonl")
"""One trial a line, as ``actmem make trials`` writes them."""


@functools.cache
def released() -> tuple[Trial, ...]:
    """Return the released set. ``ActMemError`` where it is not what was released."""
    try:
        trials = tuple(msgspec.json.Decoder(Trial).decode_lines(read_bytes(FILE)))
    except (InputError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        trials = ()
    if digest(trials) != HASH:
        raise ActMemError(f"the released trials differ from version {VERSION}: reinstall actmem")
    return trials
