"""How a run goes on, on stderr. The library that draws is loaded in a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from actmem.run.plan import Episode
from actmem.trace import Footer

if TYPE_CHECKING:
    from rich.progress import Progress


class Board:
    """Progress on stderr: a bar in a terminal, a plain line for each failed episode elsewhere."""

    def __init__(self, bar: Progress | None, steps: int, episodes: int) -> None:
        self._bar = bar
        self._episodes = episodes
        self._ended = 0
        self._failed = 0
        self._task = bar.add_task(self._text(), total=steps) if bar else None

    def _text(self) -> str:
        failed = f", {self._failed} failed" if self._failed else ""
        return f"{self._ended} of {self._episodes} episodes{failed}"

    def step(self) -> None:
        """Count one step played."""
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task)

    def ended(self, episode: Episode, footer: Footer) -> None:
        """Count one episode that ended."""
        self._ended += 1
        if footer.status == "failed":
            self._failed += 1
            print(f"failed: {episode.id}: {footer.error}", file=sys.stderr)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=self._text())


@contextmanager
def progress(episodes: Sequence[Episode], steps: Mapping[str, int]) -> Iterator[Board]:
    """Show how a run goes on. ``steps`` is the number of steps by unit."""
    total = sum(steps[episode.unit] for episode in episodes)
    if not sys.stderr.isatty():
        yield Board(None, total, len(episodes))
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("steps"),
        TimeElapsedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Board(bar, total, len(episodes))
