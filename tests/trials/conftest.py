"""Shared: the released set, what each floor makes of it, and an embedder without weights."""

import functools
from collections.abc import Callable

import pytest

from actmem.memory.hashed import HashedWords
from actmem.memory.open import EmbedderSpec
from actmem.trials.agents.agent import play
from actmem.trials.agents.floors import floor
from actmem.trials.released import released
from actmem.trials.score import score
from actmem.trials.stats import Pair
from actmem.trials.trial import Trial


@pytest.fixture(scope="session")
def outcome() -> Callable[[str], tuple[Pair, ...]]:
    """Return the verdicts of a floor on the released set, played once."""

    @functools.cache
    def played(name: str) -> tuple[Pair, ...]:
        return tuple((t, score(t, play(t, floor(name, t)))) for t in released())

    return played


@pytest.fixture(scope="session")
def trials() -> tuple[Trial, ...]:
    return released()


@pytest.fixture
def small(trials: tuple[Trial, ...]) -> list[Trial]:
    """One trial of each world."""
    return [
        next(t for t in trials if t.world == world) for world in sorted({t.world for t in trials})
    ]


@pytest.fixture
def embedder() -> EmbedderSpec:
    return EmbedderSpec("hashing", {"model": "hashing"}, HashedWords)
