"""What a report of trials is made from: one entry an agent, its trials scored, and the floors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from actmem.report.facts import run_facts
from actmem.report.same import model_settings, refuse_mixed, refuse_other_units
from actmem.report.stats import Array
from actmem.run.plan import episode_seed
from actmem.run.store import RunFolder
from actmem.trace import Event, versions
from actmem.trials.agents import find_agent
from actmem.trials.agents.floors import FLOORS
from actmem.trials.agents.setups import SETUPS
from actmem.trials.judge import judge
from actmem.trials.play import play
from actmem.trials.results import Played, Result, result
from actmem.trials.suite import TrialsSuite
from actmem.trials.trial import Trial

TOLD = ("history_tokens", "passage_tokens", "characters")
"""Settings of models that a report names."""


class TrialsEntry(NamedTuple):
    """One agent, or one setup with one model, over all trials."""

    result: Result
    played: tuple[Played, ...]
    """Its planned episodes, scored."""
    source: str
    where: str
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """How tables call it."""
        return self.result.agent

    @property
    def floor(self) -> bool:
        """True for the floors and the oracle."""
        return not self.result.setup and self.result.agent in FLOORS

    @property
    def ranked(self) -> bool:
        """True where it may be the best: all of it was played, and with no privilege."""
        return self.result.complete and not self.result.privilege

    def parts(self, subset: str = "") -> Array:
        """Return passed and played by trial, for intervals and tests over trials."""
        found: dict[str, list[int]] = {}
        for episode in self.played:
            if episode.trial.subset.startswith(subset):
                passed, number = found.setdefault(episode.trial.id, [0, 0])
                found[episode.trial.id] = [passed + episode.result.passed, number + 1]
        return np.array([found[name] for name in sorted(found)], dtype=float).reshape(-1, 1, 2)


class TrialsData(NamedTuple):
    """All entries of a report, over one set of trials: setups first, floors last."""

    entries: tuple[TrialsEntry, ...]
    folders: tuple[RunFolder, ...]
    facts: dict[str, str]

    @property
    def results(self) -> list[Result]:
        """The result of every entry."""
        return [entry.result for entry in self.entries]


def read_trials(folders: Sequence[RunFolder]) -> TrialsData:
    """Score run folders of one set of trials; floors that none of them has are played.

    Raises ``InputError`` where they hold other trials, or one was made by another version.
    """
    suites = [TrialsSuite(folder) for folder in folders]
    refuse_other_units(folders, "trials")
    found = [
        entry
        for folder, suite in zip(folders, suites, strict=True)
        for entry in _entries(folder, suite)
    ]
    refuse_mixed(found, ("actmem",))
    known: dict[str, TrialsEntry] = {}
    for entry in found:
        if entry.floor:
            known.setdefault(entry.name, entry)
    trials = suites[0].trials.values()
    floors = [known.get(name) or _floor(name, trials) for name in FLOORS]
    order = list(SETUPS)
    others = sorted(
        (entry for entry in found if not entry.floor),
        key=lambda e: order.index(e.result.setup) if e.result.setup in order else len(order),
    )
    return TrialsData((*others, *floors), tuple(folders), run_facts(folders, "trials", TOLD))


def _entries(folder: RunFolder, suite: TrialsSuite) -> Iterable[TrialsEntry]:
    manifest = folder.manifest
    for episodes in suite.by_agent().values():
        played = tuple(suite.played(episode) for episode in episodes)
        one = suite.pooled(episodes, played)
        settings: dict[str, Any] = {"actmem": manifest.versions.get("actmem", "")}
        if one.setup:
            embeds = one.setup in SETUPS and SETUPS[one.setup].memory
            settings |= {
                name: manifest.settings.get(name)
                for name in TrialsSuite.of_setups
                if embeds or name != "embedder"
            }
            settings |= model_settings(folder, one.model)
        yield TrialsEntry(one, played, "run", str(folder.path), settings)


def _floor(name: str, trials: Iterable[Trial]) -> TrialsEntry:
    """Play a floor on every trial."""
    spec = find_agent(name)
    played = []
    for number, trial in enumerate(trials):
        events: list[Event] = []
        footer = play(spec.make(episode_seed(1, number), trial), trial, (), events.append)
        played.append(judge(trial, events, footer))
    return TrialsEntry(
        result(name, spec.privilege, played), tuple(played), "played now", "",
        {"actmem": versions()["actmem"]},
    )  # fmt: skip
