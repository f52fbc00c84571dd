"""The heartbeat: a nudge every 30 or 60 virtual minutes.

It runs on a grid from the day's first step: the first nudge is due one interval after it. At a step
at or past the due minute one nudge is given, and the due minute moves on by whole intervals. A
heartbeat that is on stays on overnight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

INTERVALS = (30, 60)

Nudge = Literal["neutral", "channels", "informed", "task-reminder"]
"""What a nudge says: nothing but that time has passed; the names of all channels; the channels on
which an open task waits (privileged); the open tasks themselves (privileged)."""
NUDGES: tuple[Nudge, ...] = get_args(Nudge)
PRIVILEGED: dict[Nudge, str] = {
    "informed": "informed heartbeat",
    "task-reminder": "task-reminder heartbeat",
}
"""The label of a privileged nudge, by kind."""


class Heartbeat:
    """Counts the minutes of one day after another; ``interval`` is None while it is off."""

    def __init__(self) -> None:
        self.interval: int | None = None
        self._start = 0
        self._due = 0

    def start_day(self, minute: int) -> None:
        """Re-arm at the day's first step, ``minute`` after midnight."""
        self._start = minute
        if self.interval is not None:
            self._due = minute + self.interval

    def set(self, interval: int | None, minute: int) -> None:
        """Switch on with an interval of ``INTERVALS``, or off with None, at ``minute``."""
        self.interval = interval
        if interval is not None:
            self._due = self._next(interval, minute)

    def beat(self, minute: int) -> bool:
        """Say whether a nudge is given at a step of this minute, and move on if so."""
        if self.interval is None or minute < self._due:
            return False
        self._due = self._next(self.interval, minute)
        return True

    def _next(self, interval: int, minute: int) -> int:
        return self._start + ((minute - self._start) // interval + 1) * interval


def nudge_text(kind: Nudge, channels: Sequence[str], labels: Sequence[str] = ()) -> str:
    """Return a nudge's words. ``channels`` and ``labels`` are what its kind names."""
    if kind == "neutral":
        return "Heartbeat: some time has passed. Is there anything you should check or do?"
    if kind == "task-reminder":
        listed = "; ".join(labels) or "nothing"
        return f"Heartbeat: still open: {listed}."
    listed = ", ".join(channels) or "none"
    return f"Heartbeat: channels that you may want to check: {listed}."
