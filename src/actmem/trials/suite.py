"""The trials suite as the runner sees it: which episodes, how one is played, how a run is scored.

A trace holds one event a reply. The observations are not in it: trial and replies give them again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import msgspec

from actmem.errors import DivergedError, InputError, ProviderError
from actmem.files import decode, read_bytes
from actmem.hashing import canonical
from actmem.run.plan import Episode, Manifest, episode_id, episode_seed
from actmem.run.store import RunFolder
from actmem.trace import Event, Footer, Header, now, versions
from actmem.trials import world
from actmem.trials.agents import find_agent
from actmem.trials.agents.agent import Agent
from actmem.trials.results import Played, Result, result
from actmem.trials.score import score
from actmem.trials.trial import Trial

NAME = "trials"
UNITS = "trials"
"""The one file in the run folder's ``units`` that holds all trials of the run."""


class Replied(Event, frozen=True, tag="reply", kw_only=True):
    """What the agent answered at a step; a free action does not end the step."""

    step: int
    text: str


KEPT = 4_000
"""Characters of a reply that a trace keeps: more than the grammar reads, so that it scores alike."""


def make_manifest(
    trials: Sequence[Trial], agents: Sequence[str], *, seed: int = 0, repeats: int = 1
) -> Manifest:
    """Plan a run: every agent on every trial, ``repeats`` times.

    Raises ``InputError`` for no trials, an unknown agent, or two trials of one id.
    """
    if not trials:
        raise InputError("there are no trials to run")
    units = {trial.id: trial.digest() for trial in trials}
    if len(units) < len(trials):
        raise InputError("two of the trials have the same id")
    for agent in agents:
        find_agent(agent)
    return Manifest(
        suite=NAME,
        created=now(),
        versions={"actmem": versions()["actmem"]},
        settings={"seed": seed, "repeats": repeats},
        units=units,
        episodes=tuple(
            Episode(
                id=episode_id(trial.id, agent, repeat),
                unit=trial.id,
                agent=agent,
                seed=episode_seed(seed, number * repeats + repeat),
                repeat=repeat,
            )
            for agent in dict.fromkeys(agents)
            for number, trial in enumerate(trials)
            for repeat in range(repeats)
        ),
    )


def unit_files(trials: Sequence[Trial]) -> dict[str, bytes]:
    """Return the file that a run folder keeps of its trials."""
    return {UNITS: canonical(list(trials)) + b"\n"}


class TrialsSuite:
    """The ``Suite`` of a run folder. It reads the trials that the folder keeps."""

    name = NAME
    events: Any = Replied

    def __init__(self, folder: RunFolder, on_step: Callable[[], None] | None = None) -> None:
        if folder.manifest.suite != NAME:
            raise InputError(f"is a run of the suite {folder.manifest.suite!r}", folder.path)
        self._folder = folder
        self._on_step = on_step

    @cached_property
    def trials(self) -> dict[str, Trial]:
        """The run's trials by id. ``InputError`` where they are not those of the manifest."""
        path = self._folder.unit_path(UNITS)
        trials: list[Trial] = decode(read_bytes(path), list[Trial], path)
        known = {trial.id: trial for trial in trials}
        if {name: trial.digest() for name, trial in known.items()} != self._folder.manifest.units:
            raise InputError("does not hold the trials that the manifest names", path)
        return known

    def header(self, episode: Episode) -> Header:
        """Return the header of the episode's trace."""
        return Header(
            suite=NAME,
            unit=episode.unit,
            unit_digest=self._folder.manifest.units[episode.unit],
            agent=episode.agent,
            settings={"seed": episode.seed} | episode.settings,
            privilege=find_agent(episode.agent).privilege,
            versions=versions(),
        )

    def play(
        self, episode: Episode, recorded: Sequence[Replied], write: Callable[[Event], None]
    ) -> Footer:
        """Play one episode with a fresh agent and a fresh world."""
        trial = self.trials[episode.unit]
        try:
            agent = find_agent(episode.agent).make(episode.seed, trial)
        except Exception as error:  # an agent that cannot be made is a failed episode
            return Footer(status="failed", error=_describe(error))
        return _play(agent, trial, recorded, write, self._on_step)

    def results(self) -> list[Result]:
        """Score the folder: one result an agent, in the manifest's order, over planned episodes."""
        by_agent: dict[str, list[Played]] = {}
        for episode in self._folder.manifest.episodes:
            by_agent.setdefault(episode.agent, []).append(self.played(episode))
        return [
            result(agent, find_agent(agent).privilege, played) for agent, played in by_agent.items()
        ]

    def played(self, episode: Episode) -> Played:
        """Score one episode by replay. ``InputError`` for a record that does not fit the trial."""
        trial = self.trials[episode.unit]
        trace = self._folder.trace(episode, Replied)
        events: tuple[Replied, ...] = trace.events if trace else ()
        footer = trace.footer if trace else None
        ended = footer is not None and footer.status == "complete"
        try:
            judged = score(trial, [event.text for event in events], [e.step for e in events])
            if ended and judged.played < trial.steps:
                raise InputError("ends as complete before its last step")
        except InputError as error:
            raise InputError(str(error), self._folder.trace_path(episode)) from None
        return Played(
            trial=trial,
            status="complete" if ended else "failed" if footer else "missing",
            error=footer.error if footer else "",
            # What was done counts, but an episode that broke off passes nothing: silence after a
            # crash would else pass a no-go trial.
            result=judged if ended else msgspec.structs.replace(judged, passed=False),
        )


def _play(
    agent: Agent,
    trial: Trial,
    recorded: Sequence[Replied],
    write: Callable[[Event], None],
    on_step: Callable[[], None] | None,
) -> Footer:
    """Play to the end; a reply that is recorded already must come again and is not written."""
    episode, record, legal = world.Episode(trial), iter(recorded), False
    observation: world.Observation | None = episode.reset()
    while observation is not None:
        try:
            text: object = agent.decide(observation)
        except ProviderError as error:
            return Footer(status="failed", error=str(error), provider=True)
        except Exception as error:  # whatever an agent raises is a failed episode, not a crash
            return Footer(status="failed", error=_describe(error))
        if not isinstance(text, str):
            return Footer(status="failed", error=f"decide returned {type(text).__name__}, no text")
        event = Replied(step=episode.step, text=storable(text))
        known = next(record, None)
        if known is None:
            write(event)
        elif known != event:
            raise DivergedError(f"resumed agent did not repeat step {event.step} of {trial.id}")
        observation = episode.act(event.text)
        legal = legal or episode.legal
        if on_step is not None and episode.step > event.step:
            on_step()
    if next(record, None) is not None:
        raise DivergedError("the record goes on after the episode's end")
    if not legal:
        return Footer(status="failed", error="not one legal action in the whole episode")
    return Footer(status="complete")


def storable(text: str) -> str:
    """Return ``text`` as a trace can hold it: cut to size, without lone surrogates."""
    return text[:KEPT].encode("utf-8", "replace").decode("utf-8")


def _describe(error: BaseException) -> str:
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


__all__ = ["NAME", "Replied", "TrialsSuite", "make_manifest", "unit_files"]
