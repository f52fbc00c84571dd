"""The trials suite as the runner sees it: which episodes, how one is played, how a run is scored."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from actmem.errors import InputError
from actmem.files import decode, read_bytes
from actmem.hashing import canonical
from actmem.memory.open import EmbedderSpec
from actmem.models.chat import Usage
from actmem.models.price import Price
from actmem.models.tape import Called, Tape
from actmem.plugin import source
from actmem.process import SECONDS
from actmem.run.plan import Episode, Manifest, grid, pairs
from actmem.run.raised import describe, is_interrupt
from actmem.run.store import RunFolder
from actmem.trace import Event, Footer, Header, now, versions
from actmem.trials.agents import AgentSpec, close_agent, find_agent
from actmem.trials.agents.agent import Agent
from actmem.trials.agents.floors import FLOORS, PRIVILEGE
from actmem.trials.agents.setups import SETUPS, SetupOptions, find_setup, make_agent, prompt_digests
from actmem.trials.judge import judge
from actmem.trials.play import Replied, play
from actmem.trials.results import Played, Result, result
from actmem.trials.trial import Trial

if TYPE_CHECKING:
    from actmem.models.chat import Chat

NAME = "trials"
UNITS = "trials"
"""The one file in the run folder's ``units`` that holds all trials of the run."""


SHARED = ("history_tokens", "passage_tokens", "characters", "prompts", "embedder")
"""Settings of a run that stand in the header of each episode of a model."""


class Cast(NamedTuple):
    """Which setups are played by which models, and how."""

    setups: Sequence[str]
    chats: Mapping[str, Chat]
    """Models by name. Nothing is sent before the first episode."""
    options: SetupOptions
    embedder: EmbedderSpec
    """What memories embed with; opened only where a setup has one."""
    prices: Mapping[str, Price] = {}
    """Prices by model, where they are known."""


def make_manifest(
    trials: Sequence[Trial],
    agents: Sequence[str],
    *,
    seed: int = 0,
    repeats: int = 1,
    cast: Cast | None = None,
) -> Manifest:
    """Plan a run: on every trial every agent, and every setup with every model.

    Raises ``InputError`` for no trials, an unknown agent or setup, or two trials of one id.
    """
    if not trials:
        raise InputError("there are no trials to run")
    units = {trial.id: trial.digest() for trial in trials}
    if len(units) < len(trials):
        raise InputError("two of the trials have the same id")
    players: dict[str, dict[str, Any]] = {}
    for agent in agents:
        find_agent(agent)
        players[agent] = {} if agent in FLOORS else source(agent)
    settings: dict[str, Any] = {"seed": seed, "repeats": repeats}
    if cast is not None:
        settings |= _cast_settings(cast)
        for setup in cast.setups:
            find_setup(setup)
        players |= pairs(cast.setups, cast.chats)
    return Manifest(
        suite=NAME,
        created=now(),
        versions={"actmem": versions()["actmem"]},
        settings=settings,
        units=units,
        episodes=grid(units, players, seed, repeats),
    )


def _cast_settings(cast: Cast) -> dict[str, Any]:
    """Return what of a cast moves the number, for the manifest."""
    options = cast.options
    embedder = {"embedder": dict(cast.embedder.settings)} if _embeds(cast) else {}
    return embedder | {
        "history_tokens": options.history_tokens,
        "passage_tokens": options.passage_tokens,
        "characters": options.characters,
        "prompts": prompt_digests(options.words),
        "models": {name: dict(chat.settings) for name, chat in cast.chats.items()},
    }


def _embeds(cast: Cast) -> bool:
    return any(find_setup(setup).memory for setup in cast.setups)


def open_memories(cast: Cast | None) -> None:
    """Open what the cast's memories embed with, so that it is found missing before the run begins.

    Raises ``InputError`` where the extra or the weights are missing.
    """
    if cast is not None and _embeds(cast):
        cast.embedder.open()


def unit_files(trials: Sequence[Trial]) -> dict[str, bytes]:
    """Return the file that a run folder keeps of its trials."""
    return {UNITS: canonical(list(trials)) + b"\n"}


