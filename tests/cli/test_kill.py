"""Runs that end before their end: killed, interrupted, torn, two at once. Nothing is lost."""

from __future__ import annotations

import json
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actmem.trace import Trace, read_trace
from actmem.week.play import WeekEvent

Call = Callable[..., Any]
Spawn = Callable[..., subprocess.Popen[str]]
WriteAgent = Callable[..., str]

CURIOUS = """
    if not observation.replies:
        return Query("clock")
    if len(observation.text) % 3 == 0 and len(observation.replies) < 2:
        return Query("email")
    if len(observation.text) % 5 == 0 and observation.error is None:
        return Act("D")
    return Act("B", tuple(item.handle for item in observation.menu[:3]))
"""
"""Asks, is refused now and then, and always decides alike."""


def without_times(path: Path) -> Trace[Any]:
    trace = read_trace(path, WeekEvent)
    assert trace.footer is not None
    return Trace(
        msgspec.structs.replace(trace.header, started=""),
        trace.events,
        msgspec.structs.replace(trace.footer, seconds=0.0),
        size=0,
        body=0,
    )


def traces(run: Path) -> dict[str, Trace[Any]]:
    return {path.name: without_times(path) for path in (run / "traces").glob("*.jsonl")}


def finished(run: Path) -> dict[Path, bytes]:
    """Return the traces that have ended well, byte by byte."""
    contents = {path: path.read_bytes() for path in run.glob("traces/*.jsonl")}
    return {path: data for path, data in contents.items() if b'"status":"complete"' in data}


