"""How a run goes on, on stderr. The library that draws is loaded in a terminal only."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from actmem.models.chat import Usage
from actmem.run.plan import Episode
from actmem.trace import Footer

if TYPE_CHECKING:
    from rich.progress import Progress

QUIET = 60.0
"""Seconds without a line after which one says that the run is at work."""
LISTED = 100
"""Most episodes of a run that are told one by one; beyond, only failures and a line a minute."""


Sets = tuple[int, int, int]
"""Hits, false alarms and misses of an episode, or of several, pooled."""


class Board:
    """Progress of a run. Steps and calls may be counted from any thread.

    In a terminal it is a bar; elsewhere a line an ended episode and, between them, a line a minute.
    """

    def __init__(
        self, episodes: Sequence[Episode], steps: Mapping[str, int], bar: Progress | None = None
    ) -> None:
        self._steps = steps
        self._planned = (len(episodes), sum(steps[episode.unit] for episode in episodes))
        self._episodes = episodes
        self._lock = threading.Lock()
        self._ended = self._failed = self._played = 0
        self._usage = Usage()
        self._standings: dict[str, Sets] = {}
        self._latest = ""  # the agent whose episode ended last
        self._judge: Callable[[Episode], Sets | None] | None = None
        self._spoke = time.monotonic()
        self._bar = bar
        self._task = bar.add_task(self._text(), total=self._planned[1]) if bar else None

    def take_up(self, judge: Callable[[Episode], Sets | None]) -> None:
        """Count what has ended before; ``judge`` gives None for an episode without a good end."""
        self._judge = judge
        for episode in self._episodes:
            sets = judge(episode)
            if sets is not None:
                self._ended += 1
                self._played += self._steps[episode.unit]
                self._pool(episode, sets)
        self._draw()

    def step(self) -> None:
        """Count one step played."""
        with self._lock:
            self._played += 1
        self._draw()

    def call(self, usage: Usage) -> None:
        """Count one call of a model."""
        with self._lock:
            self._usage += usage
        self._draw()

    def ended(self, episode: Episode, footer: Footer) -> None:
        """Count one episode that ended, and say what it came to."""
        self._ended += 1
        failed = footer.status == "failed"
        if failed:
            self._failed += 1
        sets = None if failed or self._judge is None else self._judge(episode)
        if sets is not None:
            self._pool(episode, sets)
        self._draw()
        if failed:
            self.say(f"failed: {episode.id}: {footer.error}")
        elif self._bar is None and self._planned[0] <= LISTED:
            came = f", {_set_f1(sets)}" if sets else ""
            self.say(f"ended: {episode.id}{came}, {footer.seconds:.1f} s; {self._text()}")

    def say(self, line: str) -> None:
        """Print a line on stderr."""
        self._spoke = time.monotonic()
        print(line, file=sys.stderr, flush=True)

    def lives(self) -> float:
        """Say that the run is at work where nothing was said for long; return seconds to the next."""
        left = self._spoke + QUIET - time.monotonic()
        if left <= 0:
            done, planned = self._played, self._planned[1]
            self.say(f"at work: {done} of {planned} steps; {self._text()}")
            left = QUIET
        return left

    def _pool(self, episode: Episode, sets: Sets) -> None:
        self._latest = episode.agent
        hits, false, missed = self._standings.get(episode.agent, (0, 0, 0))
        self._standings[episode.agent] = (hits + sets[0], false + sets[1], missed + sets[2])

    def _text(self) -> str:
        """Return the state in words; Set-F1 is that of the agent whose episode ended last, pooled."""
        sets = self._standings.get(self._latest)
        tokens = self._usage.prompt_tokens + self._usage.completion_tokens
        parts = [f"{self._ended} of {self._planned[0]} episodes"]
        parts += [f"{self._failed} failed"] if self._failed else []
        parts += [f"{tokens / 1000:,.0f}k tokens"] if tokens else []
        parts += [f"cost {self._usage.cost:.4g}"] if self._usage.cost else []
        parts += [f"{_set_f1(sets)} so far"] if sets else []
        return ", ".join(parts)

    def _draw(self) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(
                self._task, description=self._text(), completed=min(self._played, self._planned[1])
            )


def _set_f1(sets: Sets) -> str:
    """Return Set-F1 in words, in per cent."""
    hits, false, missed = sets
    whole = 2 * hits + false + missed
    return f"Set-F1 {200 * hits / whole:.1f}" if whole else "Set-F1 n/a"


@contextmanager
def progress(episodes: Sequence[Episode], steps: Mapping[str, int]) -> Iterator[Board]:
    """Show how a run goes on. ``steps`` is the number of steps by unit."""
    if sys.stderr.isatty():
        with _bar() as bar:
            yield Board(episodes, steps, bar)
        return
    board = Board(episodes, steps)
    over = threading.Event()

    def watch() -> None:
        while not over.wait(board.lives()):
            pass

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield board
    finally:
        over.set()


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=12),
        MofNCompleteColumn(),
        TextColumn("steps"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
