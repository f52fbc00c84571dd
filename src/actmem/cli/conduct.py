"""How a verb conducts a run: stdout kept for the results, Ctrl-C answered with the way to go on."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

import click

from actmem.errors import Interrupted

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
def conducted(folder: Path) -> Iterator[None]:
    """Say where the run is and how to resume it; turn Ctrl-C into ``Interrupted``, which says it too."""
    resume = resume_command(_words(), folder)
    click.echo(f"run folder: {folder} (resume with: {resume})", err=True)
    try:
        with stdout_kept():
            yield
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; resume with: {resume}") from None


def resume_command(words: Sequence[str], folder: Path) -> str:
    """Return the command that takes up the run in ``folder``; ``words`` are those that began it."""
    given = any(
        word == option or word.startswith(f"{option}=" if option.startswith("--") else option)
        for word in words
        for option in OUTPUT_OPTIONS
    )
    rest = () if given else ("-o", str(folder))
    return shlex.join(["actmem", *words, *rest])


def _words() -> list[str]:
    """Return the command line's words, as ``run_cli`` was given them."""
    words = click.get_current_context().find_root().obj
    return list(words) if isinstance(words, list) else sys.argv[1:]
