"""Loading what an extra installs, and modules of ours that need it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from actmem.errors import InputError


def load(module: str, what: str, extra: str = "memory") -> Any:
    """Import a package, or a module of ours that needs some; ``what`` names what needs it.

    Raises ``InputError`` that names the extra where a package is missing.
    """
    try:
        return import_module(module)
    except ImportError as error:
        if (error.name or "actmem").partition(".")[0] == "actmem":  # a fault of ours
            raise
        raise InputError(f"needs {error.name}: pip install 'actmem[{extra}]'", what) from None
