"""How far a run has come: results say what they are of, and what falls short is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from msgspec import Struct

from actmem.models.chat import Usage
from actmem.models.tape import Called
from actmem.trace import Footer

Status = Literal["complete", "failed", "missing"]
"""How an episode ended: at its end, in a failure, or not."""


class Ended(Struct, frozen=True, kw_only=True):
    """How a planned episode ended, and what it took."""

    status: Status
    error: str
    usage: Usage = Usage()
    """What the model's calls took; nothing where there is no model."""
    pruned: int = 0
    """How often a long history lost its oldest half."""


def how_it_ended(events: Sequence[Any], footer: Footer | None) -> dict[str, Any]:
    """Return the fields of ``Ended`` for the episode of a trace."""
    called = [event for event in events if isinstance(event, Called)]
    return {
        "status": footer.status if footer else "missing",
        "error": footer.error if footer else "",
        "usage": sum((event.completion.usage for event in called), Usage()),
        "pruned": sum(event.dropped > 0 for event in called),
    }


class Covered(Struct, frozen=True, kw_only=True):
    """An agent's result over its planned episodes. It may be ranked where it is ``complete`` only."""

    agent: str
    setup: str
    """Empty for an agent that is no setup."""
    model: str
    privilege: str
    planned: int
    scored: int
    """Episodes played to their end; of the others counts what was done."""
    failed: int
    """Episodes that ended in a failure; planned less scored less failed were not ended."""
    usage: Usage
    pruned: int
    errors: tuple[str, ...]
    """Why episodes failed, without repeats."""

    @property
    def complete(self) -> bool:
        """Whether every planned episode was played to its end."""
        return self.scored == self.planned

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens of all calls, cached ones included."""
        return self.usage.prompt_tokens + self.usage.completion_tokens

    @property
    def calls(self) -> int:
        """Calls of the model."""
        return self.usage.calls

    @property
    def cost(self) -> float | None:
        """Of all calls: 0 for none, None where the cost of one is not known, and without a model."""
        return self.usage.cost if self.calls or not self.model else 0.0

    def head(self) -> dict[str, Any]:
        """Return what a row begins with, in every suite that agents play."""
        names = ("agent", "setup", "model", "privilege", "planned", "scored", "failed", "complete",
                 "calls", "tokens", "cost", "pruned")  # fmt: skip
        return {name: getattr(self, name) for name in names}


def covered(
    agent: str, privilege: str, played: Sequence[Ended], setup: str, model: str
) -> dict[str, Any]:
    """Return the fields of ``Covered`` for an agent's planned episodes."""
    status = Counter(episode.status for episode in played)
    return {
        "agent": agent,
        "setup": setup,
        "model": model,
        "privilege": privilege,
        "planned": len(played),
        "scored": status["complete"],
        "failed": status["failed"],
        "usage": sum((episode.usage for episode in played), Usage()),
        "pruned": sum(episode.pruned for episode in played),
        "errors": tuple(dict.fromkeys(episode.error for episode in played if episode.error)),
    }


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
