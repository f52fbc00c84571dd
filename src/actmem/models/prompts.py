"""The few prompts of the model layer, from ``prompts.toml``, and their digest."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from actmem.hashing import digest
from actmem.models.chat import Message

if TYPE_CHECKING:
    from actmem.models.structured import Schema


@cache
def prompts() -> dict[str, str]:
    """Return the prompts by name, without surrounding blank lines."""
    data = tomllib.loads(files("actmem.models").joinpath("prompts.toml").read_text("utf-8"))
    return {name: text.strip() for name, text in data.items()}


@cache
def prompts_digest() -> str:
    """Return the SHA-256 of the prompts that can stand in a dialogue, for the trace's header."""
    shown = ("schema", "again", "empty")
    return digest({name: prompts()[name] for name in shown})


def with_schema(messages: Sequence[Message], schema: Schema) -> list[Message]:
    """Return the messages with the schema told at the end of the last one.

    At the end, because a schema may change from call to call: what stands before stays equal, and
    with it the provider's prompt cache.
    """
    text = prompts()["schema"].format(schema=json.dumps(schema.definition, ensure_ascii=False))
    last = messages[-1]
    return [*messages[:-1], Message(last.role, f"{last.content}\n\n{text}")]
