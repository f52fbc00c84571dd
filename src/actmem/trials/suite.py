"""The trials suite as the runner sees it: which episodes, how one is played, how a run is scored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from actmem.errors import InputError
from actmem.files import decode, read_bytes
from actmem.hashing import canonical
from actmem.models.tape import Called, Tape
from actmem.run.agent_suite import AgentSuite, Cast, players
from actmem.run.agents import AgentSpec
from actmem.run.plan import Episode, Manifest, plan_run
from actmem.trace import Event, Footer
from actmem.trials.agents import find_agent
from actmem.trials.agents.agent import Agent
from actmem.trials.agents.floors import FLOORS, PRIVILEGE
from actmem.trials.agents.setups import SETUPS, SetupOptions, find_setup, make_agent
from actmem.trials.judge import judge
from actmem.trials.play import Replied, play
from actmem.trials.results import Played, Result, result
from actmem.trials.trial import Trial

if TYPE_CHECKING:
    from actmem.models.chat import Chat

NAME = "trials"
UNITS = "trials"
"""The one file in the run folder's ``units`` that holds all trials of the run."""


def make_manifest(
    trials: Sequence[Trial],
    agents: Sequence[str],
    *,
    seed: int = 0,
    repeats: int = 1,
    cast: Cast[SetupOptions] | None = None,
) -> Manifest:
    """Plan a run: on every trial every agent, and every setup with every model.

    Raises ``InputError`` for no trials, an unknown agent or setup, or two trials of one id.
    """
    if not trials:
        raise InputError("there are no trials to run")
    units = {trial.id: trial.digest() for trial in trials}
    if len(units) < len(trials):
        raise InputError("two of the trials have the same id")
    who = players(agents, find_agent, FLOORS, cast, find_setup)
    settings = cast.options.settings(cast.setups) | cast.settings if cast else {}
    return plan_run(NAME, units, who, settings, seed=seed, repeats=repeats)


def open_memories(cast: Cast[SetupOptions] | None) -> None:
    """Open what the cast's memories embed with, so that it is found missing before the run begins.

    Raises ``InputError`` where the extra or the weights are missing.
    """
    if cast is not None and any(find_setup(setup).memory for setup in cast.setups):
        cast.options.embedder.open()


def unit_files(trials: Sequence[Trial]) -> dict[str, bytes]:
    """Return the file that a run folder keeps of its trials."""
    return {UNITS: canonical(list(trials)) + b"\n"}


class TrialsSuite(AgentSuite[Trial, Agent, SetupOptions, Played, Result]):
    """The ``Suite`` of a run folder of trials."""

    name = NAME
    events: Any = Replied | Called
    of_setups = ("history_tokens", "passage_tokens", "characters", "prompts", "embedder")

    @cached_property
    def trials(self) -> dict[str, Trial]:
        """The run's trials by id. ``InputError`` where they are not those of the manifest."""
        path = self._folder.unit_path(UNITS)
        trials: list[Trial] = decode(read_bytes(path), list[Trial], path)
        known = {trial.id: trial for trial in trials}
        if {name: trial.digest() for name, trial in known.items()} != self._folder.manifest.units:
            raise InputError("does not hold the trials that the manifest names", path)
        return known

    def unit(self, name: str) -> Trial:
        """Return a trial of the run; raises as ``trials`` does."""
        return self.trials[name]

    def privilege(self, episode: Episode) -> str:
        """Return what an agent gets beyond the observations; no agent's code is loaded."""
        setup = episode.settings.get("setup")
        if setup is not None:
            return SETUPS[setup].privilege if setup in SETUPS else ""
        return PRIVILEGE.get(episode.agent, "")

    def _find(self, name: str, seconds: float) -> AgentSpec[Trial, Agent]:
        return find_agent(name, seconds)

    def _seat(
        self, setup: str, unit: Trial, chat: Chat, tape: Tape, options: SetupOptions
    ) -> Agent:
        return make_agent(setup, unit, chat, tape, options)

    def _run(
        self,
        agent: Agent,
        unit: Trial,
        recorded: Sequence[Any],
        write: Callable[[Event], None],
        *,
        resumed: bool,
    ) -> Footer:
        return play(agent, unit, recorded, write, self._on_step, resumed=resumed)

    def _judge(self, unit: Trial, events: Sequence[Any], footer: Footer | None) -> Played:
        return judge(unit, events, footer)

    def _pool(
        self, agent: str, privilege: str, played: Sequence[Played], setup: str, model: str
    ) -> Result:
        return result(agent, privilege, played, setup=setup, model=model)


__all__ = ["NAME", "TrialsSuite", "make_manifest", "open_memories", "unit_files"]