class TrialsSuite:
    """The ``Suite`` of a run folder. It reads the trials that the folder keeps."""

    name = NAME
    events: Any = Replied | Called

    def __init__(
        self,
        folder: RunFolder,
        on_step: Callable[[], None] | None = None,
        cast: Cast | None = None,
        seconds: float = SECONDS,
        on_call: Callable[[Usage], None] | None = None,
    ) -> None:
        """``cast`` is needed to play episodes of setups, not to score them.

        ``on_step`` and ``on_call`` are called after each step and each call of a model, by the
        thread that plays. ``seconds`` is how long one answer of a program that plays may take.
        """
        if folder.manifest.suite != NAME:
            raise InputError(f"is a run of the suite {folder.manifest.suite!r}", folder.path)
        self._folder = folder
        self._on_step = on_step
        self._cast = cast
        self._seconds = seconds
        self._on_call = on_call
        self._agents: dict[str, AgentSpec] = {}
        self._loading = threading.Lock()

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
            settings={"seed": episode.seed} | self._model_settings(episode),
            privilege=_privilege(episode),
            versions=versions(),
        )

    def _model_settings(self, episode: Episode) -> dict[str, Any]:
        """Return setup and model of an episode, and all that was set for them."""
        if "setup" not in episode.settings:
            return episode.settings
        settings = self._folder.manifest.settings
        shared = {name: settings[name] for name in SHARED if name in settings}
        model = episode.settings["model"]
        price = self._cast.prices.get(model) if self._cast else None
        return (
            episode.settings
            | shared
            | {"model_settings": settings["models"][model]}
            | ({"price": price._asdict()} if price else {})
        )

    def play(
        self, episode: Episode, recorded: Sequence[Any], write: Callable[[Event], None]
    ) -> Footer:
        """Play one episode with a fresh agent and a fresh world."""
        trial = self.trials[episode.unit]
        calls = (event for event in recorded if isinstance(event, Called))
        tape = Tape(calls, write, self._on_call)
        try:
            agent = self._make(episode, trial, tape)
        except BaseException as error:  # an agent that cannot be made is a failed episode
            if is_interrupt(error):
                raise
            return Footer(status="failed", error=f"cannot be made: {describe(error)}")
        replies = [event for event in recorded if isinstance(event, Replied)]
        try:
            return play(agent, trial, replies, write, self._on_step, resumed=bool(recorded))
        finally:
            close_agent(agent)

    def _make(self, episode: Episode, trial: Trial, tape: Tape) -> Agent:
        setup = episode.settings.get("setup")
        if setup is None:
            with self._loading:  # a file's module is the same for all workers and episodes
                if episode.agent not in self._agents:
                    self._agents[episode.agent] = find_agent(episode.agent, self._seconds)
            return self._agents[episode.agent].make(episode.seed, trial)
        if self._cast is None:
            raise InputError("needs its model to be played", episode.id)
        cast = self._cast
        chat = cast.chats[episode.settings["model"]]
        return make_agent(setup, trial, chat, tape, cast.options, cast.embedder.open)

    def results(self) -> list[Result]:
        """Score the folder: one result an agent, in the manifest's order, over planned episodes.

        Only what is recorded is read; no agent's code is loaded.
        """
        by_agent: dict[str, list[Episode]] = {}
        for episode in self._folder.manifest.episodes:
            by_agent.setdefault(episode.agent, []).append(episode)
        return [
            result(
                agent,
                _privilege(episodes[0]),
                [self.played(episode) for episode in episodes],
                setup=episodes[0].settings.get("setup", ""),
                model=episodes[0].settings.get("model", ""),
            )
            for agent, episodes in by_agent.items()
        ]

    def played(self, episode: Episode) -> Played:
        """Score one episode by replay. ``InputError`` for a record that does not fit the trial."""
        trace = self._folder.trace(episode, self.events)
        events, footer = (trace.events, trace.footer) if trace else ((), None)
        try:
            return judge(self.trials[episode.unit], events, footer)
        except InputError as error:
            raise InputError(str(error), self._folder.trace_path(episode)) from None


def _privilege(episode: Episode) -> str:
    """Return what an agent gets beyond the observations."""
    setup = episode.settings.get("setup")
    if setup is not None:
        return SETUPS[setup].privilege if setup in SETUPS else ""
    return PRIVILEGE.get(episode.agent, "")


__all__ = [
    "NAME",
    "Cast",
    "Replied",
    "TrialsSuite",
    "make_manifest",
    "open_memories",
    "unit_files",
]
