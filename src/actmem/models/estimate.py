"""What a run of models would take, before any call: episodes played with a stand-in.

Prompts are thus the real ones, but for the length of what a model writes; tokens are estimates from
bytes, rather too many than too few.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from actmem.models.chat import Chat, Completion, Message, Usage, estimate_tokens
from actmem.models.structured import Schema, fit

SAID = "what was said "
"""What a stand-in's texts begin with."""


class Estimate(Struct, frozen=True, kw_only=True):
    """What the episodes of one setup with one model would take."""

    setup: str
    model: str
    phase: str = ""
    """Which part of the episodes, where they have several."""
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


def estimate(
    setup: str, model: str, episodes: int, steps: int, usage: Usage, phase: str = ""
) -> Estimate:
    """Return the estimate of episodes, or a phase of theirs, that took ``usage`` with a stand-in."""
    return Estimate(
        setup=setup,
        model=model,
        phase=phase,
        episodes=episodes,
        steps=steps,
        calls=usage.calls,
        prompt_tokens=usage.prompt_tokens,
        new_tokens=usage.prompt_tokens - usage.cached_tokens,
        completion_tokens=usage.completion_tokens,
    )


class StandIn:
    """A model that gives what ``reply`` returns for the schema of each call, and counts tokens.

    What of a prompt stood at the same place in the one before counts as cached.
    """

    parallel = 1

    def __init__(self, chat: Chat, reply: Callable[[Schema | None], str]) -> None:
        """``chat`` is the model in whose place this stands; it is never called."""
        self.name = chat.name
        self.settings: Mapping[str, Any] = chat.settings
        self.window = chat.window
        self._reply = reply
        self._last: Sequence[Message] = ()

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        """Return the reply."""
        text = self._reply(schema)
        parsed, problem = fit(text, schema)
        same = 0
        for one, other in zip(messages, self._last, strict=False):
            if one != other:
                break
            same += 1
        self._last = messages
        usage = Usage(
            calls=1,
            prompt_tokens=estimate_tokens(messages),
            cached_tokens=estimate_tokens(messages[:same]),
            completion_tokens=estimate_tokens([Message("assistant", text)]),
            estimated=True,
        )
        return Completion(text=text, parsed=parsed, problem=problem, usage=usage)

    def close(self) -> None:
        """Do nothing."""


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


def typical(schema: Mapping[str, Any]) -> Any:
    """Return a value of middling size that fits a schema: about half of what it allows."""
    if "anyOf" in schema:
        return typical(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema["type"]
    if kind == "object":
        return {name: typical(part) for name, part in schema["properties"].items()}
    if kind == "array":
        return [typical(schema["items"])] * (
            (schema.get("minItems", 0) + schema["maxItems"] + 1) // 2
        )
    if kind == "string":
        half = max(schema.get("minLength", 0), -(-schema["maxLength"] // 2))
        return (
            (SAID * (half // len(SAID) + 1))[:half].rstrip().ljust(schema.get("minLength", 0), "x")
        )
    low = schema.get("minimum", 0)
    return {"boolean": True, "null": None}.get(kind, (low + schema.get("maximum", low)) // 2)
