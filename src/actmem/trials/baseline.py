"""A baseline: how often each trial was passed before, so that only regressions fail."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from actmem.errors import InputError
from actmem.files import decode, read_bytes, write_atomic
from actmem.hashing import canonical
from actmem.trials.trial import Trial


class Passes(Struct, frozen=True):
    """``passed`` of ``of`` plays of the trial whose hash is ``digest``."""

    digest: str
    passed: int
    of: int


class Baseline(Struct, frozen=True):
    """Passes by trial id."""

    trials: dict[str, Passes]
    format: Literal["actmem-baseline-1"] = "actmem-baseline-1"

    def regressed(self, trial: Trial, passed: int, of: int) -> bool:
        """Tell whether ``passed`` of ``of`` is a smaller share than before.

        A trial that the baseline lacks must be passed every time.
        """
        before = self.trials.get(trial.id)
        return passed < of if before is None else passed * before.of < before.passed * of


def read(path: Path, trials: Iterable[Trial]) -> Baseline:
    """Read a baseline file; ``InputError`` where it knows another trial by an id of ``trials``."""
    found = decode(read_bytes(path), Baseline, path)
    for trial in trials:
        known = found.trials.get(trial.id)
        if known is not None and known.digest != trial.digest():
            raise InputError(
                f"is of other trials ({trial.id} is not that one): write it anew", path
            )
    return found


def refuse_unwritable(path: Path) -> None:
    """Refuse, before anything is played, a file that could not be written or read at the end."""
    if path.exists():
        decode(read_bytes(path), Baseline, path)
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError("cannot be written: no such folder, or not yours to write", path)


def write(path: Path, played: Mapping[str, Passes]) -> None:
    """Write what was played into a baseline file; the trials that were not played stay as they were."""
    known = decode(read_bytes(path), Baseline, path).trials if path.exists() else {}
    write_atomic(path, canonical(Baseline({**known, **played})) + b"\n")
