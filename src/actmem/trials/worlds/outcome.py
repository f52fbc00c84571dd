"""What an action did."""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """``reply``: the sentence the agent gets. ``accepted``: the world changed by it.

    ``demanded``: an open ongoing goal asked for this action at this step. ``ongoing``: the ongoing
    task asks for it at some step, open or not.
    """

    reply: str
    accepted: bool = False
    demanded: bool = False
    ongoing: bool = False


WAITED = Outcome("You wait.")


def clock(minute: int) -> str:
    """Return minutes since midnight as ``HH:MM``."""
    return f"{minute // 60:02d}:{minute % 60:02d}"
