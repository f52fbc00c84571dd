"""The week suite as the runner sees it: which episodes, how one is played, how a folder is scored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from actmem.errors import DivergedError, IncompleteError, InputError
from actmem.files import decode, read_bytes
from actmem.models.tape import Called, Tape
from actmem.run.agent_suite import AgentSuite, Cast, players
from actmem.run.agents import AgentSpec
from actmem.run.plan import Episode, Manifest, episode_id, pairs, plan_run
from actmem.trace import Event, Footer
from actmem.week.agents import BUILT_IN, Agent, find_agent
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


def make_manifest(
    scenarios: Sequence[Scenario],
    agents: Sequence[str],
    *,
    seed: int = 0,
    repeats: int = 1,
    nudge: Nudge = "channels",
    cast: Cast[SetupOptions] | None = None,
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
    settings: dict[str, Any] = {"nudge": nudge}
    if cast is not None:
        for setup in cast.setups:
            replayed = find_setup(setup).replays
            if replayed and replayed not in cast.setups:
                raise InputError(f"{setup} replays {replayed}: name that too", "--setups")
        settings |= cast.options.settings | cast.settings
    who = players(agents, find_agent, BUILT_IN, cast, find_setup)
    planned = plan_run(NAME, units, who, settings, seed=seed, repeats=repeats)
    episodes = (msgspec.structs.replace(e, after=_replayed(e)) for e in planned.episodes)
    return msgspec.structs.replace(planned, episodes=tuple(episodes))


def _replayed(episode: Episode) -> str:
    """Return the id of the episode that one of a replaying setup reads, else nothing."""
    own = episode.settings
    setup = find_setup(own["setup"]).replays if "setup" in own else ""
    if not setup:
        return ""
    (agent,) = pairs([setup], [own["model"]])
    return episode_id(episode.unit, agent, episode.repeat)


def unit_files(scenarios: Sequence[Scenario]) -> dict[str, bytes]:
    """Return the files that a run folder keeps of its scenarios."""
    return {scenario.scenario_name: dump(scenario) for scenario in scenarios}


class WeekSuite(AgentSuite[WeekPlan, Agent, SetupOptions, Played, Result]):
    """The ``Suite`` of a run folder of weeks."""

    name = NAME
    events: Any = WeekEvent | Called
    always = ("nudge",)
    of_setups = ("form", "history_tokens", "prompts")

    def _open(self) -> None:
        self._nudge: Nudge = self._folder.manifest.settings.get("nudge", "channels")
        if self._nudge not in NUDGES:
            where = self._folder.path
            raise InputError(f"its manifest names an unknown nudge {self._nudge!r}", where)
        self._plans = lru_cache(maxsize=64)(self._load)

    def unit(self, name: str) -> WeekPlan:
        """Return a week of the run. ``InputError`` where it is not the one that the manifest names."""
        return self._plans(name)

    def _load(self, name: str) -> WeekPlan:
        path = self._folder.unit_path(name)
        plan = prepare(decode(read_bytes(path), Scenario, path))
        if plan.digest != self._folder.manifest.units.get(name):
            raise InputError("is not the scenario that the manifest names", path)
        return plan

    def privilege(self, episode: Episode) -> str:
        """Return what an agent gets beyond the observations; no agent's code is loaded."""
        return privilege(episode.agent, episode.settings.get("setup"), self._nudge)

    def _find(self, name: str, seconds: float) -> AgentSpec[WeekPlan, Agent]:
        return find_agent(name, seconds)

    def _seat(
        self, setup: str, unit: WeekPlan, chat: Chat, tape: Tape, options: SetupOptions
    ) -> Agent:
        return make_agent(setup, chat, tape, options)

    def play(
        self, episode: Episode, recorded: Sequence[Any], write: Callable[[Event], None]
    ) -> Footer:
        """Play one episode with a fresh agent and a fresh world; a replaying setup plays a record."""
        if episode.after:
            return self._vote(episode, recorded, write)
        return super().play(episode, recorded, write)

    def _run(
        self,
        agent: Agent,
        unit: WeekPlan,
        recorded: Sequence[Any],
        write: Callable[[Event], None],
        *,
        resumed: bool,
    ) -> Footer:
        world = World(unit, self._nudge)
        return play(agent, world, write, recorded, self._on_step, resumed=resumed)

    def _vote(
        self, episode: Episode, recorded: Sequence[Any], write: Callable[[Event], None]
    ) -> Footer:
        """Write what a vote over a recorded episode comes to."""
        from actmem.week.agents.votes import vote

        (source,) = (e for e in self._folder.manifest.episodes if e.id == episode.after)
        trace = self._folder.trace(source, self.events)
        if self._cast is None or trace is None or trace.footer is None:
            return Footer(status="failed", error=f"{source.id} has not ended")
        chat = self._cast.chats[episode.settings["model"]]
        world = World(self.unit(episode.unit), self._nudge)
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

    def _judge(self, unit: WeekPlan, events: Sequence[Any], footer: Footer | None) -> Played:
        return judge(unit, events, footer)

    def _pool(
        self, agent: str, privilege: str, played: Sequence[Played], setup: str, model: str
    ) -> Result:
        return result(agent, privilege, played, setup=setup, model=model)

    def recorded(self, episode: Episode) -> tuple[Any, ...]:
        """Return the events of an episode's trace; nothing where it has not begun."""
        trace = self._folder.trace(episode, self.events)
        return trace.events if trace else ()

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


def privilege(agent: str, setup: str | None, nudge: Nudge) -> str:
    """Return the label of what an agent gets; nothing is loaded, scoring runs no code."""
    own = BUILT_IN[agent].privilege if agent in BUILT_IN else ""
    nudged = setup is None or find_setup(setup).heartbeat
    labels = [own, PRIVILEGED.get(nudge, "") if nudged else ""]
    return ", ".join(label for label in labels if label)


__all__ = ["NAME", "WeekSuite", "make_manifest", "privilege", "unit_files"]
