"""Playing what a run still lacks.

Finished episodes stay. One that broke off goes on from its last whole line, or starts anew where
the agent does not repeat its record. Failed ones are played anew. Workers are daemon threads: when
the main thread is interrupted the process ends at once, and the folder can be resumed.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from actmem.errors import DivergedError, IncompleteError
from actmem.run.plan import Episode, Suite
from actmem.run.store import RunFolder
from actmem.trace import Footer, TraceWriter, now

Progress = Callable[[Episode, Footer], None]


def execute(
    folder: RunFolder, suite: Suite, workers: int = 1, progress: Progress | None = None
) -> None:
    """Play every episode of ``folder`` that has not ended well, then give back the lock.

    An episode that fails does not stop the others. Raises ``IncompleteError`` where a trace cannot
    be written (a full disk), and whatever bug a suite raises.
    """
    pending = [e for e in folder.manifest.episodes if not _ended_well(folder, suite, e)]
    try:
        _execute(folder, suite, [e for e in pending if not e.after], workers, progress)
        _execute(folder, suite, [e for e in pending if e.after], workers, progress)
    finally:
        folder.release()


def _execute(
    folder: RunFolder,
    suite: Suite,
    pending: Sequence[Episode],
    workers: int,
    progress: Progress | None,
) -> None:
    waiting: queue.SimpleQueue[Episode | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Episode, Footer | BaseException]] = queue.SimpleQueue()
    for episode in pending:
        waiting.put(episode)

    def work() -> None:
        while (episode := waiting.get()) is not None:
            try:
                done.put((episode, _play(folder, suite, episode)))
            except BaseException as error:  # handed to the main thread, which raises it
                done.put((episode, error))
                return

    for _ in range(min(workers, len(pending))):
        waiting.put(None)
        threading.Thread(target=work, daemon=True).start()
    for _ in pending:
        episode, outcome = done.get()
        if isinstance(outcome, OSError):
            where = folder.trace_path(episode)
            raise IncompleteError(f"{where}: cannot be written: {outcome.strerror}") from None
        if isinstance(outcome, BaseException):
            raise outcome
        if progress is not None:
            progress(episode, outcome)


def _ended_well(folder: RunFolder, suite: Suite, episode: Episode) -> bool:
    trace = folder.trace(episode, suite.events)
    return trace is not None and trace.footer is not None and trace.footer.status == "complete"


def _play(folder: RunFolder, suite: Suite, episode: Episode) -> Footer:
    """Play or continue one episode and write its trace to the end."""
    trace = folder.trace(episode, suite.events)
    if trace is not None and trace.footer is not None:
        folder.set_aside(episode)
        trace = None
    try:
        return _write(
            folder, suite, episode, trace.events if trace else (), trace.size if trace else 0
        )
    except DivergedError:
        folder.set_aside(episode)
        return _write(folder, suite, episode, (), 0)


def _write(
    folder: RunFolder, suite: Suite, episode: Episode, recorded: tuple[Any, ...], size: int
) -> Footer:
    started = time.perf_counter()
    with TraceWriter(folder.trace_path(episode), size) as writer:
        if size == 0:
            header = suite.header(episode)
            writer.write(msgspec.structs.replace(header, started=now()))
        footer = suite.play(episode, recorded, writer.write)
        footer = msgspec.structs.replace(footer, seconds=round(time.perf_counter() - started, 3))
        writer.write(footer)
    return footer
