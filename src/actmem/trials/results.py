"""What a run of trials amounts to: one result an agent, over all planned episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from actmem.models.chat import Usage
from actmem.trials.score import TrialResult
from actmem.trials.stats import GROUPS, Rates, grouped, rates
from actmem.trials.trial import Trial


class Played(Struct, frozen=True, kw_only=True):
    """One planned episode, scored; what was not played counts as empty replies."""

    trial: Trial
    status: Literal["complete", "failed", "missing"]
    error: str
    usage: Usage = Usage()
    """What the model's calls took; nothing where there is no model."""
    pruned: int = 0
    """How often a long history lost its oldest half."""
    result: TrialResult


class Result(Struct, frozen=True, kw_only=True):
    """One agent's result. It is ``complete``, and may be ranked, at full coverage only."""

    agent: str
    setup: str
    """Empty for an agent that is no setup."""
    model: str
    privilege: str
    planned: int
    scored: int
    failed: int
    rates: Rates
    groups: dict[str, dict[str, Rates]]
    """Rates by dimension (``stats.GROUPS``) and group."""
    usage: Usage
    pruned: int
    errors: tuple[str, ...]

    @property
    def invalid(self) -> int:
        """Steps that went by since the reply was no legal call."""
        return self.rates.malformed

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens of all calls, cached ones included."""
        return self.usage.prompt_tokens + self.usage.completion_tokens

    @property
    def complete(self) -> bool:
        """Whether every planned episode was played to its end."""
        return self.scored == self.planned

    def row(self) -> dict[str, Any]:
        """Return the machine form, with the headline figures on top."""
        head = ("accuracy", "miss_rate", "false_alarm_rate")
        names = ("agent", "setup", "model", "privilege", "planned", "scored", "failed", "invalid")
        row: dict[str, Any] = {name: getattr(self, name) for name in names}
        row["complete"] = self.complete
        row |= {name: getattr(self.rates, name) for name in head}
        row |= {"calls": self.usage.calls, "tokens": self.tokens, "cost": self.usage.cost}
        row["pruned"] = self.pruned
        row["usage"] = msgspec.to_builtins(self.usage)
        row["rates"] = msgspec.to_builtins(self.rates)
        row |= {f"by_{name}": msgspec.to_builtins(group) for name, group in self.groups.items()}
        row["errors"] = list(self.errors)
        return row


def result(
    agent: str, privilege: str, played: Sequence[Played], *, setup: str = "", model: str = ""
) -> Result:
    """Pool the planned episodes of one agent."""
    pairs = [(episode.trial, episode.result) for episode in played]
    status = Counter(episode.status for episode in played)
    return Result(
        agent=agent,
        setup=setup,
        model=model,
        privilege=privilege,
        planned=len(played),
        scored=status["complete"],
        failed=status["failed"],
        rates=rates(pairs),
        groups={name: grouped(pairs, name) for name in GROUPS},
        usage=sum((episode.usage for episode in played), Usage()),
        pruned=sum(episode.pruned for episode in played),
        errors=tuple(dict.fromkeys(episode.error for episode in played if episode.error)),
    )
