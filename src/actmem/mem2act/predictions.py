"""Predicted calls: JSON lines ``{"qa_id", "name", "arguments"}``.

What a model got wrong is no error of the file: a call without a name, or whose arguments are no
object, is kept as unusable and scores 0. Arguments may be an object or JSON text of one, as many
endpoints give them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from actmem.errors import InputError
from actmem.files import read_bytes
from actmem.mem2act.data import Dataset


class Prediction(Struct, frozen=True):
    """One predicted call; ``name`` or ``arguments`` is None where there is no usable one."""

    qa_id: str
    name: str | None
    arguments: dict[str, Any] | None

    @property
    def usable(self) -> bool:
        """Whether it is a call."""
        return self.name is not None and self.arguments is not None


class _Row(Struct, frozen=True):
    qa_id: str
    name: Any = None
    arguments: Any = None


def read_predictions(path: Path, data: Dataset) -> dict[str, Prediction]:
    """Read predictions by task id.

    Raises ``InputError`` for a line that is no JSON object with a ``qa_id``, for two of one task,
    and for a task that the data do not hold: a row that does not fit is never guessed at.
    """
    known = {task.qa_id for task in data.tasks}
    decoder = msgspec.json.Decoder(_Row)
    found: dict[str, Prediction] = {}
    for number, line in enumerate(read_bytes(path).split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(str(error)[:400], where) from None
        if row.qa_id not in known:
            raise InputError(f"{data.name} has no task {row.qa_id!r}", where)
        if row.qa_id in found:
            raise InputError(f"a second prediction for {row.qa_id!r}", where)
        found[row.qa_id] = prediction(row.qa_id, row.name, row.arguments)
    return found


def prediction(qa_id: str, name: Any, arguments: Any) -> Prediction:
    """Return the call that ``name`` and ``arguments`` make, unusable parts as None."""
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(arguments)
        except (msgspec.DecodeError, RecursionError):
            arguments = None
    if isinstance(name, int | float) and not isinstance(name, bool):
        name = str(name)  # a release names a tool so, and its gold calls are predictions too
    usable_name = name if isinstance(name, str) and name else None
    return Prediction(qa_id, usable_name, arguments if isinstance(arguments, dict) else None)
