"""The week suite as the runner sees it: which episodes, how one is played, how a folder is scored."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from actmem.errors import InputError
from actmem.files import decode, read_bytes
from actmem.run.plan import Episode, Manifest, episode_id, episode_seed
from actmem.run.store import RunFolder
from actmem.trace import Event, Footer, Header, now, versions
from actmem.week.agents import BUILT_IN, AgentSpec, find_agent
from actmem.week.heartbeat import NUDGES, PRIVILEGED, Nudge
from actmem.week.menu import day_menu
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.play import WeekEvent, describe, is_interrupt, play
from actmem.week.records import Links, Obligation, count_links, records
from actmem.week.replay import rows_of
from actmem.week.results import Played, Result, result
from actmem.week.scenario import Scenario, dump
from actmem.week.score import align, tally
from actmem.week.world import World

NAME = "week"


def make_manifest(
    scenarios: Sequence[Scenario],
    agents: Sequence[str],
    *,
    seed: int = 0,
    repeats: int = 1,
    nudge: Nudge = "channels",
) -> Manifest:
    """Plan a run: every agent on every scenario, ``repeats`` times.

    Raises ``InputError`` for an unknown agent, two scenarios of one name, or one that cannot be
    played.
    """
    for scenario in scenarios:
        plan = prepare(scenario)
        for day in plan.days:
            day_menu(plan, day.number)
    units = {scenario.scenario_name: scenario.digest for scenario in scenarios}
    if len(units) < len(scenarios):
        raise InputError("two of the scenarios have the same name")
    sources = {}
    for agent in agents:
        find_agent(agent)
        sources[agent] = _source(agent)
    return Manifest(
        suite=NAME,
        created=now(),
        versions={"actmem": versions()["actmem"]},
        settings={"seed": seed, "repeats": repeats, "nudge": nudge},
        units=units,
        episodes=tuple(
            Episode(
                id=episode_id(scenario.scenario_name, agent, repeat),
                unit=scenario.scenario_name,
                agent=agent,
                seed=episode_seed(seed, number * repeats + repeat),
                repeat=repeat,
                settings=sources[agent],
            )
            for agent in dict.fromkeys(agents)
            for number, scenario in enumerate(scenarios)
            for repeat in range(repeats)
        ),
    )


def _source(agent: str) -> dict[str, Any]:
    """Return the settings that say what an agent's code was: a changed file is another agent."""
    if agent in BUILT_IN:
        return {}
    path = Path(agent.rpartition(":")[0])
    return {"agent_file": hashlib.sha256(read_bytes(path)).hexdigest()}


def unit_files(scenarios: Sequence[Scenario]) -> dict[str, bytes]:
    """Return the files that a run folder keeps of its scenarios."""
    return {scenario.scenario_name: dump(scenario) for scenario in scenarios}


class WeekSuite:
    """The ``Suite`` of a run folder. It reads the scenarios that the folder keeps."""

    name = NAME
    events: Any = WeekEvent

    def __init__(self, folder: RunFolder, on_step: Callable[[], None] | None = None) -> None:
        if folder.manifest.suite != NAME:
            raise InputError(f"is a run of the suite {folder.manifest.suite!r}", folder.path)
        self._folder = folder
        self._on_step = on_step
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
                self._agents[name] = find_agent(name)
            return self._agents[name]

    def _privilege(self, agent: str) -> str:
        """Return the label of what an agent gets; nothing is loaded, scoring runs no code."""
        own = BUILT_IN[agent].privilege if agent in BUILT_IN else ""
        return ", ".join(label for label in (own, PRIVILEGED.get(self._nudge, "")) if label)

    def header(self, episode: Episode) -> Header:
        """Return the header of the episode's trace."""
        return Header(
            suite=NAME,
            unit=episode.unit,
            unit_digest=self._folder.manifest.units[episode.unit],
            agent=episode.agent,
            settings={"seed": episode.seed, "nudge": self._nudge} | episode.settings,
            privilege=self._privilege(episode.agent),
            versions=versions(),
        )

    def play(
        self, episode: Episode, recorded: Sequence[WeekEvent], write: Callable[[Event], None]
    ) -> Footer:
        """Play one episode with a fresh agent and a fresh world."""
        plan = self.plan(episode.unit)
        try:
            agent = self._agent(episode.agent).make(episode.seed, plan)
        except BaseException as error:
            if is_interrupt(error):
                raise
            return Footer(status="failed", error=f"cannot be made: {describe(error)}")
        return play(agent, World(plan, self._nudge), write, recorded, self._on_step)

    def results(self) -> list[Result]:
        """Score the folder: one result an agent, in the manifest's order, over planned episodes."""
        by_agent: dict[str, list[Played]] = {}
        for episode in self._folder.manifest.episodes:
            by_agent.setdefault(episode.agent, []).append(self.played(episode))
        return [result(agent, self._privilege(agent), played) for agent, played in by_agent.items()]

    def played(self, episode: Episode) -> Played:
        """Score one episode. What was not played counts as empty acts.

        Raises ``InputError`` for rows that are out of order or of another week.
        """
        plan = self.plan(episode.unit)
        trace = self._folder.trace(episode, WeekEvent)
        footer = trace.footer if trace else None
        try:
            aligned = align(plan, rows_of(plan, trace.events if trace else ()))
        except InputError as error:
            raise InputError(str(error), self._folder.trace_path(episode)) from None
        failed = footer is not None and footer.status == "failed"
        complete = footer is not None and footer.status == "complete" and not aligned.missing
        return Played(
            unit=episode.unit,
            status="complete" if complete else "failed" if failed else "missing",
            error=footer.error if footer else "",
            invalid=sum(
                not event.valid
                for event in (trace.events if trace else ())
                if hasattr(event, "valid")
            ),
            score=tally(plan, aligned.rows),
            links=count_links(self.obligations(plan, aligned.rows, aligned.missing)),
        )

    @staticmethod
    def obligations(plan: WeekPlan, rows: Sequence[Any], missing: int) -> list[Obligation]:
        """Return the obligation records of an episode that lacks its last ``missing`` steps."""
        return records(plan, rows, len(rows) - missing)


__all__ = ["Links", "Obligation", "WeekSuite", "make_manifest", "unit_files"]
