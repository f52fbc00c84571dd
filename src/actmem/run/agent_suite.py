"""What suites have in common whose units are played by agents: the week's and the trials'.

A unit is played by an agent that needs no model, or by a setup, a way of putting a model to work.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from actmem.errors import InputError
from actmem.models.chat import Chat, Usage
from actmem.models.price import Price
from actmem.models.tape import Called, Tape
from actmem.plugin import source
from actmem.process import SECONDS
from actmem.run.agents import AgentSpec, close_agent
from actmem.run.plan import Episode, make_header, pairs
from actmem.run.raised import describe, is_interrupt
from actmem.run.store import RunFolder
from actmem.trace import Event, Footer, Header

U = TypeVar("U")
A = TypeVar("A")
S = TypeVar("S")
P = TypeVar("P")
R = TypeVar("R")


class Cast(NamedTuple, Generic[S]):
    """Which setups are played by which models, and how."""

    setups: Sequence[str]
    chats: Mapping[str, Chat]
    """Models by name. Nothing is sent before the first episode."""
    options: S
    """What the setups are made with."""
    prices: Mapping[str, Price] = {}
    """Prices by model, where they are known."""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the models, for a manifest."""
        return {"models": {name: dict(chat.settings) for name, chat in self.chats.items()}}


def players(
    agents: Sequence[str],
    find: Callable[[str], object],
    built_in: Container[str],
    cast: Cast[Any] | None,
    find_setup: Callable[[str], object],
) -> dict[str, dict[str, Any]]:
    """Return who plays, with the settings of each by its name: agents, and setups with models.

    Those of a user's agent say what its code is. ``find`` and ``find_setup`` raise ``InputError`` for
    a name that they do not know.
    """
    found: dict[str, dict[str, Any]] = {}
    for agent in agents:
        find(agent)
        found[agent] = {} if agent in built_in else source(agent)
    if cast is None:
        return found
    for setup in cast.setups:
        find_setup(setup)
    return found | pairs(cast.setups, cast.chats)


