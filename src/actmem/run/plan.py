"""What a run is made of: a grid of episodes, written down before the first; and their headers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

from actmem.models.price import Price
from actmem.trace import Event, Footer, Header, now, versions


class Episode(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One unit played once by one agent."""

    id: str
    """Unique in its run, and a safe file name."""
    unit: str
    """Name of the scenario, trial or task."""
    agent: str
    seed: int
    """Seed of the agent's random generator."""
    repeat: int = 0
    settings: dict[str, Any] = {}
    """What else the agent is made with."""
    after: str = ""
    """Id of the episode whose trace this one reads; it is played before."""


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole plan of a run. A folder is resumed only with an equal one, but for ``created``."""

    format: Literal["actmem-run-1"] = "actmem-run-1"
    suite: str
    created: str
    versions: dict[str, str]
    settings: dict[str, Any]
    """Settings of the suite."""
    units: dict[str, str]
    """SHA-256 by unit name."""
    episodes: tuple[Episode, ...]


class Suite(Protocol):
    """What the runner has to know of a suite."""

    name: str
    events: Any
    """Union of the event structs that its traces hold."""

    def header(self, episode: Episode) -> Header:
        """Return the header of the episode's trace, without its start time.

        Its settings name the episode's seed: a trace is bound to its episode by unit, agent and
        seed.
        """
        ...

    def play(
        self, episode: Episode, recorded: Sequence[Any], write: Callable[[Event], None]
    ) -> Footer:
        """Play an episode to its end. ``recorded`` is what a broken-off trace holds.

        Raises ``DivergedError`` where the agent does not repeat the record.
        """
        ...


def plan_run(
    suite: str,
    units: Mapping[str, str],
    agents: Mapping[str, Mapping[str, Any]],
    settings: Mapping[str, Any],
    *,
    seed: int,
    repeats: int,
) -> Manifest:
    """Plan a run now: every unit (its digest by its name) for every agent (``grid``)."""
    return Manifest(
        suite=suite,
        created=now(),
        versions={"actmem": versions()["actmem"]},
        settings={"seed": seed, "repeats": repeats, **settings},
        units=dict(units),
        episodes=grid(units, agents, seed, repeats),
    )


def make_header(
    manifest: Manifest,
    episode: Episode,
    privilege: str,
    shared: Iterable[str],
    prices: Mapping[str, Price],
) -> Header:
    """Return the header of an episode's trace.

    Of the run's settings it holds those that are ``shared`` by its episodes, how its model was set,
    and what that costs, where ``prices`` know.
    """
    settings: dict[str, Any] = {"seed": episode.seed}
    settings |= {name: manifest.settings[name] for name in shared if name in manifest.settings}
    if model := episode.settings.get("model"):
        settings["model_settings"] = manifest.settings["models"][model]
        if model in prices:
            settings["price"] = prices[model]._asdict()
    return Header(
        suite=manifest.suite,
        unit=episode.unit,
        unit_digest=manifest.units[episode.unit],
        agent=episode.agent,
        settings=settings | episode.settings,
        privilege=privilege,
        versions=versions(),
    )


def grid(
    units: Iterable[str], agents: Mapping[str, Mapping[str, Any]], seed: int, repeats: int
) -> tuple[Episode, ...]:
    """Return the episodes of a run: every unit played ``repeats`` times by every agent.

    ``agents`` gives the settings of each by its name. Episodes go unit by unit, so that a run that
    is not at its end has come equally far with all agents; for a unit's repeat all have one seed.
    """
    return tuple(
        Episode(
            id=episode_id(unit, agent, repeat),
            unit=unit,
            agent=agent,
            seed=episode_seed(seed, number * repeats + repeat),
            repeat=repeat,
            settings=dict(own),
        )
        for number, unit in enumerate(units)
        for agent, own in agents.items()
        for repeat in range(repeats)
    )


def pairs(setups: Iterable[str], models: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the agents that every setup makes with every model, for ``grid``."""
    return {
        f"{setup} {model}": {"setup": setup, "model": model}
        for model in models
        for setup in dict.fromkeys(setups)
    }


def episode_id(unit: str, agent: str, repeat: int) -> str:
    """Return a file name for an episode: unit, agent and repeat, each as ``file_name`` writes it."""
    return f"{file_name(unit)}.{file_name(agent)}.{repeat}"


def file_name(name: str) -> str:
    """Return ``name`` where it is a plain file name, else its end made plain and a digest.

    Different names have different file names: ``a/x.py:Agent`` and ``a-x.py:Agent`` are two agents,
    and a unit called ``../x`` stays in its folder.
    """
    if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", name):
        return name
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[-51:].strip("-")
    return f"{plain}-{mark}" if plain else mark


def episode_seed(seed: int, number: int) -> int:
    """Return the seed of the ``number``-th repeat of a unit: distinct, and the same for all agents."""
    return seed * 1_000_003 + number
