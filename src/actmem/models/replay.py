"""A model that repeats recorded replies in order, from a trace or a list.

It is strict: where a recorded prompt's digest is known, the prompt must be the same, and there is no
reply beyond the last. ``tape.Tape`` is what resumes an episode; this is for playing one again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from actmem.errors import DivergedError, InputError
from actmem.files import read_bytes
from actmem.hashing import digest
from actmem.models.chat import Completion, Message
from actmem.models.structured import Schema, fit
from actmem.models.tape import Called, prompt_digest


class ReplayChat:
    """Gives back ``recorded`` in order; plain texts and completions fit any prompt."""

    parallel = 1

    def __init__(
        self,
        recorded: Iterable[Called | Completion | str],
        *,
        name: str = "replay",
        window: int | None = None,
    ) -> None:
        self.name = name
        self.window = window
        self._recorded = tuple(recorded)
        self._next = 0
        self._lock = threading.Lock()
        self.settings: Mapping[str, Any] = {
            "backend": "replay", "replies": digest(list(self._recorded)), "window": window,
        }  # fmt: skip

    @classmethod
    def from_trace(cls, path: Path) -> ReplayChat:
        """Take the recorded calls of a trace, whatever suite it is of."""
        decoder = msgspec.json.Decoder(Called)
        calls = []
        for number, line in enumerate(read_bytes(path).splitlines(), start=1):
            try:
                if msgspec.json.decode(line, type=dict).get("event") == "model":
                    calls.append(decoder.decode(line))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise InputError(f"no trace line: {error}", f"{path}:{number}") from None
        if not calls:
            raise InputError("holds no reply of a model", path)
        return cls(calls, name=f"replay:{path}")

    @property
    def left(self) -> int:
        """How many replies have not been given yet."""
        return len(self._recorded) - self._next

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        """Return the next reply; raises ``DivergedError`` where it is another prompt's or missing."""
        with self._lock:
            if not self.left:
                raise DivergedError(f"{self.name}: all {self._next} recorded replies are used")
            recorded = self._recorded[self._next]
            if isinstance(recorded, Called) and recorded.prompt != prompt_digest(messages, schema):
                raise DivergedError(f"{self.name}: prompt {self._next + 1} is not the recorded one")
            self._next += 1
        if isinstance(recorded, str):
            completion = Completion(text=recorded, finish="stop")
        else:
            completion = recorded.completion if isinstance(recorded, Called) else recorded
        parsed, problem = fit(completion.text, schema)
        return msgspec.structs.replace(completion, parsed=parsed, problem=problem)

    def close(self) -> None:
        """Do nothing."""
