"""The few prompts of the model layer, from ``prompts.toml``, and their digest."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from actmem.hashing import digest


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
