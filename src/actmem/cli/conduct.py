"""How a verb conducts a run: stdout kept for the results, Ctrl-C answered with the way to go on."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

import click

from actmem.cli.values import refuse_keys
from actmem.errors import Interrupted

if TYPE_CHECKING:
    from actmem.models.chat import Chat
    from actmem.report.progress import Board
    from actmem.run.coverage import Covered
    from actmem.run.plan import Manifest, Suite
    from actmem.run.store import RunFolder

OUTPUT_OPTIONS = ("-o", "--output")


@contextmanager
def stdout_kept() -> Iterator[None]:
    """Send to stderr whatever is written to stdout meanwhile, by agents and their subprocesses.

    What a verb prints after it is then the only thing on stdout.
    """
    ours = sys.stdout
    ours.flush()
    numbers = {1} | ({number} if (number := _number(ours)) is not None else set())
    aim = _number(sys.stderr)
    with ExitStack() as stack:
        if aim is not None:
            for number in numbers:
                stack.enter_context(_number_sent(number, aim))
        # A stream of its own: an agent that closes it closes nothing of ours.
        sys.stdout = _to(aim)
        try:
            yield
        finally:
            sys.stdout.close()
            sys.stdout = ours


def _number(stream: TextIO) -> int | None:
    """Return a stream's file number; None where it has none, as in a notebook."""
    try:
        return stream.fileno()
    except (OSError, ValueError):
        return None


def _to(number: int | None) -> TextIO:
    """Return a new stream that writes to a file number, without a number to nothing."""
    if number is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123  (a device, not a path)
    return os.fdopen(os.dup(number), "w", buffering=1, encoding="utf-8", errors="backslashreplace")


@contextmanager
def _number_sent(number: int, aim: int) -> Iterator[None]:
    """Let ``number`` write to where ``aim`` writes."""
    try:
        kept = os.dup(number)
    except OSError:  # it is closed; nobody can write to it
        yield
        return
    os.dup2(aim, number)
    try:
        yield
    finally:
        os.dup2(kept, number)
        os.close(kept)


@contextmanager
def conducted(output: Path | None) -> Iterator[Callable[[Path], None]]:
    """Keep stdout for what comes after; turn Ctrl-C into ``Interrupted``, which says how to resume.

    ``output`` is the run folder where the user named one. What is yielded is to be called with the
    folder as soon as there is one: it says where the run is and how to resume it.
    """
    words = _words()
    where = output

    def begun(folder: Path) -> None:
        nonlocal where
        where = folder
        resume = resume_command(words, folder)
        click.echo(f"run folder: {folder} (resume with: {resume})", err=True)

    try:
        with stdout_kept(), ended_as_interrupted():
            yield begun
    except KeyboardInterrupt:
        if where is None:  # nothing has begun
            raise
        resume = resume_command(words, where)
        raise Interrupted(f"interrupted; resume with: {resume}") from None


@contextmanager
def ended_as_interrupted() -> Iterator[None]:
    """Take a SIGTERM as Ctrl-C meanwhile: programs are ended, and the way to go on is told."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def resume_command(words: Sequence[str], folder: Path) -> str:
    """Return the command that takes up the run in ``folder``; ``words`` are those that began it."""
    given = any(
        word == option or word.startswith(f"{option}=" if option.startswith("--") else option)
        for word in words
        for option in OUTPUT_OPTIONS
    )
    rest = () if given else ("-o", str(folder))
    return shlex.join(["actmem", *(shown_word(word) for word in words), *rest])


def shown_word(word: str) -> str:
    """Return a word of a command line; a URL in it without what could be secret."""
    from actmem.models.keys import hide_keys

    return hide_keys(re.sub(r"(?<=://)[^/@\s]*@|\?\S*$", "", word) if "://" in word else word)


def _words() -> list[str]:
    """Return the command line's words, as ``run_cli`` was given them."""
    words = click.get_current_context().find_root().obj
    return list(words) if isinstance(words, list) else sys.argv[1:]


class Planned(NamedTuple):
    """A run that can begin."""

    manifest: Manifest
    files: Mapping[str, bytes]
    """What the run folder keeps of its units, by name."""
    steps: Mapping[str, int]
    """Steps by unit, for the progress."""
    suite: Callable[[RunFolder, Board], Suite]
    """Makes the suite for a folder; it tells the board of each step."""
    chats: Sequence[Chat]
    """The models that play; they are closed at the end."""


def carry_out(output: Path | None, workers: int, plan: Callable[[], Planned]) -> RunFolder:
    """Play what ``plan`` returns in the folder ``output``, or a new one, and return the folder."""
    from actmem.report.progress import progress
    from actmem.run.execute import execute
    from actmem.run.store import RunFolder

    with conducted(output) as begun, ExitStack() as stack:
        planned = plan()
        for chat in planned.chats:
            stack.callback(chat.close)
        refuse_keys(episode.agent for episode in planned.manifest.episodes)
        workers = min([workers, *(chat.parallel for chat in planned.chats)])
        folder = RunFolder.prepare(output, planned.manifest, planned.files)
        stack.callback(folder.release)  # also where the suite cannot take the run up
        begun(folder.path)
        with progress(planned.manifest.episodes, planned.steps) as board:
            execute(folder, planned.suite(folder, board), workers, board.ended)
    return folder


def coverage(results: Iterable[Covered]) -> int:
    """Say on stderr which results are incomplete, and return the exit code: 3 if any is, else 0."""
    from actmem.run.coverage import shortfalls

    return incomplete(shortfalls(results))


def incomplete(lines: Sequence[str]) -> int:
    """Say on stderr what is incomplete, and return the exit code: 3 if anything is, else 0."""
    for line in lines:
        click.echo(f"incomplete: {line}", err=True)
    return 3 if lines else 0
