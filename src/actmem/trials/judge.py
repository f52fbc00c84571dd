"""From what was recorded of one episode to what it amounts to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from actmem.errors import InputError
from actmem.run.coverage import how_it_ended
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
    how = how_it_ended(events, footer)
    judged = score(trial, [r.text for r in replies], [r.step for r in replies])
    if how["status"] != "complete":
        judged = msgspec.structs.replace(judged, passed=False)
    elif judged.played < trial.steps:
        raise InputError("ends as complete before its last step")
    return Played(trial=trial, result=judged, **how)
