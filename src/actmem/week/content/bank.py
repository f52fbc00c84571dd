"""The content bank, read once from its files."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

import msgspec

from actmem.errors import InputError
from actmem.week.content.schema import Domain, parse_lines

FOLDER = Path(__file__).parent / "bank"


def read_domain(path: Path) -> Domain:
    """Read one content file strictly; a fault is an ``InputError`` that names file and field."""
    try:
        with path.open("rb") as file:
            data = tomllib.load(file)
        return msgspec.convert(data, Domain, dec_hook=parse_lines)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise InputError(str(error), path) from None


@lru_cache(maxsize=1)
def domains() -> tuple[Domain, ...]:
    """Return every domain of the bank, in order of file name."""
    return tuple(read_domain(path) for path in sorted(FOLDER.glob("*.toml")))
