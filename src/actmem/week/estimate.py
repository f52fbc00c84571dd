"""What models in setups would take on weeks, before any call.

The stand-in asks a few channels at each step, then chooses, with replies as short as valid ones are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from actmem.models.chat import Chat, Usage
from actmem.models.estimate import Estimate, StandIn, estimate, shortest
from actmem.models.structured import Schema
from actmem.models.tape import Tape
from actmem.run.plan import Manifest
from actmem.week.agents.setups import SetupOptions, find_setup, make_agent
from actmem.week.heartbeat import Nudge
from actmem.week.obligations import prepare
from actmem.week.play import WeekEvent, play
from actmem.week.scenario import Scenario
from actmem.week.world import World


class Queries:
    """Replies that ask ``queries`` channels at each step, then choose A and do nothing."""

    def __init__(self, queries: int) -> None:
        self._queries = queries
        self._asked = 0

    def __call__(self, schema: Schema | None) -> str:
        """Return the shortest valid reply of the kind whose turn it is."""
        assert schema is not None
        value = shortest(schema.definition)
        if "action" in value:
            value |= {"choice": "A"}
            if self._asked < self._queries and "query_state" in _options(schema, "action"):
                channel = _options(schema, "channel")[0]
                value |= {"action": "query_state", "choice": "NONE", "channel": channel}
                self._asked += 1
            else:
                self._asked = 0
                value |= {"channel": "NONE"}
                if "tasks" in value:
                    flags = schema.definition["properties"]["tasks"]["anyOf"][1]
                    value |= {"tasks": shortest(flags)}
        return json.dumps(value)


def _options(schema: Schema, name: str) -> list[Any]:
    options: list[Any] = schema.definition["properties"][name]["enum"]
    return options


def estimates(
    manifest: Manifest,
    scenarios: Sequence[Scenario],
    chats: Mapping[str, Chat],
    options: SetupOptions,
    queries: int,
) -> list[Estimate]:
    """Return an estimate for each setup and model of a planned run, in the manifest's order."""
    weeks = {scenario.scenario_name: scenario for scenario in scenarios}
    nudge: Nudge = manifest.settings["nudge"]
    planned: dict[tuple[str, str], list[str]] = {}
    for episode in manifest.episodes:
        if "setup" in episode.settings:
            key = (episode.settings["setup"], episode.settings["model"])
            planned.setdefault(key, []).append(episode.unit)
    result = []
    for (setup, model), units in planned.items():
        usage, steps = Usage(), 0
        for unit in units:
            steps += sum(len(day.steps) for day in weeks[unit].days)
            if not find_setup(setup).replays:
                chat = StandIn(chats[model], Queries(queries))
                usage += _usage(setup, chat, weeks[unit], nudge, options)
        result.append(estimate(setup, model, len(units), steps, usage))
    return result


def _usage(
    setup: str, chat: StandIn, scenario: Scenario, nudge: Nudge, options: SetupOptions
) -> Usage:
    """Return what one episode takes with the stand-in."""
    tape = Tape()

    def forget(_: WeekEvent) -> None:
        """Write nothing."""

    play(make_agent(setup, chat, tape, options), World(prepare(scenario), nudge), forget)
    return tape.usage
