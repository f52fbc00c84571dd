"""Run folders and files that somebody spoilt: one clear line, the right exit code, nothing written."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a finished run of two agents, twice each, is made once and copied by the tests."""
    return tmp_path_factory.mktemp("pristine") / "run"


@pytest.fixture
def run(call: Call, week_file: Path, pristine: Path, tmp_path: Path) -> Path:
    if not pristine.exists():
        assert call(*resume(week_file, pristine)).code == 0
    shutil.copytree(pristine, tmp_path / "run")
    return tmp_path / "run"


def resume(week_file: Path, run: Path) -> tuple[object, ...]:
    return ("run", "week", "--scenario", week_file, "--agent", "keyword", "--agent", "random",
            "--repeats", 2, "-o", run)  # fmt: skip


def edit_manifest(run: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    path = run / "manifest.json"
    data = json.loads(path.read_bytes())
    edit(data)
    path.write_text(json.dumps(data))


def spoil_bytes(data: bytes, how: str) -> bytes:
    match how:
        case "truncated":
            return data[: len(data) // 2]
        case "empty":
            return b""
        case "binary":
            return bytes(range(256)) * 20
        case "nul":
            return b"\0" * 500
        case "deep":
            return b"[" * 500_000
        case "long line":
            return b'{"suite":"' + b"x" * 10_000_000
        case "array":
            return b"[]\n"
        case "bom":
            return b"\xef\xbb\xbf" + data
    raise ValueError(how)


BYTES = ["truncated", "empty", "binary", "nul", "deep", "long line", "array", "bom"]


def refused(call: Call, run: Path, *words: object, hint: str) -> None:
    """Check that a command leaves with 2 and one line that holds ``hint``, and writes nothing."""
    before = tree(run)
    called = call(*words)
    assert called.code == 2, called
    assert called.out == ""
    lines = called.err.splitlines()
    assert lines[-1].startswith("actmem: ")
    assert len(lines) == 1 or lines[0].startswith("run folder: ")
    assert len(lines) <= 2
    assert len(called.err) < 2000
    assert hint in lines[-1]
    assert tree(run) == before


@pytest.mark.parametrize("how", BYTES)
def test_a_spoilt_manifest(call: Call, run: Path, week_file: Path, how: str) -> None:
    path = run / "manifest.json"
    path.write_bytes(spoil_bytes(path.read_bytes(), how))
    refused(call, run, "score", "run", run, hint="manifest.json")
    refused(call, run, *resume(week_file, run), hint="manifest.json")


@pytest.mark.parametrize(
    ("edit", "hint"),
    [
        (lambda m: m.update(surprise=1), "surprise"),
        (lambda m: m["episodes"][0].update(surprise=1), "surprise"),
        (lambda m: m.pop("units"), "units"),
        (lambda m: m.update(units={}), "no unit"),
        (lambda m: m.update(suite="chess"), "suite"),
        (lambda m: m.update(episodes=7), "episodes"),
        (lambda m: m["episodes"].append(m["episodes"][0]), "two episodes"),
        (lambda m: m["episodes"][0].update(id="../../up"), "no file name"),
        (lambda m: m["episodes"][0].update(id=""), "no file name"),
        (lambda m: m["episodes"][0].update(id="a\nb"), "no file name"),
        (lambda m: m["episodes"][0].update(agent="oracle"), "another unit or agent"),
        (lambda m: m["episodes"][0].update(seed=99), "seed"),
        (lambda m: m["settings"].update(nudge="louder"), "nudge"),
        (lambda m: m["settings"].update(nudge=["channels"]), "nudge"),
    ],
)
def test_an_edited_manifest(
    call: Call, run: Path, edit: Callable[[dict[str, Any]], object], hint: str
) -> None:
    edit_manifest(run, edit)
    refused(call, run, "score", "run", run, hint=hint)


@pytest.mark.parametrize("how", BYTES[:-2])
def test_a_spoilt_unit(call: Call, run: Path, how: str) -> None:
    (path,) = (run / "units").iterdir()
    path.write_bytes(spoil_bytes(path.read_bytes(), how))
    refused(call, run, "score", "run", run, hint=str(path))


def test_a_unit_that_is_gone_a_folder_or_edited(call: Call, run: Path, week_file: Path) -> None:
    (path,) = (run / "units").iterdir()
    data = path.read_bytes()
    week = json.loads(data)
    week["days"][0]["steps"][2]["text"] += " And then some."
    path.write_text(json.dumps(week))
    refused(call, run, "score", "run", run, hint="is not the scenario that the manifest names")
    path.unlink()
    refused(call, run, "score", "run", run, hint="No such file")
    path.mkdir()
    refused(call, run, "score", "run", run, hint="is a folder")


def middle(lines: list[bytes]) -> int:
    return len(lines) // 2


@pytest.mark.parametrize(
    "line",
    [b"rubbish\n", b"\0\0\0\n", b"\n", b"[" * 300_000 + b"\n", b"x" * 10_000_000 + b"\n",
     b'{"event":"chess","move":"e4"}\n', b'{"event":"act","day":"Monday","step_id":"x"}\n',
     b'{"event":"query","day":"Monday","step_id":"d1_s1","channel":"email","reply":"","x":1}\n',
     b'{"event":"end","status":"complete"}\n', b"\xff\xfe\x00\n"],
)  # fmt: skip
def test_a_spoilt_line_in_the_middle_of_a_trace(call: Call, run: Path, line: bytes) -> None:
    path = sorted((run / "traces").iterdir())[0]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[: middle(lines)], line, *lines[middle(lines) :]]))
    refused(call, run, "score", "run", run, hint=path.name)


