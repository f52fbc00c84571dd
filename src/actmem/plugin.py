"""Classes of users: one in a Python file of theirs, loaded by path and name."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Iterable
from inspect import signature
from pathlib import Path
from typing import Any

from actmem.errors import InputError
from actmem.files import read_bytes
from actmem.process import FORM, command_files


def user_class(
    name: str, kind: str, known: Iterable[str], methods: dict[str, str]
) -> Callable[..., Any]:
    """Return the class that ``path/to/file.py:Class`` names (``load_class``).

    Raises ``InputError`` for a name of another form: it lists the ``known`` ones.
    """
    path, colon, class_name = name.rpartition(":")
    if not colon or not path.endswith(".py"):
        forms = "path/to/file.py:Class or cmd:PROGRAM"
        raise InputError(f"no {kind} {name!r}: there are {', '.join(known)}, or give {forms}")
    return load_class(Path(path), class_name, kind, methods)


def load_class(path: Path, name: str, kind: str, methods: dict[str, str]) -> Callable[..., Any]:
    """Return the class ``name`` of a Python file.

    ``kind`` names what is loaded; ``methods`` are those that it must have, with their signatures.
    The file may import its neighbours. Raises ``InputError`` for a missing file, one that raises
    or exits on import, or a class without the methods.
    """
    if not path.is_file():
        raise InputError("there is no such file", path)
    spec = importlib.util.spec_from_file_location(f"actmem_{kind}:{path.resolve()}", path)
    if spec is None or spec.loader is None:
        raise InputError("cannot be loaded as Python", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"raises on import: {type(error).__name__}: {error}", path) from None
    finally:
        sys.path.pop(0)
    found: Any = getattr(module, name, None)
    if not callable(found) or not all(hasattr(found, method) for method in methods):
        needed = " and ".join(methods.values())
        raise InputError(f"has no class {name!r} with {needed}", path)
    return found  # type: ignore[no-any-return]  # any class with the methods will do


def seeded(cls: Callable[..., Any], seed: int) -> Any:
    """Make an agent of its class; a parameter named ``seed`` receives the episode's seed."""
    return cls(seed=seed) if "seed" in signature(cls).parameters else cls()


def source(name: str, kind: str = "agent") -> dict[str, Any]:
    """Return the settings that say what the code of ``path/to/file.py:Class`` or ``cmd:…`` was.

    ``kind`` is what is named so, ``agent`` or ``memory``: ``{"agent_file": SHA-256}``, or for a
    program ``{"agent_files": {path: SHA-256}}``. A changed file is another agent or memory: a run
    is not resumed with it.
    """
    if name.startswith(FORM):
        return {f"{kind}_files": command_files(name.removeprefix(FORM))}
    path = Path(name.rpartition(":")[0])
    return {f"{kind}_file": hashlib.sha256(read_bytes(path)).hexdigest()}
