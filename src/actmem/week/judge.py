"""From what was recorded of one episode to what it amounts to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actmem.models.chat import Usage
from actmem.models.tape import Called
from actmem.run.coverage import Status, how_it_ended
from actmem.trace import Footer
from actmem.week.obligations import WeekPlan
from actmem.week.records import count_links, records
from actmem.week.replay import rows_of
from actmem.week.results import Played
from actmem.week.score import Row, align, tally


def judge(plan: WeekPlan, events: Sequence[Any], footer: Footer | None) -> Played:
    """Score the events of a trace. What was not played counts as empty acts.

    Raises ``InputError`` for acts that are out of order or of another week.
    """
    rows = rows_of(plan, [event for event in events if not isinstance(event, Called)])
    invalid = sum(not event.valid for event in events if hasattr(event, "valid"))
    return judge_rows(plan, rows, invalid=invalid, **how_it_ended(events, footer))


def judge_rows(
    plan: WeekPlan,
    rows: Sequence[Row],
    status: Status = "complete",
    *,
    error: str = "",
    invalid: int = 0,
    usage: Usage | None = None,
    pruned: int = 0,
) -> Played:
    """Score rows; a week that lacks steps is not complete, whatever ``status`` says."""
    aligned = align(plan, rows)
    if status == "complete" and aligned.missing:
        status = "missing"
    played = len(aligned.rows) - aligned.missing
    return Played(
        unit=plan.scenario.scenario_name,
        status=status,
        error=error,
        invalid=invalid,
        usage=usage or Usage(),
        pruned=pruned,
        score=tally(plan, aligned.rows),
        links=count_links(records(plan, aligned.rows, played)),
    )
