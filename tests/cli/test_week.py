"""The week suite as a user types it, faults first."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actmem.trace import Footer, read_trace
from actmem.week.play import WeekEvent

Call = Callable[..., Any]

AGENTS = {
    "raises": "raise RuntimeError('out of\\nideas')",
    "exits": "raise SystemExit(7)",
    "interrupts": "raise KeyboardInterrupt",
    "rubbish": "return {'action': 'choose'}",
    "nothing": "return None",
    "unprintable": "class X:\n            __str__ = None\n        return X()",
    "wrong_types": "return Act(7, 'task_1')",
    "unknown_handle": "return Act('A', ('task_999',))",
}


def agent_file(folder: Path, body: str) -> str:
    path = folder / "agent.py"
    path.write_text(
        "from actmem.week.world import Act\n\n\nclass Agent:\n    def decide(self, observation):\n"
        f"        {body}\n"
    )
    return f"{path}:Agent"


def rows(called: Any) -> list[dict[str, Any]]:
    parsed = json.loads(called.out)
    assert parsed["suite"] == "week"
    result: list[dict[str, Any]] = parsed["rows"]
    return result


def test_floors_and_ceiling(call: Call, week_file: Path, tmp_path: Path) -> None:
    called = call("run", "week", "--scenario", week_file, "-o", tmp_path / "r", "--json")
    assert called.code == 0
    assert str(tmp_path / "r") in called.err
    by_agent = {row["agent"]: row for row in rows(called)}
    assert list(by_agent) == ["nop", "all", "random", "keyword", "oracle"]
    assert by_agent["oracle"]["set_f1"] == 1.0
    assert by_agent["oracle"]["privilege"]
    assert by_agent["oracle"]["counts"]["late"] == 0
    assert by_agent["nop"]["set_f1"] == 0.0
    assert by_agent["nop"]["precision"] is None
    assert all(
        row["planned"] == row["scored"] == 1 and row["failed"] == 0 for row in by_agent.values()
    )
    again = call("score", "run", tmp_path / "r", "--json")
    assert rows(again) == rows(called)
    table = call("score", "run", tmp_path / "r")
    assert "n/a" in table.out
    assert "100.0" in table.out


@pytest.mark.parametrize("kind", AGENTS)
def test_an_agent_that_fails_scores_nothing_and_says_so(
    call: Call, week_file: Path, tmp_path: Path, kind: str
) -> None:
    agent = agent_file(tmp_path, AGENTS[kind])
    called = call(
        "run", "week", "--scenario", week_file, "--agent", agent, "-o", tmp_path / "r", "--json"
    )
    assert called.code == 3
    (row,) = rows(called)
    assert (row["planned"], row["scored"], row["failed"]) == (1, 0, 1)
    assert row["set_f1"] == 0.0
    assert row["counts"]["set_tp"] == 0
    assert row["counts"]["set_fn"] > 0
    assert "failed" in called.err


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("def broken(:", "raises on import"),
        ("raise SystemExit(3)", "raises on import"),
        ("x = 1", "no class"),
        ("class Agent:\n    pass", "no class"),
    ],
)
def test_an_agent_file_that_is_none(
    call: Call, week_file: Path, tmp_path: Path, source: str, hint: str
) -> None:
    path = tmp_path / "agent.py"
    path.write_text(source)
    called = call(
        "run", "week", "--scenario", week_file, "--agent", f"{path}:Agent", "-o", tmp_path / "r"
    )
    assert called.code == 2
    assert hint in called.err
    assert called.err.count("\n") == 1
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("name", ["nobody", "gone.py:Agent", "agent.txt:Agent"])
def test_an_unknown_agent(call: Call, week_file: Path, tmp_path: Path, name: str) -> None:
    called = call("run", "week", "--scenario", week_file, "--agent", name, "-o", tmp_path / "r")
    assert called.code == 2
    assert called.err.count("\n") == 1
    assert not (tmp_path / "r").exists()


def _spoiled(week: bytes, how: str) -> bytes:
    data = json.loads(week)
    match how:
        case "truncated":
            return week[: len(week) // 2]
        case "unknown field":
            data["surprise"] = 1
        case "unknown field deep":
            data["days"][0]["steps"][0]["surprise"] = 1
        case "wrong time":
            data["days"][0]["steps"][0]["time"] = "25:00"
        case "wrong type":
            data["days"] = 7
        case "two task ids":
            data["days"][0]["tasks"][1]["id"] = data["days"][0]["tasks"][0]["id"]
        case "unknown step":
            data["days"][0]["tasks"][0]["encoding"] = "step:nowhere"
        case "nul bytes":
            return b"\0" * 1000
        case "long line":
            return b'{"format": "' + b"x" * 10_000_000
        case "deep":
            return b"[" * 1_000_000
        case "empty":
            return b""
        case "binary":
            return bytes(range(256)) * 10
    return json.dumps(data).encode()


SPOILED = [
    "truncated", "unknown field", "unknown field deep", "wrong time", "wrong type", "two task ids",
    "unknown step", "nul bytes", "long line", "deep", "empty", "binary",
]  # fmt: skip


@pytest.mark.parametrize("how", SPOILED)
def test_bad_scenarios_are_one_line_and_nothing_is_written(
    call: Call, week_file: Path, tmp_path: Path, how: str
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(_spoiled(week_file.read_bytes(), how))
    for verb in (("run", "week", "-o", tmp_path / "r", "--agent", "nop"), ("explain", "week")):
        called = call(*verb, "--scenario", bad)
        assert called.code == 2
        assert called.err.count("\n") == 1
        assert len(called.err) < 1000
        assert called.out == ""
    assert not (tmp_path / "r").exists()


def test_missing_and_odd_paths(call: Call, week_file: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path, Path("/dev/null")):
        called = call("check", "week", path)
        assert called.code == 2
        assert called.err.count("\n") == 1
    called = call("score", "run", tmp_path)
    assert called.code == 2


def trace_lines(run: Path) -> tuple[Path, list[bytes]]:
    (path,) = (run / "traces").glob("*.jsonl")
    return path, path.read_bytes().splitlines(keepends=True)


@pytest.fixture
def finished(call: Call, week_file: Path, tmp_path: Path) -> Path:
    run = tmp_path / "r"
    assert call("run", "week", "--scenario", week_file, "--agent", "oracle", "-o", run).code == 0
    return run


def test_a_missing_row_of_our_own_run_is_an_incomplete_run(call: Call, finished: Path) -> None:
    path, lines = trace_lines(finished)
    acts = [i for i, line in enumerate(lines) if b'"act"' in line]
    path.write_bytes(b"".join(line for i, line in enumerate(lines) if i != acts[3]))
    called = call("score", "run", finished, "--json")
    assert called.code == 3
    (row,) = rows(called)
    assert (row["planned"], row["scored"], row["failed"]) == (1, 0, 0)


def test_reversed_and_doubled_rows_are_refused(call: Call, finished: Path, week_file: Path) -> None:
    path, lines = trace_lines(finished)
    body, rest = lines[1:-1], lines[-1]
    for order in (body[::-1], [*body, body[-1]]):
        path.write_bytes(b"".join([lines[0], *order, rest]))
        called = call("score", "run", finished)
        assert called.code == 2
        assert "out of order" in called.err
        assert call("score", "week", "--scenario", week_file, "--log", path).code == 2


def test_a_log_of_another_week_is_refused(
    call: Call, finished: Path, week_file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.json"
    assert call("make", "week", "--seed", 8, "--days", 2, "-o", other).code == 0
    path, _ = trace_lines(finished)
    called = call("score", "week", "--scenario", other, "--log", path)
    assert called.code == 2
    assert called.err.count("\n") == 1
    foreign = tmp_path / "log.jsonl"
    foreign.write_text('{"day": "Monday", "step_id": "nowhere", "task_ids": []}\n')
    called = call("score", "week", "--scenario", week_file, "--log", foreign)
    assert called.code == 2
    assert "another week" in called.err


@pytest.mark.parametrize(
    "data", [b"", b"\0\0\n", b"{}\n", b'{"day": 1}\n', b"x" * 10_000_000, b"[1]\n"]
)
def test_a_log_that_is_none(call: Call, week_file: Path, tmp_path: Path, data: bytes) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(data)
    called = call("score", "week", "--scenario", week_file, "--log", log)
    assert called.code == 2
    assert called.err.count("\n") == 1
    assert len(called.err) < 1000


def test_score_week_prints_the_evaluators_keys(call: Call, finished: Path, week_file: Path) -> None:
    path, _ = trace_lines(finished)
    called = call("score", "week", "--scenario", week_file, "--log", path, "--json")
    assert called.code == 0
    parsed = json.loads(called.out)
    assert parsed["summary"]["set_fp"] == parsed["summary"]["set_fn"] == 0
    assert set(parsed["per_day"]["Monday"]) == {
        "metrics", "by_type", "by_regular", "by_monitoring", "by_monitoring_channel",
        "state_query_calls_by_channel", "steps",
    }  # fmt: skip
    assert parsed["rates"]["set_f1"] == 1.0


def test_a_swapped_trace_and_an_edited_unit_are_refused(
    call: Call, week_file: Path, tmp_path: Path
) -> None:
    run = tmp_path / "r"
    base = ("run", "week", "--scenario", week_file, "-o", run)
    assert call(*base, "--agent", "nop", "--agent", "all").code == 0
    nop, other = sorted((run / "traces").iterdir())
    content = nop.read_bytes()
    nop.write_bytes(other.read_bytes())
    assert call("score", "run", run).code == 2
    nop.write_bytes(content)
    assert call("score", "run", run).code == 0
    unit = next((run / "units").iterdir())
    unit.write_bytes(unit.read_bytes().replace(b"Monday", b"Moonday"))
    called = call("score", "run", run)
    assert called.code == 2
    assert "manifest" in called.err


def test_other_settings_are_refused_with_the_difference(
    call: Call, week_file: Path, tmp_path: Path
) -> None:
    run = tmp_path / "r"
    assert call("run", "week", "--scenario", week_file, "--agent", "nop", "-o", run).code == 0
    called = call(
        "run", "week", "--scenario", week_file, "--agent", "nop", "--repeats", 2, "-o", run
    )
    assert called.code == 2
    assert "1 there, 2 now" in called.err or "nothing there" in called.err
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    called = call("run", "week", "--scenario", week_file, "--agent", "nop", "-o", tmp_path / "full")
    assert called.code == 2
    assert [p.name for p in (tmp_path / "full").iterdir() if p.name != "lock"] == ["letter.txt"]


def test_two_runs_in_one_folder(call: Call, week_file: Path, tmp_path: Path) -> None:
    agent = agent_file(tmp_path, "import time; time.sleep(0.2); return Act('A')")
    run = tmp_path / "r"
    command = [sys.executable, "-m", "actmem", "run", "week", "--scenario", str(week_file),
               "--agent", agent, "-o", str(run)]  # fmt: skip
    first = subprocess.Popen(command, stderr=subprocess.PIPE)
    while not (run / "manifest.json").exists():
        time.sleep(0.02)
    called = call("run", "week", "--scenario", week_file, "--agent", agent, "-o", run)
    assert called.code == 2
    assert "another run" in called.err
    started = time.monotonic()
    first.send_signal(signal.SIGINT)
    message = first.communicate()[1].decode()
    assert first.returncode == 130
    assert time.monotonic() - started < 8
    assert "Traceback" not in message
    assert str(run) in message


def events_of(run: Path) -> list[Any]:
    (path,) = (run / "traces").glob("*.jsonl")
    trace = read_trace(path, WeekEvent)
    assert trace.footer is not None
    assert trace.footer.status == "complete"
    return list(trace.events)


def test_kill_at_any_moment_and_go_on(call: Call, week_file: Path, tmp_path: Path) -> None:
    agent = agent_file(
        tmp_path,
        "import time; time.sleep(0.01); return Act('B', tuple(i.handle for i in observation.menu[:2]))",
    )
    base = ["run", "week", "--scenario", str(week_file), "--agent", agent, "-o"]
    assert call(*base, tmp_path / "whole").code == 0
    run = tmp_path / "killed"
    for delay in (0.05, 0.1, 0.02):
        process = subprocess.Popen(
            [sys.executable, "-m", "actmem", *base, str(run)], stderr=subprocess.DEVNULL
        )
        while not list(run.glob("traces/*")) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(delay)
        process.kill()
        process.wait()
    assert call(*base, run).code == 0
    assert events_of(run) == events_of(tmp_path / "whole")


def test_a_failed_episode_is_played_anew_and_kept(
    call: Call, week_file: Path, tmp_path: Path
) -> None:
    flag = tmp_path / "broken"
    flag.touch()
    agent = agent_file(
        tmp_path, f"import os; assert not os.path.exists({str(flag)!r}); return Act('A')"
    )
    run = tmp_path / "r"
    assert call("run", "week", "--scenario", week_file, "--agent", agent, "-o", run).code == 3
    flag.unlink()
    assert call("run", "week", "--scenario", week_file, "--agent", agent, "-o", run).code == 0
    assert len(list((run / "traces").glob("*.attempt-1"))) == 1
    assert isinstance(events_of(run), list)


def test_a_full_disk_is_one_line_and_resumable(call: Call, week_file: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=240k", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("cannot mount a small tmpfs here")
    try:
        called = call(
            "run",
            "week",
            "--scenario",
            week_file,
            "--repeats",
            12,
            "--agent",
            "keyword",
            "-o",
            disk / "r",
        )
        assert called.code in (2, 3)
        assert "No space left" in called.err
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        called = call(
            "run",
            "week",
            "--scenario",
            week_file,
            "--repeats",
            12,
            "--agent",
            "keyword",
            "-o",
            disk / "r",
        )
        assert called.code == 0
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_workers_play_side_by_side(call: Call, week_file: Path, tmp_path: Path) -> None:
    base = ("run", "week", "--scenario", week_file, "--agent", "random", "--repeats", 6, "--json")
    one = call(*base, "-o", tmp_path / "one", "--workers", 1)
    four = call(*base, "-o", tmp_path / "four", "--workers", 4)
    assert rows(one) == rows(four)


def test_new_folders_have_names_of_their_own(
    call: Call, week_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(3):
        assert call("run", "week", "--scenario", week_file, "--agent", "nop").code == 0
    assert len(list((tmp_path / "runs").iterdir())) == 3


@pytest.mark.parametrize(
    "words",
    [["runn"], ["run", "week", "--weeks", "0"], ["run", "week", "--agnt", "nop"], ["score", "week"],
     ["make", "week", "--profile", "huge"], ["make", "week", "--channels", "fax"],
     ["run", "week", "--weeks", "99"], ["check", "week"]],
)  # fmt: skip
def test_wrong_usage_is_one_line(
    call: Call, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    called = call(*words)
    assert called.code == 2
    assert called.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_make_check_and_explain(call: Call, tmp_path: Path) -> None:
    called = call(
        "make", "week", "--seed", 3, "--weeks", 2, "--profile", "paper", "-o", tmp_path, "--stats"
    )
    assert called.code == 0
    rows = [line.replace("│", " ").split() for line in called.out.splitlines()]
    assert ["Days", "7", "7", "7"] in rows
    files = sorted(tmp_path.glob("*.json"))
    assert [f.name for f in files] == ["paper-3.json", "paper-4.json"]
    assert call("check", "week", *files).code == 0
    data = json.loads(files[0].read_bytes())
    data["days"][0]["steps"][1]["time"] = data["days"][0]["steps"][0]["time"]
    files[0].write_text(json.dumps(data))
    called = call("check", "week", *files)
    assert called.code == 1
    assert "monotonic" in called.out
    called = call("explain", "week", "--scenario", files[1], "--step", "d1_s2")
    assert called.code == 0
    assert "not due" in called.out
    assert call("explain", "week", "--scenario", files[1], "--step", "d9_s1").code == 2
    released = call(
        "make", "week", "--profile", "paper", "--format", "pmbench", "-o", tmp_path / "pm.json"
    )
    assert released.code == 0
    assert call("check", "week", tmp_path / "pm.json").code == 0
    assert (
        call(
            "make", "week", "--profile", "full", "--format", "pmbench", "-o", tmp_path / "no.json"
        ).code
        == 2
    )
    assert not (tmp_path / "no.json").exists()


def test_list_agents(call: Call) -> None:
    called = call("list", "agents")
    assert called.code == 0
    assert "oracle" in called.out
    assert "privileged" in called.out


def test_a_footer_of_a_failed_episode_names_the_cause(
    call: Call, week_file: Path, tmp_path: Path
) -> None:
    agent = agent_file(tmp_path, AGENTS["raises"])
    call("run", "week", "--scenario", week_file, "--agent", agent, "-o", tmp_path / "r")
    (path,) = (tmp_path / "r" / "traces").glob("*.jsonl")
    footer = read_trace(path, WeekEvent).footer
    assert isinstance(footer, Footer)
    assert footer.error == "RuntimeError: out of ideas"
