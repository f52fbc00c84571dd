"""What a report of weeks is made from: one entry an agent, its episodes scored.

Entries come from run folders, from run logs beside their week, or are floors played for the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from actmem.errors import InputError
from actmem.report.facts import run_facts
from actmem.report.same import model_settings, refuse_mixed, refuse_other_units
from actmem.run.store import RunFolder
from actmem.week.agents import BUILT_IN
from actmem.week.agents.setups import SETUPS
from actmem.week.obligations import WeekPlan
from actmem.week.results import Played, Result
from actmem.week.suite import WeekSuite

Source = Literal["run", "log", "played now"]


class Entry(NamedTuple):
    """One agent, or one setup with one model, over all weeks."""

    result: Result
    played: tuple[Played, ...]
    """Its planned episodes, scored."""
    source: Source
    where: str
    """The run folder or log."""
    settings: dict[str, Any]
    """What has to be equal in one table: package version, and where they apply nudge, form,
    history tokens and prompts."""

    @property
    def name(self) -> str:
        """How tables call it."""
        return self.result.agent

    @property
    def floor(self) -> bool:
        """True for the floors and the oracle."""
        own = self.result.setup or self.source == "log"
        return not own and self.result.agent in BUILT_IN


class WeekData(NamedTuple):
    """All entries of a report, over one set of weeks."""

    units: dict[str, str]
    """SHA-256 by the name of a week."""
    plans: dict[str, WeekPlan]
    entries: tuple[Entry, ...]
    suites: tuple[WeekSuite, ...]
    """Those of the run folders, for what needs the traces; none for logs."""
    folders: tuple[RunFolder, ...]
    facts: dict[str, str]

    @property
    def results(self) -> list[Result]:
        """The result of every entry."""
        return [entry.result for entry in self.entries]


def read_runs(folders: Sequence[RunFolder]) -> WeekData:
    """Score run folders of one set of weeks.

    Raises ``InputError`` where they hold different weeks, or one was made by another version.
    """
    if not folders:
        raise InputError("there is no run to report on")
    suites = tuple(WeekSuite(folder) for folder in folders)
    refuse_other_units(folders, "weeks")
    units = dict(folders[0].manifest.units)
    found = WeekData(
        units=units,
        plans={unit: suites[0].unit(unit) for unit in units},
        entries=tuple(
            entry
            for folder, suite in zip(folders, suites, strict=True)
            for entry in _entries(folder, suite)
        ),
        suites=suites,
        folders=tuple(folders),
        facts=run_facts(folders, "weeks", ("nudge", "form", "history_tokens"), listed=True),
    )
    refuse_mixed(found.entries, ("actmem",))
    return found


def _entries(folder: RunFolder, suite: WeekSuite) -> list[Entry]:
    found = []
    for episodes in suite.by_agent().values():
        missing = folder.manifest.units.keys() - {episode.unit for episode in episodes}
        if missing:
            raise InputError(
                f"{episodes[0].agent} is not planned on {min(missing)}: a table holds one set of "
                "weeks",
                folder.path,
            )
        played = tuple(suite.played(episode) for episode in episodes)
        one = suite.pooled(episodes, played)
        found.append(Entry(one, played, "run", str(folder.path), _settings(folder, one)))
    return found


def _settings(folder: RunFolder, one: Result) -> dict[str, Any]:
    """Return the settings of a run that bear on an entry."""
    given = folder.manifest.settings
    kept: dict[str, Any] = {"actmem": folder.manifest.versions.get("actmem", "")}
    if one.setup:
        kept |= {name: given.get(name) for name in WeekSuite.of_setups}
        kept |= model_settings(folder, one.model)
        if SETUPS[one.setup].heartbeat:
            kept["nudge"] = given.get("nudge")
    elif one.agent not in BUILT_IN:  # an agent of one's own may switch a heartbeat on
        kept["nudge"] = given.get("nudge")
    return kept
