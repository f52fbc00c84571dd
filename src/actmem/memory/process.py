"""A memory in a process of its own, in any language: ``cmd:PROGRAM ARGUMENTS``.

The program reads a JSON object a line on stdin and answers each with one line on stdout:

=======================================================  ==========================================
``{"do": "write", "turns": [{"id", "session", …}, …]}``  ``{}``
``{"do": "finish"}``                                     ``{}``
``{"do": "read", "query": "…", "budget": 512}``          ``{"passages": ["…", {"text", "turns"}]}``
=======================================================  ==========================================

``{"error": "…"}`` instead fails the episode. It should leave when stdin ends. What it prints on
stderr is shown as it is.
"""

from __future__ import annotations

import contextlib
import queue
import shlex
import subprocess
import threading
from collections.abc import Sequence
from typing import IO, Any

import msgspec

from actmem.errors import InputError
from actmem.memory.protocol import Passage, Turn

SECONDS = 600.0
"""How long one answer may take."""
LONGEST = 16 * 1024 * 1024
"""Most bytes of an answer."""
PATIENCE = 5.0
"""Seconds that the program has to leave by itself."""


class ProcessError(RuntimeError):
    """The program did not answer as it must; the text says how."""


class _Reply(msgspec.Struct):
    passages: list[Passage | str] = []
    error: str = ""


class ProcessMemory:
    """A memory behind a program. What it does otherwise than agreed raises ``ProcessError``."""

    def __init__(self, command: str, seconds: float = SECONDS) -> None:
        """Start the program; raises ``InputError`` where it cannot be started."""
        try:
            words = shlex.split(command)
            self._process = subprocess.Popen(  # noqa: S603  # the user names the program
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except (OSError, ValueError, IndexError) as error:
            raise InputError(f"cannot be started: {error}", f"cmd:{command}") from None
        self._seconds = seconds
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        assert self._process.stdout is not None
        self._reader = threading.Thread(
            target=self._pump, args=(self._process.stdout,), daemon=True
        )
        self._reader.start()

    def _pump(self, stdout: IO[bytes]) -> None:
        """Hand on lines as they come; an empty one stands for the end."""
        with stdout:
            while line := stdout.readline(LONGEST + 1):
                self._lines.put(line)
        self._lines.put(b"")

    def write(self, turns: Sequence[Turn]) -> None:
        """Send the turns and wait for the answer."""
        self._ask({"do": "write", "turns": list(turns)})

    def finish(self) -> None:
        """Say that the history is at its end."""
        self._ask({"do": "finish"})

    def read(self, query: str, budget: int) -> list[Passage]:
        """Ask for passages."""
        found = self._ask({"do": "read", "query": query, "budget": budget}).passages
        return [Passage(part) if isinstance(part, str) else part for part in found]

    def _ask(self, request: dict[str, Any]) -> _Reply:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(msgspec.json.encode(request) + b"\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=self._seconds)
        except (OSError, ValueError):
            line = b""
        except queue.Empty:
            self.close()
            raise ProcessError(f"no answer to {request['do']} in {self._seconds:.0f} s") from None
        if not line:
            raise ProcessError(f"the program ended before it answered {request['do']}")
        try:
            reply = msgspec.json.decode(line, type=_Reply)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ProcessError(f"no answer to {request['do']}: {error}") from None
        if reply.error:
            raise ProcessError(reply.error)
        return reply

    def close(self) -> None:
        """Let the program leave, and end it where it does not."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(PATIENCE)  # longer only where a child of the program holds the pipe
