"""Running memory libraries sealed off: no telemetry, no home folder, no clock, no random ids.

Two things would keep a library from being measured. It may reach beyond its episode: telemetry that
starts on import, a folder in the user's home, traces sent where an environment variable says. And
it may ask otherwise when the same turns are written again: with today's date or a new random id in
its prompt, no recorded reply would fit (see ``tape``). ``imported`` sees to the first, and puts in
place what ``Seal`` sets for the second.
"""

from __future__ import annotations

import logging
import os
import random
import threading
import uuid
import warnings
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, tzinfo
from importlib import import_module
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)
"""The day on which a history begins, for libraries that date what they hear: formats have none."""

P = ParamSpec("P")
T = TypeVar("T")

_lock = threading.Lock()
_minute: ContextVar[int | None] = ContextVar("minute", default=None)
_ids: ContextVar[random.Random | None] = ContextVar("ids", default=None)


def imported(module: str, *, logger: str, **environment: str) -> Any:
    """Import a library's module, without its warnings and under an environment of its own.

    The environment is as before afterwards. What goes to ``logger`` is printed only where logging
    is set up: nothing that a library logs is news. Raises what the import raises.
    """
    with _lock, _environment(environment), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = import_module(module)
    logging.getLogger(logger).addHandler(logging.NullHandler())
    return found


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class Clock(datetime):
    """``datetime`` for a library's module: inside of a ``Seal`` it is always the history's time."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Any:
        """Return the time of the history, or the real one outside of a ``Seal``."""
        minute = _minute.get()
        if minute is None:
            return datetime.now(tz)
        return FIRST_DAY + timedelta(minutes=minute)


class Ids:
    """``uuid`` for a library's module: inside of a ``Seal`` ids come from its seeded generator."""

    def __getattr__(self, name: str) -> Any:
        """Return all else as it is."""
        return getattr(uuid, name)

    @staticmethod
    def uuid4() -> uuid.UUID:
        """Return the next id."""
        generator = _ids.get()
        if generator is None:
            return uuid.uuid4()
        return uuid.UUID(int=generator.getrandbits(128), version=4)


class Seal:
    """One library in one episode: its calls, and what goes wrong in them.

    Libraries swallow errors and go on as if nothing had been said. What a guarded function raises
    is therefore kept, and raised when the call into the library is over, whatever that returned.
    """

    def __init__(self) -> None:
        self._generator = random.Random(0)
        self._error: Exception | None = None

    def guard(self, call: Callable[P, T]) -> Callable[P, T]:
        """Return ``call`` with its first error kept; no guarded function is called after it."""

        def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
            if self._error is not None:
                raise self._error
            try:
                return call(*args, **kwargs)
            except Exception as error:
                self._error = error
                raise

        return guarded

    def run(self, minute: int, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call into the library at a minute of the history, with tracing off.

        Raises the first error of a guarded function, else what the library raises.
        """
        tracing: Any = import_module("langsmith.run_helpers")
        tokens = _minute.set(minute), _ids.set(self._generator)
        try:
            with tracing.tracing_context(enabled=False):
                return call(*args, **kwargs)
        finally:
            _minute.reset(tokens[0])
            _ids.reset(tokens[1])
            if self._error is not None:
                raise self._error
