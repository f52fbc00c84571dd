"""Memories of users: a class in a file of theirs."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actmem.errors import InputError


def load_class(path: Path, name: str) -> Callable[..., Any]:
    """Return the class ``name`` of a Python file; it must have ``write`` and ``read``."""
    if not path.is_file():
        raise InputError("there is no such file", path)
    spec = importlib.util.spec_from_file_location(f"actmem_memory_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError("cannot be loaded as Python", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"raises on import: {type(error).__name__}: {error}", path) from None
    found: Any = getattr(module, name, None)
    if not callable(found) or not (hasattr(found, "write") and hasattr(found, "read")):
        raise InputError(f"has no class {name!r} with write(turns) and read(query, budget)", path)
    return found  # type: ignore[no-any-return]  # any class with the two methods will do
