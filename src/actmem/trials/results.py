"""What a run of trials amounts to: one result an agent, over all planned episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from actmem.trials.score import TrialResult
from actmem.trials.stats import GROUPS, Rates, grouped, rates
from actmem.trials.trial import Trial


class Played(Struct, frozen=True, kw_only=True):
    """One planned episode, scored; what was not played counts as empty replies."""

    trial: Trial
    status: Literal["complete", "failed", "missing"]
    error: str
    result: TrialResult


class Result(Struct, frozen=True, kw_only=True):
    """One agent's result. It is ``complete``, and may be ranked, at full coverage only."""

    agent: str
    privilege: str
    planned: int
    scored: int
    failed: int
    rates: Rates
    groups: dict[str, dict[str, Rates]]
    """Rates by dimension (``stats.GROUPS``) and group."""
    errors: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every planned episode was played to its end."""
        return self.scored == self.planned

    def row(self) -> dict[str, Any]:
        """Return the machine form, with the headline figures on top."""
        head = ("accuracy", "miss_rate", "false_alarm_rate")
        names = ("agent", "privilege", "planned", "scored", "failed")
        row: dict[str, Any] = {name: getattr(self, name) for name in names}
        row["complete"] = self.complete
        row |= {name: getattr(self.rates, name) for name in head}
        row["rates"] = msgspec.to_builtins(self.rates)
        row |= {f"by_{name}": msgspec.to_builtins(group) for name, group in self.groups.items()}
        row["errors"] = list(self.errors)
        return row


def result(agent: str, privilege: str, played: Sequence[Played]) -> Result:
    """Pool the planned episodes of one agent."""
    pairs = [(episode.trial, episode.result) for episode in played]
    status = Counter(episode.status for episode in played)
    return Result(
        agent=agent,
        privilege=privilege,
        planned=len(played),
        scored=status["complete"],
        failed=status["failed"],
        rates=rates(pairs),
        groups={name: grouped(pairs, name) for name in GROUPS},
        errors=tuple(dict.fromkeys(episode.error for episode in played if episode.error)),
    )