def test_killed_at_random_moments_and_taken_up(
    call: Call, spawn: Spawn, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    agent = write_agent("time.sleep(0.02)\n" + CURIOUS.replace("\n    ", "\n"))
    base = ("run", "week", "--scenario", week_file, "--agent", agent, "--repeats", 3,
            "--workers", 2, "-o")  # fmt: skip
    assert call(*base, tmp_path / "whole").code == 0
    run, chance, kept = tmp_path / "killed", random.Random(11), dict[Path, bytes]()
    kills = 0
    for _ in range(12):
        process = spawn(*base, run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.1 + 0.6 * chance.random())
        process.kill()
        ended = process.wait() == 0
        kills += not ended
        now = finished(run)
        assert kept.items() <= now.items()  # what had ended well is not touched again
        kept = now
        if (run / "manifest.json").exists():
            assert call("score", "run", run).code == (0 if len(kept) == 3 else 3)
        if ended or len(kept) == 3:
            break
    assert kills >= 1
    assert call(*base, run).code == 0
    assert kept.items() <= finished(run).items()
    assert traces(run) == traces(tmp_path / "whole")
    assert not list(run.glob("traces/*.attempt-*"))  # nothing was begun anew


def test_torn_anywhere_and_taken_up(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    base = ("run", "week", "--scenario", week_file, "--agent", write_agent(CURIOUS), "-o")
    assert call(*base, tmp_path / "run").code == 0
    (path,) = (tmp_path / "run" / "traces").iterdir()
    data, whole = path.read_bytes(), without_times(path)
    header = data.index(b"\n") + 1
    footer = data.rindex(b'{"event":"end"')
    chance = random.Random(3)
    cuts = [0, 1, header - 1, header, header + 1, footer - 1, footer, len(data) - 2, len(data) - 1]
    for cut in cuts + [chance.randrange(len(data)) for _ in range(20)]:
        for tail in (b"", b"\xff\x00{") if cut % 2 else (b"",):
            path.write_bytes(data[:cut] + tail)
            assert call("score", "run", tmp_path / "run").code == 3
            assert call(*base, tmp_path / "run").code == 0
            assert without_times(path) == whole
            if cut >= header:  # what was whole is kept as it was, the cut line is written anew
                start = data[:cut].rindex(b"\n") + 1
                assert path.read_bytes()[:start] == data[:start]
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_an_agent_that_decides_otherwise_starts_anew(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    flag = tmp_path / "changed"
    agent = write_agent(f"return Act('B' if os.path.exists({str(flag)!r}) else 'A')")
    base = ("run", "week", "--scenario", week_file, "--agent", agent, "-o", tmp_path / "run")
    assert call(*base).code == 0
    (path,) = (tmp_path / "run" / "traces").iterdir()
    torn = path.read_bytes()[:-40]
    path.write_bytes(torn)
    flag.touch()
    assert call(*base).code == 0
    assert {e.choice for e in without_times(path).events} == {"B"}  # not half and half
    assert path.with_suffix(".attempt-1").read_bytes().startswith(torn[: torn.rindex(b"\n")])


def test_ctrl_c_ends_at_once_and_the_printed_command_goes_on(
    call: Call, spawn: Spawn, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    blocks = tmp_path / "blocks"
    blocks.touch()
    agent = write_agent(
        f"""
        if observation.first and observation.day == "Tuesday" and os.path.exists({str(blocks)!r}):
            pool.submit(time.sleep, 60)  # a thread that the interpreter would wait for
            time.sleep(60)
        return Act("A")
        """,
        top="from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)",
        name="odd name/agent.py",
    )
    process = spawn(
        "run", "week", "--scenario", week_file, "--agent", agent, "--repeats", 3, "--workers", 2,
        "--json", cwd=tmp_path,
    )  # fmt: skip
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if sum(p.read_bytes().count(b"\n") > 10 for p in tmp_path.glob("runs/*/traces/*")) == 2:
            break
        time.sleep(0.02)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - started < 8
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    last = err.splitlines()[-1]
    assert last.startswith("actmem: interrupted; resume with: actmem run week ")
    blocks.unlink()
    words = shlex.split(last.split("resume with: actmem ")[1])
    again = subprocess.run(
        [sys.executable, "-m", "actmem", *words], cwd=tmp_path, capture_output=True, check=False
    )
    assert again.returncode == 0
    (row,) = json.loads(again.stdout)["rows"]
    assert row["scored"] == row["planned"] == 3
    assert len(list(tmp_path.glob("runs/*"))) == 1
    assert not list(tmp_path.glob("runs/*/traces/*.attempt-*"))


def test_runs_that_start_in_one_instant_have_folders_of_their_own(
    spawn: Spawn, week_file: Path, tmp_path: Path
) -> None:
    words = ("run", "week", "--scenario", week_file, "--agent", "nop", "--json")
    both = [spawn(*words, cwd=tmp_path) for _ in range(3)]
    said = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0, 0]
    folders = {json.loads(out)["run"] for out, _ in said}
    assert folders == {str(path) for path in (tmp_path / "runs").iterdir()}
    assert len(folders) == 3
    assert all(json.loads(out)["run"] in err for out, err in said)


def test_of_two_runs_in_one_folder_one_is_turned_away(
    spawn: Spawn, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    agent = write_agent("time.sleep(0.15)\nreturn Act('A')")
    words = ("run", "week", "--scenario", week_file, "--agent", agent, "-o", tmp_path / "run")
    both = [spawn(*words) for _ in range(3)]
    said = [process.communicate(timeout=60) for process in both]
    assert sorted(process.returncode for process in both) == [0, 2, 2]
    for process, (out, err) in zip(both, said, strict=True):
        if process.returncode == 2:
            assert out == ""
            assert err.count("\n") == 1
            assert "another run is working in this folder" in err
    assert len(traces(tmp_path / "run")) == 1


@pytest.mark.parametrize("left", ["lock", "lock traces", "lock units", "lock traces units part"])
def test_a_run_killed_before_its_manifest_was_written(
    call: Call, week_file: Path, tmp_path: Path, left: str
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    for name in left.split():
        match name:
            case "lock":
                (run / "lock").touch()
            case "part":
                (run / ".manifest.json.0123abcd.part").write_bytes(b'{"created"')
                (run / "units" / ".full-7.json.0123abcd.part").write_bytes(b"{")
            case folder:
                (run / folder).mkdir()
    assert call("run", "week", "--scenario", week_file, "--agent", "nop", "-o", run).code == 0
    assert len(traces(run)) == 1


@pytest.mark.parametrize("place", ["make_manifest", "RunFolder.prepare", "execute"])
@pytest.mark.parametrize("named", [True, False])
def test_ctrl_c_at_any_place_says_how_to_go_on(
    call: Call, week_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str,
    named: bool,
) -> None:  # fmt: skip
    def interrupt(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    modules = {
        "make_manifest": "week.suite",
        "RunFolder.prepare": "run.store",
        "execute": "run.execute",
    }
    monkeypatch.setattr(f"actmem.{modules[place]}.{place}", interrupt)
    output = ("-o", "a folder") if named else ()
    called = call("run", "week", "--scenario", week_file, "--agent", "nop", *output)
    assert called.code == 130
    assert called.out == ""
    last = called.err.splitlines()[-1]
    if named or place == "execute":
        assert "interrupted; resume with: actmem run week --scenario" in last
        assert shlex.split(last)[-2] == "-o"
        assert not named or shlex.split(last)[-1] == "a folder"
    else:
        assert last == "actmem: interrupted"  # no folder has been begun
