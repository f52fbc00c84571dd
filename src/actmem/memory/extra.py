"""Loading modules that need an extra."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from actmem.errors import InputError

BASE = ("numpy", "bm25s", "tokenizers", "safetensors")
"""What the extra ``memory`` installs, as modules; the other extras install it, too."""
PACKAGES: dict[str, tuple[str, ...]] = {
    "memory": BASE,
    "mem0": (*BASE, "mem0", "langchain_core"),
    "langmem": (*BASE, "langmem", "langgraph", "langchain_core"),
}
"""What each extra installs, as far as our modules import it."""


def load(module: str, what: str, extra: str = "memory") -> Any:
    """Import a module of ours; ``what`` names what needs it.

    Raises ``InputError`` that names the extra where a package of it is missing.
    """
    try:
        return import_module(module)
    except ImportError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in PACKAGES.get(extra, ()):
            raise
        raise InputError(f"needs {error.name}: pip install 'actmem[{extra}]'", what) from None
