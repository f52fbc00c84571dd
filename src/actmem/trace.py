"""The append-only record of one episode: a header, events, a footer, a JSON object a line.

Every line is flushed as it is written, so that a killed run loses at most the line that was being
written. Such a torn last line is dropped on reading and cut off before anything is appended. Any
other line that cannot be read is an error. Events belong to the suites: tagged structs whose tag
field is ``event``. Equal traces means equal but for the times in header and footer.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

import actmem
from actmem.errors import InputError

TAG = "event"


class Event(
    Struct,
    frozen=True,
    tag_field=TAG,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Base of all lines of a trace."""


class Header(Event, frozen=True, tag="header", kw_only=True, omit_defaults=False):
    """What was played, by whom, with what."""

    format: Literal["actmem-trace-1"] = "actmem-trace-1"
    suite: str
    unit: str
    """Name of the scenario, trial or task."""
    unit_digest: str
    """SHA-256 of its data."""
    agent: str
    settings: dict[str, Any] = {}
    """Everything else that moves the number: seed, repeat, model, prompts' hashes."""
    privilege: str = ""
    """What the agent gets beyond the standard observation; empty for nothing."""
    versions: dict[str, str] = {}
    started: str = ""
    """UTC, ISO 8601."""


class Footer(Event, frozen=True, tag="end", kw_only=True):
    """How the episode ended."""

    status: Literal["complete", "failed"]
    error: str = ""
    provider: bool = False
    """True where a provider's failure ended the episode, not the agent."""
    resumes: bool = False
    """True for a failed episode whose record still holds: a further run goes on from its end."""
    seconds: float = 0.0


def versions() -> dict[str, str]:
    """Return the versions that a header records."""
    return {"actmem": actmem.__version__, "python": sys.version.split()[0]}


def now() -> str:
    """Return the present time for a header."""
    return datetime.now(UTC).isoformat(timespec="seconds")


E = TypeVar("E")


class Trace(Struct, Generic[E], frozen=True):
    """A trace as read: ``footer`` is None where the episode has not ended."""

    header: Header
    events: tuple[E, ...]
    footer: Footer | None
    size: int
    """Bytes of the whole lines; what follows in the file is torn."""
    body: int
    """Bytes of the lines before the footer."""


def read_trace(path: Path, events: Any) -> Trace[Any]:
    """Read a trace whose events are of the union ``events``.

    Raises ``InputError`` with file and line for a line that is not a trace line, a missing header,
    or anything after the footer.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path) from None
    return parse_trace(data, events, path)


def parse_trace(data: bytes, events: Any, where: str | Path) -> Trace[Any]:
    """Read a trace from its bytes, as ``read_trace`` does; ``where`` names them in errors."""
    whole = data[: data.rfind(b"\n") + 1]
    decoder = msgspec.json.Decoder(Header | Footer | events)
    parts: list[Any] = []
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            parts.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"no trace line: {error}", f"{where}:{number}") from None
    if not parts or not isinstance(parts[0], Header):
        raise InputError("a trace begins with its header", f"{where}:1")
    footer = parts.pop() if isinstance(parts[-1], Footer) else None
    if any(isinstance(part, Header | Footer) for part in parts[1:]):
        raise InputError("header or footer in the middle of the trace", where)
    body = len(whole) if footer is None else whole.rfind(b"\n", 0, -1) + 1
    return Trace(parts[0], tuple(parts[1:]), footer, len(whole), body)


def _plain(value: Any) -> str | int | float:
    """Return an agent's value of a kind derived from text or number (a NumPy string) as plain."""
    # Not str(value) and the like, which the subclass may override.
    if isinstance(value, str):
        return str.__add__("", value)
    if isinstance(value, int):
        return int.__add__(0, value)
    if isinstance(value, float):
        return float.__add__(0.0, value)
    raise NotImplementedError(f"a trace cannot hold a {type(value).__name__}")


class TraceWriter:
    """Appends lines to a trace; ``size`` cuts what is torn off an existing file before."""

    def __init__(self, path: Path, size: int = 0) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.ftruncate(self._fd, size)
        except OSError:
            self.close()
            raise
        self._encode = msgspec.json.Encoder(enc_hook=_plain).encode

    def write(self, event: Event) -> None:
        """Append one line; it has reached the operating system when this returns.

        An ``OSError`` (a full disk) leaves at most a torn line behind.
        """
        line = memoryview(self._encode(event) + b"\n")
        while line:
            line = line[os.write(self._fd, line) :]

    def close(self) -> None:
        """Close the file; a second call does nothing, a later ``write`` is an ``OSError``."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1  # the number may soon be another file's

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
