"""Programs of users, in any language: a line of JSON each way, question and answer.

A program is started in a group of its own and gets one line on stdin at a time; it answers each with
one line on stdout, within a time limit that runs from the question. It should leave when stdin ends;
its group is ended in any case, also when our process leaves. What it writes on stderr is passed on,
and the last line of it stands in the error when the program dies.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from actmem.errors import InputError

FORM = "cmd:"
"""How a program is named on the command line: ``cmd:PROGRAM ARGUMENTS``."""
SEED = "ACTMEM_SEED"
"""Environment variable that holds the seed of the episode that a program plays."""
SECONDS = 600.0
"""How long one answer may take."""
LONGEST = 16 * 1024 * 1024
"""Most bytes of an answer."""
PATIENCE = 5.0
"""Seconds that a program has to leave by itself."""
SHOWN = 200
"""Most characters of a line of stderr in an error."""
_CHUNK = 65536
_POLL = 0.5


class ProcessError(RuntimeError):
    """The program did not answer as it must; the text says how, in one line."""


def command_words(command: str) -> list[str]:
    """Return a command's words; raises ``InputError`` where there is no such program."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"cannot be started: {error}", f"{FORM}{command}") from None
    if not words or shutil.which(words[0]) is None:
        name = repr(words[0]) if words else "an empty name"
        raise InputError(f"cannot be started: {name} is no program", f"{FORM}{command}")
    return words


def command_files(command: str) -> dict[str, str]:
    """Return the SHA-256 of every file that a command names, the program itself among them.

    A program that is found by its name alone (``python3``) is not among them: it is the machine's.
    """
    digests = {}
    for word in command_words(command):
        with contextlib.suppress(OSError, ValueError):
            if Path(word).is_file():
                with Path(word).open("rb") as file:
                    digests[word] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


