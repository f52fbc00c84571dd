"""A memory in a process of its own, in any language: ``cmd:PROGRAM ARGUMENTS``.

The program reads a JSON object a line on stdin and answers each with one line on stdout:

=======================================================  ==========================================
``{"do": "write", "turns": [{"id", "session", …}, …]}``  ``{}``
``{"do": "finish"}``                                     ``{}``
``{"do": "read", "query": "…", "budget": 512}``          ``{"passages": ["…", {"text", "turns"}]}``
=======================================================  ==========================================

``{"error": "…"}`` instead fails the episode. How a program is run: see ``actmem.process``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from actmem.memory.protocol import Passage, Turn
from actmem.process import SECONDS, LineProcess, ProcessError


class _Done(msgspec.Struct, forbid_unknown_fields=True):
    error: str = ""


class _Found(msgspec.Struct, forbid_unknown_fields=True):
    passages: list[Passage | str] | None = None
    error: str = ""


R = TypeVar("R", _Done, _Found)


class ProcessMemory:
    """A memory behind a program. What it does otherwise than agreed raises ``ProcessError``."""

    def __init__(self, command: str, seconds: float = SECONDS) -> None:
        """Start the program; raises ``InputError`` where it cannot be started."""
        self._process = LineProcess(command, seconds=seconds)

    def write(self, turns: Sequence[Turn]) -> None:
        """Send the turns and wait for the answer."""
        self._ask({"do": "write", "turns": list(turns)}, _Done)

    def finish(self) -> None:
        """Say that the history is at its end."""
        self._ask({"do": "finish"}, _Done)

    def read(self, query: str, budget: int) -> list[Passage]:
        """Ask for passages."""
        found = self._ask({"do": "read", "query": query, "budget": budget}, _Found).passages
        if found is None:
            raise ProcessError("no answer to read: it has no passages")
        return [Passage(part) if isinstance(part, str) else part for part in found]

    def _ask(self, request: dict[str, Any], kind: type[R]) -> R:
        line = self._process.ask(request, request["do"])
        try:
            reply = msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ProcessError(f"no answer to {request['do']}: {error}") from None
        if reply.error:
            raise ProcessError(reply.error)
        return reply

    def close(self) -> None:
        """Let the program leave, and end it where it does not."""
        self._process.close()