def test_a_spoilt_trace_stops_the_run_that_takes_it_up(
    call: Call, run: Path, week_file: Path
) -> None:
    path = sorted((run / "traces").iterdir())[0]
    path.write_bytes(b"rubbish\n" + path.read_bytes())
    refused(call, run, *resume(week_file, run), hint=path.name)
    assert call("score", "run", run).code == 2
    path.unlink()  # and the lock is free again
    assert call(*resume(week_file, run)).code == 0


@pytest.mark.parametrize("pair", [("keyword.0", "random.0"), ("random.0", "random.1")])
def test_swapped_traces(call: Call, run: Path, pair: tuple[str, str]) -> None:
    one, two = ((run / "traces" / f"full-7.{name}.jsonl") for name in pair)
    aside = one.read_bytes()
    one.write_bytes(two.read_bytes())
    refused(call, run, "score", "run", run, hint="is the trace of another")
    two.write_bytes(aside)
    refused(call, run, "score", "run", run, hint="is the trace of another")


def test_reversed_days_are_refused(call: Call, run: Path) -> None:
    path = run / "traces" / "full-7.random.0.jsonl"
    head, *body, foot = path.read_bytes().splitlines(keepends=True)
    monday = [line for line in body if b'"Monday"' in line]
    rest = [line for line in body if b'"Monday"' not in line]
    path.write_bytes(b"".join([head, *rest, *monday, foot]))
    refused(call, run, "score", "run", run, hint="out of order")


def test_missing_rows_and_traces_are_incomplete(call: Call, run: Path, week_file: Path) -> None:
    path = run / "traces" / "full-7.random.0.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5] + lines[6:]))
    called = call("score", "run", run, "--json")
    assert called.code == 3
    rows = {row["agent"]: row for row in json.loads(called.out)["rows"]}
    assert (rows["random"]["scored"], rows["random"]["failed"]) == (1, 0)
    assert rows["keyword"]["scored"] == 2
    assert "INCOMPLETE" in call("score", "run", run).out
    shutil.rmtree(run / "traces")
    called = call("score", "run", run, "--json")
    assert called.code == 3
    assert all(row["scored"] == row["set_f1"] == 0 for row in json.loads(called.out)["rows"])
    assert call(*resume(week_file, run)).code == 0  # and the folder is made again


def test_a_trace_that_is_a_folder(call: Call, run: Path, week_file: Path) -> None:
    path = run / "traces" / "full-7.random.0.jsonl"
    path.unlink()
    path.mkdir()
    refused(call, run, "score", "run", run, hint="directory")
    refused(call, run, *resume(week_file, run), hint="directory")


def test_a_handle_that_the_day_does_not_have(call: Call, run: Path) -> None:
    path = run / "traces" / "full-7.random.0.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"task_', b'"tusk_'))
    refused(call, run, "score", "run", run, hint="tusk_")


@pytest.mark.parametrize("name", ["notes.txt", "lock", "traces", "units"])
def test_somebody_elses_folder_is_left_as_it_is(
    call: Call, week_file: Path, tmp_path: Path, name: str
) -> None:
    mine = tmp_path / "mine"
    if name in ("traces", "units"):
        (mine / name).mkdir(parents=True)
        (mine / name / "of-mine").touch()
    else:
        mine.mkdir()
        (mine / name).write_text("mine")
        (mine / "more").touch()
    refused(
        call, mine, "run", "week", "--scenario", week_file, "--agent", "nop", "-o", mine,
        hint="is not empty and no run folder",
    )  # fmt: skip
    refused(call, mine, "score", "run", mine, hint="no manifest.json")


