"""The week suite as the runner sees it: which episodes, how one is played, how a folder is scored."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from actmem.errors import DivergedError, IncompleteError, InputError
from actmem.files import decode, read_bytes
from actmem.models.chat import Usage
from actmem.models.price import Price
from actmem.models.prompts import prompts_digest
from actmem.models.tape import Called, Tape
from actmem.plugin import source
from actmem.process import SECONDS
from actmem.run.plan import Episode, Manifest, episode_id, grid, pairs
from actmem.run.raised import describe, is_interrupt
from actmem.run.store import RunFolder
from actmem.trace import Event, Footer, Header, now, versions
from actmem.week.agents import BUILT_IN, Agent, AgentSpec, close_agent, find_agent
from actmem.week.agents.setups import SetupOptions, find_setup, make_agent
from actmem.week.heartbeat import NUDGES, PRIVILEGED, Nudge
from actmem.week.judge import judge
from actmem.week.menu import day_menu
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.play import Acted, WeekEvent, play
from actmem.week.results import Played, Result, result
from actmem.week.scenario import Scenario, dump
from actmem.week.world import World

if TYPE_CHECKING:
    from actmem.models.chat import Chat

NAME = "week"


class Cast(NamedTuple):
    """Which setups are played by which models, and how."""

    setups: Sequence[str]
    chats: Mapping[str, Chat]
    """Models by name. Nothing is sent before the first episode."""
    options: SetupOptions
    prices: Mapping[str, Price] = {}
    """Prices by model, where they are known."""


def make_manifest(
    scenarios: Sequence[Scenario],
    agents: Sequence[str],
    *,
    seed: int = 0,
    repeats: int = 1,
    nudge: Nudge = "channels",
    cast: Cast | None = None,
) -> Manifest:
    """Plan a run: every agent, and every setup with every model, on every scenario.

    Raises ``InputError`` for an unknown agent or setup, two scenarios of one name, or one that
    cannot be played.
    """
    for scenario in scenarios:
        plan = prepare(scenario)
        for day in plan.days:
            day_menu(plan, day.number)
    units = {scenario.scenario_name: scenario.digest for scenario in scenarios}
    if len(units) < len(scenarios):
        raise InputError("two of the scenarios have the same name")
    players: dict[str, dict[str, Any]] = {}
    for agent in agents:
        find_agent(agent)
        players[agent] = {} if agent in BUILT_IN else source(agent)
    settings: dict[str, Any] = {"seed": seed, "repeats": repeats, "nudge": nudge}
    if cast is not None:
        settings |= _cast_settings(cast)
        for setup in cast.setups:
            replayed = find_setup(setup).replays
            if replayed and replayed not in cast.setups:
                raise InputError(f"{setup} replays {replayed}: name that too", "--setups")
        players |= pairs(cast.setups, cast.chats)
    return Manifest(
        suite=NAME,
        created=now(),
        versions={"actmem": versions()["actmem"]},
        settings=settings,
        units=units,
        episodes=tuple(
            msgspec.structs.replace(episode, after=_replayed(episode))
            for episode in grid(units, players, seed, repeats)
        ),
    )


def _replayed(episode: Episode) -> str:
    """Return the id of the episode that one of a replaying setup reads, else nothing."""
    own = episode.settings
    setup = find_setup(own["setup"]).replays if "setup" in own else ""
    if not setup:
        return ""
    (agent,) = pairs([setup], [own["model"]])
    return episode_id(episode.unit, agent, episode.repeat)


def _cast_settings(cast: Cast) -> dict[str, Any]:
    """Return what of a cast moves the number, for the manifest."""
    return {
        "form": cast.options.form,
        "history_tokens": cast.options.history_tokens,
        "prompts": cast.options.words.digests | {"dialogue": prompts_digest()},
        "models": {name: dict(chat.settings) for name, chat in cast.chats.items()},
    }


def unit_files(scenarios: Sequence[Scenario]) -> dict[str, bytes]:
    """Return the files that a run folder keeps of its scenarios."""
    return {scenario.scenario_name: dump(scenario) for scenario in scenarios}


class WeekSuite:
    """The ``Suite`` of a run folder. It reads the scenarios that the folder keeps."""

    name = NAME
    events: Any = WeekEvent | Called

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
        self._nudge: Nudge = folder.manifest.settings.get("nudge", "channels")
        if self._nudge not in NUDGES:
            raise InputError(f"its manifest names an unknown nudge {self._nudge!r}", folder.path)
        self._agents: dict[str, AgentSpec] = {}
        self._loading = threading.Lock()
        self.plan = lru_cache(maxsize=64)(self._load)

    def _load(self, unit: str) -> WeekPlan:
        path = self._folder.unit_path(unit)
        plan = prepare(decode(read_bytes(path), Scenario, path))
        if plan.digest != self._folder.manifest.units.get(unit):
            raise InputError("is not the scenario that the manifest names", path)
        return plan

    def _agent(self, name: str) -> AgentSpec:
        """Load an agent once a run: its file's module is the same for all workers and episodes."""
        with self._loading:
            if name not in self._agents:
                self._agents[name] = find_agent(name, self._seconds)
            return self._agents[name]

    def header(self, episode: Episode) -> Header:
        """Return the header of the episode's trace."""
        return Header(
            suite=NAME,
            unit=episode.unit,
            unit_digest=self._folder.manifest.units[episode.unit],
            agent=episode.agent,
            settings={"seed": episode.seed, "nudge": self._nudge} | self._model_settings(episode),
            privilege=self._privilege(episode),
            versions=versions(),
        )

    def _model_settings(self, episode: Episode) -> dict[str, Any]:
        """Return setup and model of an episode, and all that was set for them."""
        if "setup" not in episode.settings:
            return episode.settings
        settings = self._folder.manifest.settings
        shared = {name: settings[name] for name in ("form", "history_tokens", "prompts")}
        model = episode.settings["model"]
        price = self._cast.prices.get(model) if self._cast else None
        return (
            episode.settings
            | shared
            | {"model_settings": settings["models"][model]}
            | ({"price": price._asdict()} if price else {})
        )

    def _privilege(self, episode: Episode) -> str:
        return privilege(episode.agent, episode.settings.get("setup"), self._nudge)

    def play(
        self, episode: Episode, recorded: Sequence[Any], write: Callable[[Event], None]
    ) -> Footer:
        """Play one episode with a fresh agent and a fresh world."""
        plan = self.plan(episode.unit)
        if episode.after:
            return self._vote(episode, plan, recorded, write)
        calls = (event for event in recorded if isinstance(event, Called))
        tape = Tape(calls, write, self._on_call)
        try:
            agent = self._make(episode, plan, tape)
        except BaseException as error:
            if is_interrupt(error):
                raise
            return Footer(status="failed", error=f"cannot be made: {describe(error)}")
        steps = [event for event in recorded if not isinstance(event, Called)]
        world = World(plan, self._nudge)
        try:
            return play(agent, world, write, steps, self._on_step, resumed=bool(recorded))
        finally:
            close_agent(agent)

    def _vote(
        self,
        episode: Episode,
        plan: WeekPlan,
        recorded: Sequence[Any],
        write: Callable[[Event], None],
    ) -> Footer:
        """Write what a vote over a recorded episode comes to."""
        from actmem.week.agents.votes import vote

        (source,) = (e for e in self._folder.manifest.episodes if e.id == episode.after)
        trace = self._folder.trace(source, self.events)
        if self._cast is None or trace is None or trace.footer is None:
            return Footer(status="failed", error=f"{source.id} has not ended")
        chat = self._cast.chats[episode.settings["model"]]
        world = World(plan, self._nudge)
        try:
            events = vote(episode.settings["setup"], world, chat, self._cast.options, trace.events)
        except (DivergedError, IncompleteError) as error:
            return Footer(status="failed", error=f"{source.id}: {error}")
        if tuple(recorded) != tuple(events[: len(recorded)]):
            raise DivergedError(f"{episode.id} is not the vote over {source.id}")
        for event in events[len(recorded) :]:
            write(event)
            if isinstance(event, Acted) and self._on_step is not None:
                self._on_step()
        return trace.footer

    def _make(self, episode: Episode, plan: WeekPlan, tape: Tape) -> Agent:
        setup = episode.settings.get("setup")
        if setup is None:
            return self._agent(episode.agent).make(episode.seed, plan)
        if self._cast is None:
            raise InputError("needs its model to be played", episode.id)
        chat = self._cast.chats[episode.settings["model"]]
        return make_agent(setup, chat, tape, self._cast.options)

    def by_agent(self) -> dict[str, tuple[Episode, ...]]:
        """Return the planned episodes of each agent, in the manifest's order."""
        found: dict[str, list[Episode]] = {}
        for episode in self._folder.manifest.episodes:
            found.setdefault(episode.agent, []).append(episode)
        return {agent: tuple(episodes) for agent, episodes in found.items()}

    def recorded(self, episode: Episode) -> tuple[Any, ...]:
        """Return the events of an episode's trace; nothing where it has not begun."""
        trace = self._folder.trace(episode, self.events)
        return trace.events if trace else ()

    def results(self) -> list[Result]:
        """Score the folder: one result an agent, in the manifest's order, over planned episodes."""
        return [
            self.pooled(episodes, [self.played(episode) for episode in episodes])
            for episodes in self.by_agent().values()
        ]

    def pooled(self, episodes: Sequence[Episode], played: Sequence[Played]) -> Result:
        """Return the result of one agent from its planned episodes, scored."""
        first = episodes[0]
        return result(
            first.agent,
            self._privilege(first),
            played,
            setup=first.settings.get("setup", ""),
            model=first.settings.get("model", ""),
        )

    def set_counts(self, episode: Episode) -> tuple[int, int, int] | None:
        """Return hits, false alarms and misses of an episode played to its end, else None."""
        if not self._folder.trace_path(episode).exists():
            return None
        played = self.played(episode)
        counts = played.score.summary
        return (
            (counts["set_tp"], counts["set_fp"], counts["set_fn"])
            if played.status == "complete"
            else None
        )

    def played(self, episode: Episode) -> Played:
        """Score one episode. What was not played counts as empty acts.

        Raises ``InputError`` for rows that are out of order or of another week.
        """
        trace = self._folder.trace(episode, self.events)
        events, footer = (trace.events, trace.footer) if trace else ((), None)
        try:
            return judge(self.plan(episode.unit), events, footer)
        except InputError as error:
            raise InputError(str(error), self._folder.trace_path(episode)) from None


def privilege(agent: str, setup: str | None, nudge: Nudge) -> str:
    """Return the label of what an agent gets; nothing is loaded, scoring runs no code."""
    own = BUILT_IN[agent].privilege if agent in BUILT_IN else ""
    nudged = setup is None or find_setup(setup).heartbeat
    labels = [own, PRIVILEGED.get(nudge, "") if nudged else ""]
    return ", ".join(label for label in labels if label)


__all__ = ["Cast", "WeekSuite", "make_manifest", "privilege", "unit_files"]
