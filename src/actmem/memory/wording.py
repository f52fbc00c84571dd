"""The prompts of the systems that call a model: one TOML file a system, beside its code."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from actmem.hashing import digest
from actmem.memory.model import RETRIES
from actmem.models.structured import Schema


def load_prompts(system: str) -> dict[str, str]:
    """Return a system's prompts by step, without surrounding blank lines."""
    data = tomllib.loads(files("actmem.memory").joinpath(f"{system}.toml").read_text("utf-8"))
    return {name: text.strip() for name, text in data.items()}


def fingerprint(prompts: dict[str, str], *schemas: Schema) -> str:
    """Return the digest of what a system asks: its prompts, its schemas, and how often again."""
    return digest([prompts, [[s.name, s.definition] for s in schemas], RETRIES])