def test_a_file_where_a_folder_is_needed(call: Call, week_file: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    base = ("run", "week", "--scenario", week_file, "--agent", "nop", "-o")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        refused(call, tmp_path, *base, path, hint="file")
        refused(call, tmp_path, "score", "run", path, hint="file")
        refused(call, tmp_path, "make", "week", "-o", path, hint="file")


def test_names_that_no_file_can_have(call: Call, week_file: Path, tmp_path: Path) -> None:
    long = tmp_path / ("x" * 300)
    for words in (
        ("score", "run", long),
        ("check", "week", long),
        ("run", "week", "--scenario", week_file, "--agent", "nop", "-o", long),
        ("run", "week", "--scenario", week_file, "--agent", f"{long}.py:Agent"),
        ("score", "week", "--scenario", week_file, "--log", long),
    ):
        refused(call, tmp_path, *words, hint="too long")


def test_a_week_whose_name_points_elsewhere_stays_in_its_folder(
    call: Call, week_file: Path, tmp_path: Path
) -> None:
    week = json.loads(week_file.read_bytes())
    for name in ("../../../outside", "/etc/x", "a/b", "..", "x" * 200, "Ünïcode \n name", "a.b"):
        week["scenario_name"] = name
        path = tmp_path / "in" / "week.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(week))
        run = tmp_path / "in" / "run"
        called = call("run", "week", "--scenario", path, "--agent", "nop", "-o", run, "--json")
        assert called.code == 0, called.err
        assert len(list((run / "units").glob("*.json"))) == 1
        assert len(list((run / "traces").glob("*.jsonl"))) == 1
        assert call("score", "run", run, "--json").out == called.out
        shutil.rmtree(run)
        assert [entry.name for entry in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize(
    "text",
    ['{"day": "Monday", "step_id": "nowhere"}\n', '{"day": "Moonday", "step_id": "d1_s1"}\n'],
)
def test_the_log_of_another_week_is_named(
    call: Call, week_file: Path, tmp_path: Path, text: str
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(text)
    for verb in ("score", "explain"):
        refused(
            call, tmp_path, verb, "week", "--scenario", week_file, "--log", log,
            hint=f"{log}: row 1",
        )  # fmt: skip


def test_a_log_with_a_row_missing(call: Call, run: Path, week_file: Path, tmp_path: Path) -> None:
    data = (run / "traces" / "full-7.random.0.jsonl").read_bytes().splitlines(keepends=True)
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join(data[:5] + data[6:]))
    words = ("week", "--scenario", week_file, "--log", log)
    refused(call, run, "score", *words, hint=f"{log}: 1 of ")
    called = call("explain", *words)
    assert called.code == 0
    assert "1 of" in called.err  # said, not passed over


def bound_by_modes(words: Sequence[object]) -> list[str]:
    """Return a command that obeys the modes of files, which root does only without two rights."""
    command = [sys.executable, "-m", "actmem", *map(str, words)]
    if os.geteuid() != 0:
        return command
    if shutil.which("setpriv") is None:
        pytest.skip("root cannot be bound by the modes of files without setpriv")
    return ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", *command]


def test_without_permission(week_file: Path, run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    locked, closed = folder / "locked", folder / "closed"
    shutil.copytree(run, locked)
    shutil.copy(week_file, folder / "week.json")
    (folder / "secret.json").write_bytes(week_file.read_bytes())
    (folder / "secret.py").write_text("class Agent:\n    def decide(self, o): ...\n")
    closed.mkdir()
    before = tree(folder)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.rglob("*")]}
    for path, mode in modes.items():
        secret = path.name.startswith("secret") or path == closed
        path.chmod(0 if secret else mode & ~0o222)

    def called(*words: object) -> tuple[int, str, str]:
        done = subprocess.run(
            bound_by_modes(words), cwd=folder, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    play = ("run", "week", "--agent", "nop", "--scenario")
    try:
        for words in (
            ("check", "week", "secret.json"),
            ("check", "week", "closed/week.json"),
            (*play, "secret.json"),
            (*play, "week.json"),  # no new folder can be made
            (*play, "week.json", "-o", "locked/new"),
            (*play, "week.json", "-o", "closed"),
            (*play, "week.json", "-o", "closed/new"),
            (*play, "week.json", "--agent", "secret.py:Agent"),
            (*play, "week.json", "--agent", "closed/secret.py:Agent"),
            resume(Path("week.json"), Path("locked")),
            ("score", "run", "closed"),
            ("score", "run", "closed/run"),
            ("score", "week", "--scenario", "week.json", "--log", "secret.json"),
            ("make", "week", "--days", "1", "-o", "closed/week.json"),
        ):
            code, out, err = called(*words)
            assert (code, out) == (2, ""), (words, code, err)
            assert err.count("\n") == 1, (words, err)
            assert "ermission denied" in err or "is not readable" in err, (words, err)
        code, out, _ = called("score", "run", "locked", "--json")
        assert code == 0  # to read is enough for scoring
        assert json.loads(out)["rows"]
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    assert tree(folder) == before
