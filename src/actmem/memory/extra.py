"""Loading modules that need the extra ``memory``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from actmem.errors import InputError

PACKAGES = ("numpy", "bm25s", "tokenizers", "safetensors")
"""What the extra installs, as modules."""


def load(module: str, what: str) -> Any:
    """Import a module of ours; ``what`` names what needs it.

    Raises ``InputError`` that names the extra where a package of it is missing.
    """
    try:
        return import_module(module)
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in PACKAGES:
            raise
        raise InputError(f"needs {error.name}: pip install 'actmem[memory]'", what) from None
