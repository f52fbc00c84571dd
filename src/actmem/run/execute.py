"""Playing what a run still lacks.

Finished episodes stay. One that broke off goes on from its last whole line, or starts anew where
the agent does not repeat its record. Failed ones are played anew, or go on where their footer says
that the record still holds. Workers are daemon threads: when
the main thread is interrupted nothing more is written, the process can end at once, and the folder
can be resumed.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from actmem.errors import DivergedError, IncompleteError
from actmem.run.plan import Episode, Suite
from actmem.run.store import RunFolder
from actmem.trace import Event, Footer, TraceWriter, now

Progress = Callable[[Episode, Footer], None]


class _Stopped(BaseException):
    """The run has ended under this worker. No ``Exception``: no agent's handler may swallow it."""


class _Gate:
    """Holds ``with`` for one change of a file at a time, until it is shut: then ``_Stopped``.

    The folder's lock is given back only then.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shut = False

    def __enter__(self) -> None:
        self._lock.acquire()
        if self._shut:
            self._lock.release()
            raise _Stopped

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def shut(self) -> None:
        """Let nobody through any more; waits at most a second for a write that hangs."""
        held = self._lock.acquire(timeout=1)
        self._shut = True
        if held:
            self._lock.release()


def execute(
    folder: RunFolder, suite: Suite, workers: int = 1, progress: Progress | None = None
) -> None:
    """Play every episode of ``folder`` that has not ended well, then give back the lock.

    Episodes that read another's trace come after all others. An episode that fails does not stop the
    rest. Raises ``IncompleteError`` where a trace cannot be written (a full disk), and whatever bug a
    suite raises.
    """
    gate = _Gate()
    try:
        pending = [e for e in folder.manifest.episodes if not _ended_well(folder, suite, e)]
        for batch in ([e for e in pending if not e.after], [e for e in pending if e.after]):
            for episode, footer in _outcomes(folder, suite, batch, workers, gate):
                if progress is not None:
                    progress(episode, footer)
    finally:
        gate.shut()
        folder.release()


def _outcomes(
    folder: RunFolder, suite: Suite, episodes: Sequence[Episode], workers: int, gate: _Gate
) -> Iterator[tuple[Episode, Footer]]:
    """Play episodes side by side and yield each as it ends."""
    waiting: queue.SimpleQueue[Episode | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Episode, Footer | BaseException]] = queue.SimpleQueue()

    def work() -> None:
        while (episode := waiting.get()) is not None:
            try:
                done.put((episode, _play(folder, suite, episode, gate)))
            except _Stopped:
                return
            except BaseException as error:  # handed to the main thread, which raises it
                done.put((episode, error))
                return

    for episode in episodes:
        waiting.put(episode)
    for _ in range(min(workers, len(episodes))):
        waiting.put(None)
        threading.Thread(target=work, daemon=True).start()
    for _ in episodes:
        episode, outcome = done.get()
        if isinstance(outcome, OSError):
            where = folder.trace_path(episode)
            raise IncompleteError(f"{where}: cannot be written: {outcome.strerror}") from None
        if isinstance(outcome, BaseException):
            raise outcome
        yield episode, outcome


def _ended_well(folder: RunFolder, suite: Suite, episode: Episode) -> bool:
    trace = folder.trace(episode, suite.events)
    return trace is not None and trace.footer is not None and trace.footer.status == "complete"


def _play(folder: RunFolder, suite: Suite, episode: Episode, gate: _Gate) -> Footer:
    """Play or continue one episode and write its trace to the end."""
    trace = folder.trace(episode, suite.events)
    if trace is not None and trace.footer is not None and not trace.footer.resumes:
        with gate:
            folder.set_aside(episode)
        trace = None
    recorded, size = (trace.events, trace.body) if trace else ((), 0)
    try:
        return _write(folder, suite, episode, recorded, size, gate)
    except DivergedError:
        with gate:
            folder.set_aside(episode)
        return _write(folder, suite, episode, (), 0, gate)


def _write(
    folder: RunFolder,
    suite: Suite,
    episode: Episode,
    recorded: tuple[Any, ...],
    size: int,
    gate: _Gate,
) -> Footer:
    started = time.perf_counter()
    with gate:
        writer = TraceWriter(folder.trace_path(episode), size)

    def write(event: Event) -> None:
        with gate:
            writer.write(event)

    with writer:
        if size == 0:
            write(msgspec.structs.replace(suite.header(episode), started=now()))
        try:
            footer = suite.play(episode, recorded, write)
        except (SystemExit, KeyboardInterrupt) as error:
            # Ctrl-C comes to the main thread alone: here it is the agent that wants to leave.
            footer = Footer(status="failed", error=type(error).__name__)
        footer = msgspec.structs.replace(footer, seconds=round(time.perf_counter() - started, 3))
        write(footer)
    return footer
