"""The prompts of the week's setups: the TOML files in ``prompts`` beside this module."""

from __future__ import annotations

from actmem.models import wording
from actmem.models.wording import Words

FILES = ("base", "heartbeat", "hierarchy", "ledger")
"""The prompt files, without ``.toml``."""


def built_in() -> Words:
    """Return the prompts that come with ActMem."""
    return wording.built_in("actmem.week.agents", FILES)