class AgentSuite(ABC, Generic[U, A, S, P, R]):
    """The ``Suite`` of a run folder: agents ``A``, or setups with options ``S``, play its units ``U``.

    ``P`` is a scored episode, ``R`` the result of one agent. Units are read from the folder.
    """

    name: str
    events: Any
    always: ClassVar[tuple[str, ...]] = ()
    """Settings of a run that stand in the header of each episode."""
    of_setups: ClassVar[tuple[str, ...]] = ()
    """Those that stand in the headers of setups' episodes only."""

    def __init__(
        self,
        folder: RunFolder,
        on_step: Callable[[], None] | None = None,
        cast: Cast[S] | None = None,
        seconds: float = SECONDS,
        on_call: Callable[[Usage], None] | None = None,
    ) -> None:
        """``cast`` is needed to play episodes of setups, not to score them.

        ``on_step`` and ``on_call`` are called after each step and each call of a model, by the
        thread that plays. ``seconds`` is how long one answer of a program that plays may take.
        """
        if folder.manifest.suite != self.name:
            raise InputError(f"is a run of the suite {folder.manifest.suite!r}", folder.path)
        self._folder = folder
        self._on_step = on_step
        self._cast = cast
        self._seconds = seconds
        self._on_call = on_call
        self._agents: dict[str, AgentSpec[U, A]] = {}
        self._loading = threading.Lock()
        self._open()

    def _open(self) -> None:  # most suites have nothing to do
        """Look at the run's settings, first of all; ``InputError`` where they are unknown."""

    @abstractmethod
    def unit(self, name: str) -> U:
        """Return a unit of the run. ``InputError`` where it is not the one that the manifest names."""

    @abstractmethod
    def privilege(self, episode: Episode) -> str:
        """Return what an agent gets beyond the observations; no agent's code is loaded."""

    @abstractmethod
    def _find(self, name: str, seconds: float) -> AgentSpec[U, A]:
        """Return an agent that needs no model."""

    @abstractmethod
    def _seat(self, setup: str, unit: U, chat: Chat, tape: Tape, options: S) -> A:
        """Return a setup's agent for one episode."""

    @abstractmethod
    def _run(
        self,
        agent: A,
        unit: U,
        recorded: Sequence[Any],
        write: Callable[[Event], None],
        *,
        resumed: bool,
    ) -> Footer:
        """Play an episode; ``recorded`` are its events, calls of models aside."""

    @abstractmethod
    def _judge(self, unit: U, events: Sequence[Any], footer: Footer | None) -> P:
        """Score an episode. What was not played counts as not done.

        Raises ``InputError`` for a record that does not fit the unit.
        """

    @abstractmethod
    def _pool(self, agent: str, privilege: str, played: Sequence[P], setup: str, model: str) -> R:
        """Return the result of one agent from its planned episodes, scored."""

    def header(self, episode: Episode) -> Header:
        """Return the header of the episode's trace."""
        shared = (*self.always, *(self.of_setups if "setup" in episode.settings else ()))
        prices = self._cast.prices if self._cast else {}
        return make_header(self._folder.manifest, episode, self.privilege(episode), shared, prices)

    def play(
        self, episode: Episode, recorded: Sequence[Any], write: Callable[[Event], None]
    ) -> Footer:
        """Play one episode with a fresh agent. One that cannot be made is a failed episode."""
        unit = self.unit(episode.unit)
        tape = Tape((e for e in recorded if isinstance(e, Called)), write, self._on_call)
        try:
            agent = self._make(episode, unit, tape)
        except BaseException as error:
            if is_interrupt(error):
                raise
            return Footer(status="failed", error=f"cannot be made: {describe(error)}")
        events = [event for event in recorded if not isinstance(event, Called)]
        try:
            return self._run(agent, unit, events, write, resumed=bool(recorded))
        finally:
            close_agent(agent)

    def _make(self, episode: Episode, unit: U, tape: Tape) -> A:
        setup = episode.settings.get("setup")
        if setup is None:
            return self._agent(episode.agent).make(episode.seed, unit)
        if self._cast is None:
            raise InputError("needs its model to be played", episode.id)
        chat = self._cast.chats[episode.settings["model"]]
        return self._seat(setup, unit, chat, tape, self._cast.options)

    def _agent(self, name: str) -> AgentSpec[U, A]:
        """Load an agent once a run: its file's module is the same for all workers and episodes."""
        with self._loading:
            if name not in self._agents:
                self._agents[name] = self._find(name, self._seconds)
            return self._agents[name]

    def by_agent(self) -> dict[str, tuple[Episode, ...]]:
        """Return the planned episodes of each agent, in the manifest's order."""
        found: dict[str, list[Episode]] = {}
        for episode in self._folder.manifest.episodes:
            found.setdefault(episode.agent, []).append(episode)
        return {agent: tuple(episodes) for agent, episodes in found.items()}

    def results(self) -> list[R]:
        """Score the folder: one result an agent, in the manifest's order, over planned episodes.

        Only what is recorded is read.
        """
        return [
            self.pooled(episodes, [self.played(episode) for episode in episodes])
            for episodes in self.by_agent().values()
        ]

    def pooled(self, episodes: Sequence[Episode], played: Sequence[P]) -> R:
        """Return the result of one agent from its planned episodes, scored."""
        first = episodes[0]
        of = first.settings
        privilege = self.privilege(first)
        return self._pool(first.agent, privilege, played, of.get("setup", ""), of.get("model", ""))

    def played(self, episode: Episode) -> P:
        """Score one episode. ``InputError`` for a record that does not fit its unit."""
        trace = self._folder.trace(episode, self.events)
        events, footer = (trace.events, trace.footer) if trace else ((), None)
        try:
            return self._judge(self.unit(episode.unit), events, footer)
        except InputError as error:
            raise InputError(str(error), self._folder.trace_path(episode)) from None
