"""Predicted calls: JSON lines ``{"qa_id", "name", "arguments"}``.

What a model got wrong is no error of the file: a call without a name, or whose arguments are no
object, are nested too deep or hold what is no number in JSON (``NaN``), is kept as unusable and
scores 0. Arguments may be an object or JSON text of one, as many endpoints give them.
"""

from __future__ import annotations

import codecs
import json
import math
from pathlib import Path
from typing import Any

from msgspec import Struct

from actmem.errors import InputError
from actmem.files import read_bytes
from actmem.mem2act.data import Dataset
from actmem.mem2act.values import scorable

DIGITS = 1000
"""Most digits of a whole number that counts as one."""


class Prediction(Struct, frozen=True):
    """One predicted call; ``name`` or ``arguments`` is None where there is no usable one."""

    qa_id: str
    name: str | None
    arguments: dict[str, Any] | None

    @property
    def usable(self) -> bool:
        """Whether it is a call."""
        return self.name is not None and self.arguments is not None


def read_predictions(path: Path, data: Dataset) -> dict[str, Prediction]:
    """Read predictions by task id.

    Raises ``InputError`` for a line that is no JSON object with a ``qa_id``, for two of one task,
    and for a task that the data do not hold: a row that does not fit is never guessed at.
    """
    known = {task.qa_id for task in data.tasks}
    found: dict[str, Prediction] = {}
    lines = read_bytes(path).removeprefix(codecs.BOM_UTF8).split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = _decode(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"is no JSON: {error}", where) from None
        if not isinstance(row, dict) or not isinstance(row.get("qa_id"), str):
            raise InputError("is no JSON object with a text qa_id", where)
        qa_id = row["qa_id"]
        if qa_id not in known:
            raise InputError(f"{data.name} has no task {qa_id!r}", where)
        if qa_id in found:
            raise InputError(f"a second prediction for {qa_id!r}", where)
        found[qa_id] = prediction(qa_id, row.get("name"), row.get("arguments"))
    return found


def _decode(text: bytes | str) -> Any:
    """Decode JSON as Python writes it, ``NaN`` included, which the caller finds unusable."""
    return json.loads(text, parse_int=_whole)


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= DIGITS else math.inf


def prediction(qa_id: str, name: Any, arguments: Any) -> Prediction:
    """Return the call that ``name`` and ``arguments`` make, unusable parts as None."""
    if isinstance(arguments, str):
        try:
            arguments = _decode(arguments)
        except (ValueError, RecursionError):
            arguments = None
    if isinstance(name, int | float) and not isinstance(name, bool):
        name = str(name)  # a release names a tool so, and its gold calls are predictions too
    usable_name = name if isinstance(name, str) and name else None
    usable = isinstance(arguments, dict) and scorable(arguments)
    return Prediction(qa_id, usable_name, arguments if usable else None)