class LineProcess:
    """A running program. For one thread at a time; close it at the end."""

    def __init__(
        self,
        command: str,
        *,
        seconds: float = SECONDS,
        longest: int = LONGEST,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start the program; raises ``InputError`` where it cannot be started.

        ``environment`` is added to ours.
        """
        words = command_words(command)
        try:
            self._process = subprocess.Popen(  # noqa: S603  # the user names the program
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise InputError(f"cannot be started: {error.strerror}", f"{FORM}{command}") from None
        self._seconds = seconds
        self._longest = longest
        self._answer = bytearray()
        self._told = bytearray()  # what stderr's last line holds so far
        self._last_told = ""
        self._selector = selectors.DefaultSelector()
        self._open: set[str] = set()
        for name in ("stdin", "stdout", "stderr"):
            os.set_blocking(self._number(name), False)
        for name in ("stdout", "stderr"):
            self._selector.register(self._number(name), selectors.EVENT_READ, name)
            self._open.add(name)
        with _changing:
            _running.add(self)

    def _number(self, name: str) -> int:
        pipe = getattr(self._process, name)
        assert pipe is not None
        return int(pipe.fileno())

    def ask(self, request: Any, what: str = "a line") -> bytes:
        """Send ``request`` as a line of JSON and return the answer's line.

        ``what`` names the question in errors. Raises ``ProcessError`` where no answer comes in
        time, it is too long, more than one comes, or the program ends. The program is closed then.
        """
        if self not in _running:
            raise ProcessError(f"the program has ended and cannot be asked for {what}")
        deadline = time.monotonic() + self._seconds
        try:
            self._serve(0)
            if self._answer:
                raise ProcessError(f"the program wrote a line before it was asked for {what}")
            self._send(msgspec.json.encode(request) + b"\n", deadline, what)
            line = self._receive(deadline, what)
            self._answer.clear()
        except BaseException:
            self.close(0)
            raise
        return line

    def _receive(self, deadline: float, what: str) -> bytes:
        while b"\n" not in self._answer and len(self._answer) <= self._longest:
            gone = "stdout" not in self._open or self._ended()  # a child may hold the pipe open
            ready = self._serve(0 if gone else min(self._left(deadline, what), _POLL))
            if gone and "stdout" not in ready:
                raise self._death(what)
        line, _, rest = bytes(self._answer).partition(b"\n")
        if len(line) > self._longest:
            raise ProcessError(f"its answer to {what} is longer than {self._longest} bytes")
        if rest:
            raise ProcessError(f"the program answered {what} with more than one line")
        return line

    def _left(self, deadline: float, what: str) -> float:
        left = deadline - time.monotonic()
        if left <= 0:
            raise ProcessError(f"no answer to {what} in {self._seconds:g} s")
        return left

    def _send(self, data: bytes, deadline: float, what: str) -> None:
        """Write a line, reading meanwhile: neither side waits for the other."""
        rest = memoryview(data)
        stdin = self._number("stdin")
        self._selector.register(stdin, selectors.EVENT_WRITE, "stdin")
        try:
            while rest:
                if "stdin" in self._serve(self._left(deadline, what)):
                    with contextlib.suppress(BlockingIOError):
                        rest = rest[os.write(stdin, rest) :]
        except BrokenPipeError:
            raise self._death(what) from None
        finally:
            self._selector.unregister(stdin)

    def _serve(self, seconds: float) -> set[str]:
        """Wait for a pipe and read what there is; return the names of those that were ready."""
        ready = {key.data: key.fd for key, _ in self._selector.select(seconds)}
        for name in self._open & ready.keys():
            try:
                data = os.read(ready[name], _CHUNK)
            except BlockingIOError:
                continue
            if not data:
                self._selector.unregister(ready[name])
                self._open.discard(name)
            elif name == "stdout":
                self._answer += data
            else:
                self._hear(data)
        return set(ready)

    def _hear(self, data: bytes) -> None:
        """Pass on what comes on stderr, line by line, and remember the last that says something."""
        *lines, rest = bytes(self._told + data).split(b"\n")
        self._told = bytearray(rest[-_CHUNK:])
        for line in lines:
            text = line.decode("utf-8", "replace")
            with contextlib.suppress(OSError, ValueError):
                print(text, file=sys.stderr)
            self._last_told = " ".join(text[: 4 * SHOWN].split())[:SHOWN] or self._last_told

    def _death(self, what: str) -> ProcessError:
        """Return the error of a program that ended or closed its stdout: its code and last words."""
        self._listen(1.0)
        self._hear(b"\n")
        code = self._end() if self._ended() else None
        if code is None:
            how = "the program closed its stdout"
        elif code < 0:
            how = f"the program was ended by {signal.Signals(-code).name}"
        else:
            how = f"the program ended with exit code {code}"
        words = f": {self._last_told}" if self._last_told else ""
        return ProcessError(f"{how} before it answered {what}{words}")

    def _ended(self) -> bool:
        """Say whether the program has ended. It is not reaped: its group keeps its number."""
        if self._process.returncode is not None:
            return True
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self._process.pid, options) is not None
        except ChildProcessError:
            return True

    def close(self, patience: float = PATIENCE) -> None:
        """Let the program leave, then end whatever is left of its group; again does nothing."""
        with _changing:
            if self not in _running:
                return
            _running.discard(self)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._listen(patience)
        self._end()
        if self._told:
            self._hear(b"\n")
        self._selector.close()
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()

    def _listen(self, seconds: float) -> None:
        """Read what the program still says until it has ended."""
        deadline = time.monotonic() + seconds
        while not self._ended() and time.monotonic() < deadline:
            if self._open:
                self._serve(0.02)
            else:
                time.sleep(0.02)
        while self._open and self._serve(0):
            pass

    def _end(self) -> int:
        """End the group, then reap the program: in this order, so that no other group is met."""
        if self._process.returncode is None:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        return self._process.wait()


_running: set[LineProcess] = set()
_changing = threading.Lock()


@atexit.register
def end_programs() -> None:
    """End every program that still runs, without waiting: for when our process leaves."""
    with _changing:
        for program in _running:
            program._end()
        _running.clear()
