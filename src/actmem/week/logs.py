"""Reading what was played, whoever recorded it: our traces and PM-Bench run logs."""

from __future__ import annotations

from pathlib import Path

import msgspec

from actmem.errors import InputError
from actmem.files import decode, read_bytes
from actmem.models.tape import Called
from actmem.trace import TAG, read_trace
from actmem.week.obligations import WeekPlan
from actmem.week.play import WeekEvent
from actmem.week.pmbench import read_log
from actmem.week.replay import rows_of
from actmem.week.score import Row


def read_rows(plan: WeekPlan, path: Path) -> list[Row]:
    """Read the rows of a log; a trace has to be of this very scenario."""
    first = next((line for line in read_bytes(path).splitlines() if line.strip()), None)
    if first is None:
        raise InputError("is empty", path)
    if TAG not in decode(first, dict[str, msgspec.Raw], f"{path}:1"):
        return read_log(path)
    trace = read_trace(path, WeekEvent | Called)
    if trace.header.unit_digest != plan.digest:
        raise InputError(
            f"is a trace of {trace.header.unit!r}, whose content is not that of "
            f"{plan.scenario.scenario_name!r}",
            path,
        )
    return rows_of(plan, trace.events)
