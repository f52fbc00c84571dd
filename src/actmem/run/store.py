"""The run folder: ``manifest.json``, ``units/NAME.json`` and ``traces/EPISODE.jsonl``.

The manifest is written last of all preparations and before the first episode, so that a folder
with a manifest is whole. A lock keeps a second run out of the folder while the first goes on.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from actmem.errors import InputError
from actmem.files import decode, read_bytes, write_atomic
from actmem.hashing import canonical
from actmem.run.plan import Episode, Manifest, file_name
from actmem.trace import Trace, parse_trace

RUNS = Path("runs")
"""Where new run folders are made, below the present folder."""


class RunFolder:
    """A folder that holds one run."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path.absolute()  # an agent may change the present folder
        self.name = self.path
        """What the run is called in results."""
        self.manifest = manifest
        self._lock: int | None = None

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open an existing run for reading."""
        try:
            known = (path / "manifest.json").is_file()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path) from None
        if not known:
            raise InputError("is no run folder: it has no manifest.json", path)
        return cls(path, _read_manifest(path / "manifest.json"))

    @classmethod
    def prepare(
        cls, path: Path | None, manifest: Manifest, units: Mapping[str, bytes]
    ) -> RunFolder:
        """Make a new folder, or take up the run in ``path``; the folder is locked.

        ``units`` are the files of the units, by name. Raises ``InputError`` where the folder holds
        another run (the difference is named), is in use, or is no run folder and not empty.
        """
        _validate(manifest, "the plan")
        folder = cls(path or _new_folder(manifest.suite), manifest)
        try:
            folder._take_up(units)
        except OSError as error:
            folder.release()
            raise InputError(f"cannot be used: {error.strerror}", folder.path) from None
        except BaseException:
            folder.release()
            raise
        return folder

    def _take_up(self, units: Mapping[str, bytes]) -> None:
        """Lock the folder, then compare its manifest, or make the folder and write one."""
        known = self.path / "manifest.json"
        if self.path.exists():
            _refuse_foreign(self.path)  # before the lock's file is put into it
        self.path.mkdir(parents=True, exist_ok=True)
        self._acquire()
        _refuse_foreign(self.path)
        resumed = known.exists()
        if resumed:
            _compare(_read_manifest(known), self.manifest, self.path)
        (self.path / "traces").mkdir(exist_ok=True)
        if not resumed:
            for name, data in units.items():
                write_atomic(self.unit_path(name), data)
            write_atomic(known, canonical(self.manifest) + b"\n")

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
        return self.path / "units" / f"{file_name(name)}.json"

    def trace_path(self, episode: Episode) -> Path:
        """Return the path of an episode's trace."""
        return self.path / "traces" / f"{episode.id}.jsonl"

    def trace(self, episode: Episode, events: Any) -> Trace[Any] | None:
        """Read an episode's trace; None where there is none or only a torn header.

        Raises ``InputError`` where the trace belongs to another episode.
        """
        path = self.trace_path(episode)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path) from None
        if b"\n" not in data:
            return None
        trace = parse_trace(data, events, path)
        header = trace.header
        expected = (episode.unit, self.manifest.units[episode.unit], episode.agent)
        if (header.unit, header.unit_digest, header.agent) != expected:
            raise InputError("is the trace of another unit or agent", path)
        if header.settings.get("seed", episode.seed) != episode.seed:
            raise InputError("is the trace of another episode: its seed differs", path)
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


_LEFT_OVER = re.compile(r"lock|units|traces|\.manifest\.json\.[0-9a-f]+\.part")
"""What a run has made when it is killed before its manifest is written."""


def _refuse_foreign(path: Path) -> None:
    """Refuse a folder that holds something, but neither a run nor the beginnings of one.

    Another run may be filling it: the manifest is there before the first trace, so traces are
    looked for first.
    """
    traces = path / "traces"
    played = traces.is_dir() and any(traces.iterdir())
    names = {entry.name for entry in path.iterdir()}
    if not names or "manifest.json" in names:
        return
    begun = "lock" in names and all(_LEFT_OVER.fullmatch(name) for name in names)
    if played or not begun:
        raise InputError("is not empty and no run folder; give a new one", path)


def _read_manifest(path: Path) -> Manifest:
    manifest = decode(read_bytes(path), Manifest, path)
    _validate(manifest, path)
    return manifest


def _validate(manifest: Manifest, where: str | Path) -> None:
    """Refuse a manifest whose episodes would share a file, leave the folder or lack a unit."""
    if not manifest.episodes:
        raise InputError("plans no episode", where)
    seen: set[str] = set()
    for episode in manifest.episodes:
        if episode.id in seen:
            raise InputError(f"two episodes have the id {episode.id!r}", where)
        seen.add(episode.id)
        if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", episode.id):
            raise InputError(f"the episode id {episode.id!r} is no file name", where)
        if episode.unit not in manifest.units:
            raise InputError(f"the episode {episode.id!r} names no unit of the run", where)


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
