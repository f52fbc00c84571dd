"""Floors and oracle for a report, where the runs have none: they need no model and little time."""

from __future__ import annotations

from collections.abc import Mapping

from actmem.report.week_data import Entry, WeekData
from actmem.run.plan import episode_seed
from actmem.trace import Event, versions
from actmem.week.agents import BUILT_IN, find_agent
from actmem.week.judge import judge
from actmem.week.obligations import WeekPlan
from actmem.week.play import play
from actmem.week.results import result
from actmem.week.world import World


def with_floors(data: WeekData) -> WeekData:
    """Return the data with every floor and the oracle once, in their order, after all others.

    One that several runs have is taken from the first; one that none has is played now.
    """
    known: dict[str, Entry] = {}
    for entry in data.entries:
        if entry.floor:
            known.setdefault(entry.result.agent, entry)
    floors = [known.get(name) or _played(name, data.plans) for name in BUILT_IN]
    others = [entry for entry in data.entries if not entry.floor]
    return data._replace(entries=(*others, *floors))


def _played(name: str, plans: Mapping[str, WeekPlan]) -> Entry:
    """Play a built-in agent on every week."""
    spec = find_agent(name)
    played = []
    for number, plan in enumerate(plans.values()):
        events: list[Event] = []
        footer = play(spec.make(episode_seed(0, number), plan), World(plan), events.append)
        played.append(judge(plan, events, footer))
    return Entry(
        result(name, spec.privilege, played),
        tuple(played),
        "played now",
        "",
        {"actmem": versions()["actmem"]},
    )
