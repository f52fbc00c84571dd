"""Loading the packages of the extra ``report``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from actmem.errors import InputError


def load(package: str) -> Any:
    """Import a package that a report is made with.

    Raises ``InputError`` that names the extra where it is missing.
    """
    try:
        return import_module(package)
    except ImportError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise InputError(f"needs {package}: pip install 'actmem[report]'", "a report") from None


__all__ = ["load"]
