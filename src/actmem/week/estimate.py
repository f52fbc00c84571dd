"""What a run of models would take, before any call.

Every episode is played with a stand-in that asks a few channels at each step, then chooses, with
replies as short as valid ones are. Prompts are thus the real ones, but for the length of what a
model writes; tokens are estimates from bytes, rather too many than too few.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from actmem.models.chat import Chat, Completion, Message, Usage, estimate_tokens
from actmem.models.structured import Schema, fit
from actmem.models.tape import Tape
from actmem.run.plan import Manifest
from actmem.week.agents.setups import SetupOptions, find_setup, make_agent
from actmem.week.heartbeat import Nudge
from actmem.week.obligations import prepare
from actmem.week.play import WeekEvent, play
from actmem.week.scenario import Scenario
from actmem.week.world import World


class Estimate(Struct, frozen=True, kw_only=True):
    """What the episodes of one setup with one model would take."""

    setup: str
    model: str
    episodes: int
    steps: int
    calls: int
    prompt_tokens: int
    new_tokens: int
    """Of the prompts' tokens those that no cache can hold: an append-only history has few."""
    completion_tokens: int

    def seconds(self, read: float, write: float) -> float:
        """Return the time at so many tokens a second, one episode at a time, with a warm cache."""
        return self.new_tokens / read + self.completion_tokens / write


class StandIn:
    """A model that asks ``queries`` channels at each step, then chooses A and does nothing."""

    parallel = 1

    def __init__(self, chat: Chat, queries: int) -> None:
        self.name = chat.name
        self.settings: Mapping[str, Any] = chat.settings
        self.window = chat.window
        self._queries = queries
        self._asked = 0

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
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
        text = json.dumps(value)
        parsed, problem = fit(text, schema)
        tokens = estimate_tokens(messages)
        replies = [i for i, message in enumerate(messages) if message.role == "assistant"]
        usage = Usage(
            calls=1,
            prompt_tokens=tokens,
            cached_tokens=estimate_tokens(messages[: replies[-1]]) if replies else 0,
            completion_tokens=estimate_tokens([Message("assistant", text)]),
            estimated=True,
        )
        return Completion(text=text, parsed=parsed, problem=problem, usage=usage)

    def close(self) -> None:
        """Do nothing."""


def _options(schema: Schema, name: str) -> list[Any]:
    options: list[Any] = schema.definition["properties"][name]["enum"]
    return options


def shortest(schema: Mapping[str, Any]) -> Any:
    """Return a small value that fits a schema."""
    if "anyOf" in schema:
        return shortest(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema["type"]
    if kind == "object":
        return {name: shortest(part) for name, part in schema["properties"].items()}
    if kind == "array":
        return [shortest(schema["items"])] * schema.get("minItems", 0)
    if kind == "string":
        return "x" * int(schema.get("minLength", 0))
    return {"boolean": False, "null": None}.get(kind, schema.get("minimum", 0))


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
                usage += _usage(setup, StandIn(chats[model], queries), weeks[unit], nudge, options)
        result.append(
            Estimate(
                setup=setup,
                model=model,
                episodes=len(units),
                steps=steps,
                calls=usage.calls,
                prompt_tokens=usage.prompt_tokens,
                new_tokens=usage.prompt_tokens - usage.cached_tokens,
                completion_tokens=usage.completion_tokens,
            )
        )
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
