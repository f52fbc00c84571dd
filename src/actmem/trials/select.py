"""Choosing trials: by subset, by id, from the released set or from a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from actmem.errors import InputError
from actmem.files import decode, read_bytes
from actmem.trials.audit import problem
from actmem.trials.released import SIZES, released
from actmem.trials.trial import KINDS, WORLDS, Trial


def load(path: Path) -> list[Trial]:
    """Read trials that ``make trials`` wrote: one JSON object a line, each of which is audited."""
    lines = [line for line in read_bytes(path).splitlines() if line.strip()]
    if not lines:
        raise InputError("holds no trials", path)
    found = []
    for number, line in enumerate(lines, start=1):
        trial = decode(line, Trial, f"{path}:{number}")
        try:
            wrong = problem(trial)
        except (LookupError, TypeError, ValueError) as error:  # its script names what is not there
            wrong = f"it cannot be played ({type(error).__name__}: {error})"
        if wrong is not None:
            raise InputError(f"{trial.id} is no fair trial: {wrong}", f"{path}:{number}")
        found.append(trial)
    return found


def choose(
    subsets: str | None = None,
    ids: Sequence[str] = (),
    source: Sequence[Trial] | None = None,
    *,
    prefix: str = "--",
) -> list[Trial]:
    """Return the trials of ``subsets`` ("A,B") that are among ``ids``; all of them by default.

    ``source`` is the released set where it is not given. ``InputError`` for an unknown subset or id;
    it names the option, which begins with ``prefix``.
    """
    trials = list(released() if source is None else source)
    parts = SIZES if subsets is None else subsets.split(",")
    wanted = [part.strip().upper() for part in parts if part.strip()]
    unknown = [part for part in wanted if part not in SIZES]
    if unknown:
        raise InputError(
            f"no subset {unknown[0]!r}; there are {', '.join(SIZES)}", f"{prefix}subset"
        )
    if not wanted:
        raise InputError("names no subset", f"{prefix}subset")
    known = {trial.id for trial in trials}
    missing = [name for name in ids if name not in known]
    if missing:
        example = trials[0].id
        raise InputError(f"no trial {missing[0]!r}; ids are like {example}", f"{prefix}trial")
    chosen = [t for t in trials if t.subset in wanted and (not ids or t.id in ids)]
    if not chosen:
        raise InputError("no trial is left to run", f"{prefix}trial")
    return chosen


def sample() -> list[Trial]:
    """Return twelve trials of the released set for a first look: one a world and subset.

    The type moves on by one from world to world and from subset to subset; among the go trials of
    that type it is the one with the fewest steps, the first of them where several are as short.
    """
    found = []
    for s, subset in enumerate(SIZES):
        kinds = KINDS[subset]
        for w, world in enumerate(WORLDS):
            cell = (subset, world, kinds[(w + s) % len(kinds)])
            of = [t for t in released() if t.go and (t.subset, t.world, t.kind) == cell]
            found.append(min(of, key=lambda trial: trial.steps))
    return found
