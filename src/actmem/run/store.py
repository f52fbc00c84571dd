"""The run folder: ``manifest.json``, ``units/NAME.json`` and ``traces/EPISODE.jsonl``.

The manifest is written last of all preparations and before the first episode, so that a folder
with a manifest is whole. A lock keeps a second run out of the folder while the first goes on.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from actmem.errors import InputError
from actmem.files import decode, read_bytes, write_atomic
from actmem.hashing import canonical
from actmem.run.plan import Episode, Manifest
from actmem.trace import Trace, read_trace

RUNS = Path("runs")
"""Where new run folders are made, below the present folder."""


class RunFolder:
    """A folder that holds one run."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._lock: int | None = None

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open an existing run for reading."""
        if not (path / "manifest.json").is_file():
            raise InputError("is no run folder: it has no manifest.json", path)
        data = read_bytes(path / "manifest.json")
        return cls(path, decode(data, Manifest, path / "manifest.json"))

    @classmethod
    def prepare(
        cls, path: Path | None, manifest: Manifest, units: Mapping[str, bytes]
    ) -> RunFolder:
        """Make a new folder, or take up the run in ``path``; the folder is locked.

        ``units`` are the files of the units, by name. Raises ``InputError`` where the folder holds
        another run (the difference is named), is in use, or is no run folder and not empty.
        """
        folder = cls(path or _new_folder(manifest.suite), manifest)
        try:
            folder.path.mkdir(parents=True, exist_ok=True)
            folder._acquire()
            known = folder.path / "manifest.json"
            if known.exists():
                _compare(decode(read_bytes(known), Manifest, known), manifest, folder.path)
                return folder
            if any(not _of_preparation(entry) for entry in folder.path.iterdir()):
                raise InputError("is not empty and no run folder; give a new one", folder.path)
            (folder.path / "traces").mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot be used: {error.strerror}", folder.path) from None
        for name, data in units.items():
            write_atomic(folder.unit_path(name), data)
        write_atomic(known, canonical(manifest) + b"\n")
        return folder

    def _acquire(self) -> None:
        self._lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.release()
            raise InputError("another run is working in this folder", self.path) from None

    def release(self) -> None:
        """Give the lock back."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def unit_path(self, name: str) -> Path:
        """Return the path of a unit's file."""
        return self.path / "units" / f"{name}.json"

    def trace_path(self, episode: Episode) -> Path:
        """Return the path of an episode's trace."""
        return self.path / "traces" / f"{episode.id}.jsonl"

    def trace(self, episode: Episode, events: Any) -> Trace[Any] | None:
        """Read an episode's trace; None where there is none or only a torn header.

        Raises ``InputError`` where the trace belongs to another episode.
        """
        path = self.trace_path(episode)
        if not path.exists() or b"\n" not in read_bytes(path):
            return None
        trace = read_trace(path, events)
        expected = (episode.unit, self.manifest.units[episode.unit], episode.agent)
        if (trace.header.unit, trace.header.unit_digest, trace.header.agent) != expected:
            raise InputError("is the trace of another unit or agent", path)
        return trace

    def set_aside(self, episode: Episode) -> None:
        """Rename an episode's trace to ``….attempt-N`` so that it can be played anew."""
        path = self.trace_path(episode)
        number = 1
        while (aside := path.with_suffix(f".attempt-{number}")).exists():
            number += 1
        path.rename(aside)


def _new_folder(suite: str) -> Path:
    """Return a path that no other run takes, even one that starts in the same instant."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    return RUNS / f"{suite}-{stamp}-{secrets.token_hex(3)}"


def _of_preparation(entry: Path) -> bool:
    """Say whether a folder without a manifest may hold ``entry``: a killed preparation left it."""
    if entry.name == "traces":
        return not any(entry.iterdir())
    torn = entry.name.startswith(".manifest.json.") and entry.name.endswith(".part")
    return torn or entry.name in ("lock", "units")


def _compare(known: Manifest, wanted: Manifest, path: Path) -> None:
    """Refuse a manifest that differs, naming the first difference."""
    one, two = (msgspec.to_builtins(m) for m in (known, wanted))
    for part in (one, two):
        part.pop("created")
        part["episodes"] = {episode["id"]: episode for episode in part["episodes"]}
    if one != two:
        raise InputError(
            f"holds a run with other settings ({_difference(one, two)}); "
            "give the same settings or a new folder",
            path,
        )


def _difference(one: Any, two: Any, name: str = "") -> str:
    if isinstance(one, dict) and isinstance(two, dict):
        for key in sorted(one.keys() | two.keys(), key=str):
            if one.get(key) != two.get(key):
                return _difference(
                    one.get(key), two.get(key), f"{name}.{key}" if name else str(key)
                )
    return f"{name}: {_short(one)} there, {_short(two)} now"


def _short(value: Any) -> str:
    if value is None:
        return "nothing"
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "…"
