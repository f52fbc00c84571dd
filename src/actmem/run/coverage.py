"""How far a run has come: what is below full coverage is named, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol


class Covered(Protocol):
    """A result that says how much of what was planned it is of."""

    @property
    def agent(self) -> str:
        """Whose result it is."""

    @property
    def planned(self) -> int:
        """Episodes that were planned."""

    @property
    def scored(self) -> int:
        """Episodes that were played to their end."""

    @property
    def failed(self) -> int:
        """Episodes that ended in a failure."""

    @property
    def errors(self) -> Sequence[str]:
        """Why episodes failed."""

    @property
    def complete(self) -> bool:
        """Whether all were played to their end."""


def shortfalls(results: Iterable[Covered]) -> list[str]:
    """Return a line for each result below full coverage: whose, how far it came, and why."""
    lines = []
    for result in results:
        if not result.complete:
            missing = result.planned - result.scored - result.failed
            why = f": {result.errors[0]}" if result.errors else ""
            lines.append(
                f"{result.agent}: {result.failed} failed, {missing} not ended "
                f"of {result.planned} episodes{why}"
            )
    return lines
