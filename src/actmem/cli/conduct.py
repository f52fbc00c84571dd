"""How a verb conducts a run: stdout kept for the results, Ctrl-C answered with the way to go on."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

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
    try:
        number = ours.fileno()
    except (OSError, ValueError):  # a stdout without a file, in a notebook or a test
        number = -1
    if number < 0:
        sys.stdout = sys.stderr
        try:
            yield
        finally:
            sys.stdout = ours
        return
    kept = os.dup(number)
    os.dup2(sys.stderr.fileno(), number)
    # A stream of its own: an agent that closes it closes nothing of ours.
    sys.stdout = os.fdopen(os.dup(number), "w", encoding="utf-8", errors="backslashreplace")
    theirs = sys.stdout
    try:
        yield
    finally:
        sys.stdout = ours
        if not theirs.closed:
            theirs.close()
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
