"""Playing what is missing: workers, failures, and an end that nothing survives."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from actmem.errors import DivergedError, IncompleteError, InputError
from actmem.run.execute import execute
from actmem.run.plan import Episode, Manifest
from actmem.run.store import RunFolder
from actmem.trace import Event, Footer, Header, TraceWriter

BEATS = 20


class Beat(Event, frozen=True, tag="beat", kw_only=True):
    number: int


Write = Callable[[Event], None]


class Beats:
    """A suite whose episodes are twenty beats; ``at`` is called before each with its number."""

    name = "beats"
    events = Beat

    def __init__(self, at: Callable[[Episode, int], object] = lambda episode, number: None) -> None:
        self._at = at
        self.played: list[str] = []

    def header(self, episode: Episode) -> Header:
        return Header(
            suite="beats", unit=episode.unit, unit_digest="d", agent=episode.agent,
            settings={"seed": episode.seed},
        )  # fmt: skip

    def play(self, episode: Episode, recorded: Sequence[Beat], write: Write) -> Footer:
        self.played.append(episode.id)
        if recorded and recorded[0].number != 0:
            raise DivergedError("the first beat is another")
        for number in range(BEATS):
            self._at(episode, number)
            if number >= len(recorded):
                write(Beat(number=number))
        return Footer(status="complete")


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return take_up(tmp_path)


def take_up(tmp_path: Path) -> RunFolder:
    plan = Manifest(
        suite="beats",
        created="",
        versions={},
        settings={},
        units={"u": "d"},
        episodes=tuple(Episode(id=f"u.nop.{n}", unit="u", agent="nop", seed=n) for n in range(6)),
    )
    return RunFolder.prepare(tmp_path / "run", plan, {"u": b"u"})


def beats(folder: RunFolder) -> list[tuple[int, ...]]:
    traces = [folder.trace(episode, Beat) for episode in folder.manifest.episodes]
    return [tuple(beat.number for beat in trace.events) if trace else () for trace in traces]


def lines(folder: RunFolder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder.path / "traces").iterdir())}


@pytest.mark.parametrize("workers", [1, 3, 64])
def test_every_episode_once(folder: RunFolder, workers: int) -> None:
    suite, told = Beats(), list[str]()
    execute(folder, suite, workers, lambda episode, footer: told.append(episode.id))
    assert sorted(suite.played) == sorted(told) == [e.id for e in folder.manifest.episodes]
    assert beats(folder) == [tuple(range(BEATS))] * 6


def test_nothing_is_played_twice(folder: RunFolder, tmp_path: Path) -> None:
    execute(folder, Beats())
    before = lines(folder)
    again = Beats()
    execute(take_up(tmp_path), again, 4)
    assert again.played == []
    assert lines(folder) == before


def test_workers_play_at_the_same_time(folder: RunFolder) -> None:
    together = threading.Barrier(3, timeout=20)
    execute(folder, Beats(lambda _, number: number == 0 and together.wait()), 3)
    assert beats(folder) == [tuple(range(BEATS))] * 6


def test_what_broke_off_goes_on_and_what_diverged_or_failed_starts_anew(
    folder: RunFolder, tmp_path: Path
) -> None:
    broke, diverged, failed, *_ = folder.manifest.episodes
    suite = Beats()
    for episode, body in (
        (broke, [Beat(number=0), Beat(number=1)]),
        (diverged, [Beat(number=9)]),
        (failed, [Beat(number=0), Footer(status="failed", error="tired")]),
    ):
        with TraceWriter(folder.trace_path(episode)) as writer:
            for event in [suite.header(episode), *body]:
                writer.write(event)
    with folder.trace_path(broke).open("ab") as file:
        file.write(b'{"event":"beat","num')
    head = folder.trace_path(broke).read_bytes().rsplit(b"\n", 1)[0]
    execute(folder, suite, 2)
    assert beats(folder) == [tuple(range(BEATS))] * 6
    assert folder.trace_path(broke).read_bytes().startswith(head + b"\n")
    asides = [name for name in lines(folder) if "attempt" in name]
    assert asides == [f"{diverged.id}.attempt-1", f"{failed.id}.attempt-1"]
    assert sorted(suite.played) == sorted([*(e.id for e in folder.manifest.episodes), diverged.id])


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_an_agent_that_wants_to_leave_is_a_failed_episode(
    folder: RunFolder, kind: type[BaseException]
) -> None:
    """Even where a suite lets it through: in a worker it is nobody's Ctrl-C."""

    def leave(episode: Episode, number: int) -> None:
        if episode.seed == 2 and number == 5:
            raise kind

    ended: dict[int, str] = {}
    execute(folder, Beats(leave), 2, lambda e, footer: ended.update({e.seed: footer.status}))
    assert ended == {n: "failed" if n == 2 else "complete" for n in range(6)}
    assert beats(folder)[2] == tuple(range(5))


def slow(episode: Episode, number: int) -> None:
    time.sleep(0.005)


def assert_over(folder: RunFolder, tmp_path: Path) -> None:
    """Check that nothing is written any more, that the lock is free, and that the run goes on."""
    before = lines(folder)
    time.sleep(0.1)
    assert lines(folder) == before
    again = take_up(tmp_path)
    execute(again, Beats(), 2)
    assert beats(again) == [tuple(range(BEATS))] * 6


def test_after_ctrl_c_nothing_is_written(folder: RunFolder, tmp_path: Path) -> None:
    def interrupt(episode: Episode, footer: Footer) -> None:
        raise KeyboardInterrupt  # as the main thread has it, while three others are playing

    with pytest.raises(KeyboardInterrupt):
        execute(folder, Beats(slow), 4, interrupt)
    assert_over(folder, tmp_path)


def test_a_trace_that_cannot_be_written_is_one_line(folder: RunFolder, tmp_path: Path) -> None:
    def full(episode: Episode, number: int) -> None:
        time.sleep(0.005)
        if episode.seed == 3 and number == 5:
            raise OSError(28, "No space left on device")

    with pytest.raises(IncompleteError, match=r"u\.nop\.3\.jsonl: cannot be written: No space"):
        execute(folder, Beats(full), 4)
    assert_over(folder, tmp_path)


def test_a_bug_of_a_suite_is_shown(folder: RunFolder, tmp_path: Path) -> None:
    def broken(episode: Episode, number: int) -> None:
        time.sleep(0.005)
        if episode.seed == 1:
            raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError, match="a bug"):
        execute(folder, Beats(broken), 4)
    assert_over(folder, tmp_path)


def test_a_spoilt_trace_gives_the_lock_back(folder: RunFolder, tmp_path: Path) -> None:
    path = folder.trace_path(folder.manifest.episodes[4])
    path.write_bytes(b"rubbish\n")
    suite = Beats()
    with pytest.raises(InputError, match="no trace line"):
        execute(folder, suite)
    assert suite.played == []  # all are read before the first is played
    path.unlink()
    assert_over(folder, tmp_path)
