"""What a run of trials amounts to: one result an agent, over all planned episodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from actmem.run.coverage import Covered, Ended, covered
from actmem.trials.score import TrialResult
from actmem.trials.stats import GROUPS, Rates, grouped, rates
from actmem.trials.trial import Trial

HEADLINES = ("accuracy", "miss_rate", "false_alarm_rate")
"""Rates that stand at the top of a row."""


class Played(Ended, frozen=True, kw_only=True):
    """One planned episode, scored; what was not played counts as empty replies."""

    trial: Trial
    result: TrialResult


class Result(Covered, frozen=True, kw_only=True):
    """One agent's result."""

    rates: Rates
    groups: dict[str, dict[str, Rates]]
    """Rates by dimension (``stats.GROUPS``) and group."""

    @property
    def invalid(self) -> int:
        """Steps that went by since the reply was no legal call."""
        return self.rates.malformed

    def row(self) -> dict[str, Any]:
        """Return the machine form, with the headline figures on top."""
        row = self.head() | {"invalid": self.invalid}
        row |= {name: getattr(self.rates, name) for name in HEADLINES}
        row |= {"usage": msgspec.to_builtins(self.usage), "rates": msgspec.to_builtins(self.rates)}
        row |= {f"by_{name}": msgspec.to_builtins(group) for name, group in self.groups.items()}
        return row | {"errors": list(self.errors)}


def result(
    agent: str, privilege: str, played: Sequence[Played], *, setup: str = "", model: str = ""
) -> Result:
    """Pool the planned episodes of one agent."""
    pairs = [(episode.trial, episode.result) for episode in played]
    return Result(
        **covered(agent, privilege, played, setup, model),
        rates=rates(pairs),
        groups={name: grouped(pairs, name) for name in GROUPS},
    )
