"""A baseline: how often each trial was passed before, so that only regressions fail."""

from __future__ import annotations

from collections.abc import Mapping
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

        A trial that the baseline lacks must be passed every time. ``InputError`` where the baseline
        knows another trial by that id.
        """
        before = self.trials.get(trial.id)
        if before is None:
            return passed < of
        if before.digest != trial.digest():
            raise InputError("the baseline is of other trials: write it anew", trial.id)
        return passed * before.of < before.passed * of


def read(path: Path) -> Baseline:
    """Read a baseline file."""
    return decode(read_bytes(path), Baseline, path)


def write(path: Path, trials: Mapping[str, Passes]) -> None:
    """Write a baseline file."""
    write_atomic(path, canonical(Baseline(dict(trials))) + b"\n")
