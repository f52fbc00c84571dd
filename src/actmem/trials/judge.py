"""From what was recorded of one episode to what it amounts to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from actmem.errors import InputError
from actmem.models.chat import Usage
from actmem.models.tape import Called
from actmem.trace import Footer
from actmem.trials.play import Replied
from actmem.trials.results import Played
from actmem.trials.score import score
from actmem.trials.trial import Trial


def judge(trial: Trial, events: Sequence[Any], footer: Footer | None) -> Played:
    """Score an episode from what its trace holds; ``InputError`` where that does not fit the trial.

    What was done counts, but an episode that broke off passes nothing: silence after a crash would
    else pass a no-go trial.
    """
    replies = [event for event in events if isinstance(event, Replied)]
    called = [event for event in events if isinstance(event, Called)]
    ended = footer is not None and footer.status == "complete"
    judged = score(trial, [r.text for r in replies], [r.step for r in replies])
    if ended and judged.played < trial.steps:
        raise InputError("ends as complete before its last step")
    return Played(
        trial=trial,
        status="complete" if ended else "failed" if footer else "missing",
        error=footer.error if footer else "",
        usage=sum((event.completion.usage for event in called), Usage()),
        pruned=sum(event.dropped > 0 for event in called),
        result=judged if ended else msgspec.structs.replace(judged, passed=False),
    )
