"""The prompts of the systems that call a model: one TOML file a system, beside its code."""

from __future__ import annotations

import tomllib
from importlib.resources import files


def load_prompts(system: str) -> dict[str, str]:
    """Return a system's prompts by step, without surrounding blank lines."""
    data = tomllib.loads(files("actmem.memory").joinpath(f"{system}.toml").read_text("utf-8"))
    return {name: text.strip() for name, text in data.items()}
