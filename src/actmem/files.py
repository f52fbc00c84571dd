"""Reading and writing files so that every failure is one line, and nothing is half written."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TypeVar

import msgspec

from actmem.errors import InputError

LIMIT = 64 * 1024 * 1024
"""Most bytes that are read from one file."""

T = TypeVar("T")


def read_bytes(path: Path, limit: int = LIMIT) -> bytes:
    """Read a regular file of at most ``limit`` bytes; every failure is an ``InputError``."""
    try:
        if path.is_dir():
            raise InputError("is a folder, a file is needed", path)
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path) from None
    except ValueError as error:
        raise InputError(f"is no file name: {error}", repr(str(path))) from None
    if len(data) > limit:
        raise InputError(f"is larger than the {limit} bytes that are read", path)
    return data


def decode(data: bytes, kind: type[T], where: str | Path) -> T:
    """Decode JSON ``data`` strictly as ``kind``; ``where`` names the source in the error."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(str(error)[:400], where) from None


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, making its folder; failures are ``InputError``.

    A link stays, and what it points to is written. What is there and no regular file is refused.
    """
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            raise InputError("is there, and is no regular file", path)
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", path) from None
    except ValueError as error:
        raise InputError(f"is no file name: {error}", repr(str(path))) from None
