"""Prompts as data: TOML files of named templates, a suite's own or a folder of the user's.

A template's placeholders are names in braces; what is no known name stays as it is, so that JSON can
stand in a prompt without escapes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from actmem.errors import InputError
from actmem.files import read_bytes
from actmem.hashing import digest

_PLACE = re.compile(r"\{([a-z_]+)\}")


class Words:
    """The prompts by file and name."""

    def __init__(self, texts: Mapping[str, Mapping[str, str]]) -> None:
        self._texts = texts
        self.digests = {file: digest(named) for file, named in texts.items()}
        """SHA-256 by file, for manifests and traces."""

    def get(self, file: str, name: str) -> str:
        """Return a template as it is."""
        return self._texts[file][name]

    def fill(self, file: str, name: str, **values: object) -> str:
        """Return a template with its placeholders filled in, in one pass."""
        return _PLACE.sub(
            lambda match: str(values.get(match[1], match[0])), self._texts[file][name]
        )

    def names(self) -> dict[str, frozenset[str]]:
        """Return the names of the templates by file."""
        return {file: frozenset(texts) for file, texts in self._texts.items()}


@cache
def built_in(package: str, names: tuple[str, ...]) -> Words:
    """Return the prompts ``names`` (files without ``.toml``) in the folder ``prompts`` of a package."""
    folder = files(package).joinpath("prompts")
    return Words(
        {name: _read(folder.joinpath(f"{name}.toml").read_bytes(), name) for name in names}
    )


def words(known: Words, folder: Path | None = None) -> Words:
    """Return the prompts ``known``, those of ``folder`` in place of the ones of the same file name.

    Raises ``InputError`` for a file of another name or one that lacks a template, and for a folder
    without any.
    """
    if folder is None:
        return known
    texts = {file: {n: known.get(file, n) for n in names} for file, names in known.names().items()}
    found = sorted(folder.glob("*.toml"))
    if not found:
        raise InputError(f"holds none of {_listed(texts)}", folder)
    for path in found:
        if path.stem not in texts:
            raise InputError(f"is none of {_listed(texts)}", path)
        given = _read(read_bytes(path), path)
        if given.keys() != texts[path.stem].keys():
            odd = ", ".join(sorted(given.keys() ^ texts[path.stem].keys()))
            raise InputError(
                f"must have the names of the built-in file; they differ in {odd}", path
            )
        texts[path.stem] = given
    return Words(texts)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"{name}.toml" for name in names)


def _read(data: bytes, where: str | Path) -> dict[str, str]:
    try:
        parsed = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"is no TOML: {error}", where) from None
    for name, text in parsed.items():
        if not isinstance(text, str):
            raise InputError(f"{name} is no text", where)
    return {name: text.strip("\n") for name, text in parsed.items()}
