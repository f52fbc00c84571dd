"""What an action did."""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """``reply``: the sentence the agent gets. ``accepted``: the world changed by it.

    ``demanded``: an open ongoing goal asked for this action at this step.
    """

    reply: str
    accepted: bool = False
    demanded: bool = False


WAITED = Outcome("You wait.")


def clock(minute: int) -> str:
    """Return minutes since midnight as ``HH:MM``."""
    return f"{minute // 60:02d}:{minute % 60:02d}"
