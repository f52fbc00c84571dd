"""The run folder: taken up only by its own run, spoilt by nobody."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from actmem.errors import InputError
from actmem.run import store
from actmem.run.plan import Episode, Manifest
from actmem.run.store import RunFolder
from actmem.trace import Event, Footer, Header, TraceWriter


class Beat(Event, frozen=True, tag="beat", kw_only=True):
    number: int


def manifest(**changes: object) -> Manifest:
    plan = Manifest(
        suite="beats",
        created="2025-01-01T00:00:00+00:00",
        versions={"actmem": "1"},
        settings={"seed": 1},
        units={"one": "d1", "two": "d2"},
        episodes=tuple(
            Episode(id=f"{unit}.nop.0", unit=unit, agent="nop", seed=seed)
            for seed, unit in enumerate(("one", "two"))
        ),
    )
    return msgspec.structs.replace(plan, **changes)


def prepare(path: Path | None, plan: Manifest | None = None) -> RunFolder:
    return RunFolder.prepare(path, plan or manifest(), {"one": b"1\n", "two": b"2\n"})


def header(episode: Episode, **changes: object) -> Header:
    whole = Header(
        suite="beats", unit=episode.unit, unit_digest=f"d{episode.seed + 1}", agent="nop",
        settings={"seed": episode.seed},
    )  # fmt: skip
    return msgspec.structs.replace(whole, **changes)


def record(folder: RunFolder, episode: Episode, *events: Event) -> None:
    with TraceWriter(folder.trace_path(episode)) as writer:
        for event in events:
            writer.write(event)


def test_made_then_opened_and_taken_up(tmp_path: Path) -> None:
    folder = prepare(tmp_path / "run")
    assert folder.unit_path("one").read_bytes() == b"1\n"
    folder.release()
    folder.release()  # twice does no harm
    assert RunFolder.open(tmp_path / "run").manifest == manifest()
    later = manifest(created="2026-01-01T00:00:00+00:00")
    prepare(tmp_path / "run", later).release()
    assert RunFolder.open(tmp_path / "run").manifest == manifest()  # the first one stays


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"suite": "weeks"}, "suite: beats there, weeks now"),
        ({"versions": {"actmem": "2"}}, "versions.actmem: 1 there, 2 now"),
        ({"settings": {"seed": 2}}, "settings.seed: 1 there, 2 now"),
        ({"settings": {"seed": 1, "x": "y" * 500}}, "settings.x: nothing there, yyy"),
        ({"units": {"one": "d1", "two": "d3"}}, "units.two: d2 there, d3 now"),
        ({"episodes": manifest().episodes[:1]}, "episodes.two.nop.0: "),
    ],
)
def test_another_run_is_turned_away_with_the_difference(
    tmp_path: Path, changes: dict[str, object], difference: str
) -> None:
    prepare(tmp_path / "run").release()
    with pytest.raises(InputError) as error:
        prepare(tmp_path / "run", manifest(**changes))
    assert difference in str(error.value)
    assert len(str(error.value)) < 400
    prepare(tmp_path / "run").release()  # the lock was given back


def test_the_order_of_episodes_is_no_difference(tmp_path: Path) -> None:
    prepare(tmp_path / "run").release()
    prepare(tmp_path / "run", manifest(episodes=manifest().episodes[::-1])).release()


@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        ({"id": "one.nop.0"}, "two episodes"),
        ({"id": "../x"}, "no file name"),
        ({"id": ".hidden"}, "no file name"),
        ({"id": "a/b"}, "no file name"),
        ({"unit": "three"}, "no unit"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_before_anything_is_made(
    tmp_path: Path, changes: dict[str, str], hint: str
) -> None:
    one, two = manifest().episodes
    plan = manifest(episodes=(one, msgspec.structs.replace(two, **changes)))
    with pytest.raises(InputError, match=hint):
        prepare(tmp_path / "run", plan)
    assert not (tmp_path / "run").exists()


def test_locked_while_it_is_played(tmp_path: Path) -> None:
    folder = prepare(tmp_path / "run")
    with pytest.raises(InputError, match="another run"):
        prepare(tmp_path / "run")
    assert RunFolder.open(tmp_path / "run").manifest == manifest()  # reading is free
    folder.release()
    prepare(tmp_path / "run").release()


def open_files() -> int:
    """Return the number of open files; 0 where the system does not tell."""
    numbers = Path("/proc/self/fd")
    return len(list(numbers.iterdir())) if numbers.exists() else 0


def test_no_lock_leaks_where_nothing_came_of_it(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").touch()
    prepare(tmp_path / "run").release()
    before = open_files()
    for _ in range(5):
        with pytest.raises(InputError):
            prepare(tmp_path / "mine")
        with pytest.raises(InputError):
            prepare(tmp_path / "run", manifest(suite="weeks"))
    assert open_files() == before
    assert [entry.name for entry in (tmp_path / "mine").iterdir()] == ["letter"]


def test_new_folders_of_one_instant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    class Frozen:
        @staticmethod
        def now() -> datetime:
            return datetime(2025, 1, 1)

    monkeypatch.setattr(store, "datetime", Frozen)
    folders = [prepare(None) for _ in range(20)]
    assert len({folder.path for folder in folders}) == 20
    assert all(folder.path.parent == tmp_path / "runs" for folder in folders)
    for folder in folders:
        folder.release()


def test_the_folder_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = prepare(Path("run"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert folder.unit_path("one").is_file()
    folder.release()


def test_a_unit_stays_in_the_folder(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, manifest())
    for name in ("../../x", "/etc/passwd", "..", "a\0b", "a/b", "x" * 300):
        path = folder.unit_path(name)
        assert path.parent == tmp_path / "units"
        assert len(path.name) < 100
        assert "\0" not in path.name


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (lambda h: msgspec.structs.replace(h, unit="two"), "another unit or agent"),
        (lambda h: msgspec.structs.replace(h, unit_digest="d9"), "another unit or agent"),
        (lambda h: msgspec.structs.replace(h, agent="all"), "another unit or agent"),
        (lambda h: msgspec.structs.replace(h, settings={"seed": 7}), "seed"),
    ],
)
def test_a_trace_binds_to_its_episode(
    tmp_path: Path, change: Callable[[Header], Header], hint: str
) -> None:
    folder = prepare(tmp_path / "run")
    episode = folder.manifest.episodes[0]
    record(folder, episode, header(episode), Beat(number=1))
    trace = folder.trace(episode, Beat)
    assert trace is not None
    assert trace.events == (Beat(number=1),)
    record(folder, episode, change(header(episode)), Beat(number=1))
    with pytest.raises(InputError, match=hint):
        folder.trace(episode, Beat)
    folder.release()


@pytest.mark.parametrize("data", [b"", b'{"event":"hea', b"\0" * 100_000])
def test_a_trace_without_a_whole_line_is_none(tmp_path: Path, data: bytes) -> None:
    folder = prepare(tmp_path / "run")
    episode = folder.manifest.episodes[0]
    assert folder.trace(episode, Beat) is None
    folder.trace_path(episode).write_bytes(data)
    assert folder.trace(episode, Beat) is None
    folder.release()


def test_what_is_set_aside_is_kept(tmp_path: Path) -> None:
    folder = prepare(tmp_path / "run")
    episode = folder.manifest.episodes[0]
    for number in range(3):
        record(folder, episode, header(episode), Beat(number=number), Footer(status="failed"))
        folder.set_aside(episode)
        assert folder.trace(episode, Beat) is None
    kept = sorted((folder.path / "traces").iterdir())
    assert [path.suffix for path in kept] == [".attempt-1", ".attempt-2", ".attempt-3"]
    assert [f'"number":{n}'.encode() in path.read_bytes() for n, path in enumerate(kept)] == [
        True
    ] * 3
    folder.release()
