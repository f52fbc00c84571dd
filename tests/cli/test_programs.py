"""Agents that are programs: a fair player, and every way to be none."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
Program = Callable[..., str]

PLAYER = """
import json, os, random, sys
chance = random.Random(os.environ["ACTMEM_SEED"])
for line in sys.stdin:
    seen = json.loads(line)
    {line}
    if not seen["replies"]:
        answer = {"type": "query", "channel": "clock"}
    else:
        handles = [item["handle"] for item in seen["menu"] if chance.random() < 0.1]
        answer = {"type": "act", "choice": "A", "handles": handles[:8]}
    print(json.dumps(answer), flush=True)
"""
IN_PYTHON = """
import os, random
from actmem.week.world import Act, Query
class Player:
    def __init__(self, seed):
        self.chance = random.Random(str(seed))
    def decide(self, observation):
        if not observation.replies:
            return Query("clock")
        chosen = [i.handle for i in observation.menu if self.chance.random() < 0.1]
        return Act("A", tuple(chosen[:8]))
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Write a program and return the agent's name; ``line`` is done at each observation."""

    def write(line: str = "pass", name: str = "player.py") -> str:
        path = tmp_path / name
        path.write_text(PLAYER.replace("{line}", line))
        return "cmd:" + shlex.join([sys.executable, str(path)])

    return write


def play(call: Call, week: Path, run: Path, *agents: str, **options: object) -> tuple[int, Any]:
    words = [word for agent in agents for word in ("--agent", agent)]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    called = call("run", "week", "--scenario", week, *words, "-o", run, "--json")
    return called.code, json.loads(called.out)["rows"]


def test_that_plays_as_its_like_in_python_does(
    call: Call, program: Program, week_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "python.py").write_text(IN_PYTHON)
    agents = (program(), f"{tmp_path / 'python.py'}:Player")
    code, rows = play(call, week_file, tmp_path / "r", *agents, repeats=2, workers=2)
    assert code == 0
    assert rows[0]["counts"] == rows[1]["counts"]
    assert rows[0]["counts"]["chosen_tasks"] > 0
    assert rows[0]["privilege"] == ""
    traces = sorted((tmp_path / "r" / "traces").iterdir())
    one, two = ([p for p in traces if mark in p.name] for mark in ("python-py", "player-py"))
    for path, other in zip(one, two, strict=True):
        assert path.read_bytes().splitlines()[1:-1] == other.read_bytes().splitlines()[1:-1]
    assert call("score", "run", tmp_path / "r").code == 0


def test_that_is_shown_what_an_agent_in_python_is(
    call: Call, program: Program, week_file: Path, tmp_path: Path
) -> None:
    import msgspec

    from actmem.week.obligations import prepare
    from actmem.week.scenario import load
    from actmem.week.world import World

    log = tmp_path / "log"
    play(call, week_file, tmp_path / "r", program(f"open({str(log)!r}, 'a').write(line)"))
    first, second, *_ = log.read_bytes().splitlines()
    world = World(prepare(load(week_file)))
    assert first == msgspec.json.encode(world.reset())
    assert second == msgspec.json.encode(world.query("clock"))


@pytest.mark.parametrize("cut", [0.2, 0.8])
def test_that_goes_on_after_a_cut(
    call: Call, program: Program, week_file: Path, tmp_path: Path, cut: float
) -> None:
    agent, run = program(), tmp_path / "r"
    _, rows = play(call, week_file, run, agent)
    (path,) = (run / "traces").iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[: int(cut * len(whole))])
    assert play(call, week_file, run, agent) == (0, rows)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_that_does_not_repeat_itself_starts_anew(
    call: Call, program: Program, week_file: Path, tmp_path: Path
) -> None:
    agent, run = program("chance = random.SystemRandom()"), tmp_path / "r"
    play(call, week_file, run, agent)
    (path,) = (run / "traces").iterdir()
    path.write_bytes(path.read_bytes()[:-100])
    assert play(call, week_file, run, agent)[0] == 0
    assert len(list(path.parent.glob("*.attempt-1"))) == 1


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("sys.exit('the weights are missing')", "exit code 1 before it answered an observation: "
         "the weights are missing"),
        ("os._exit(0)", "exit code 0 before"),
        ("os.kill(os.getpid(), 11)", "ended by SIGSEGV"),
        ("import time; time.sleep(60)", "no answer to an observation in 0.4 s"),
        ("print('x' * 2_000_000)", "longer than 1048576 bytes"),
        ("os.write(1, b'\\n\\n')", "more than one line"),
    ],
)  # fmt: skip
def test_that_fails_half_way(
    call: Call, program: Program, week_file: Path, tmp_path: Path, line: str, cause: str
) -> None:
    agent = program(f"if seen['day'] != 'Monday': {line}")
    seconds = 0.4 if "sleep" in line else 60
    code, (row, nop) = play(call, week_file, tmp_path / "r", agent, "nop", agent_seconds=seconds)
    assert code == 3
    assert (row["scored"], row["failed"]) == (0, 1)
    assert cause in row["errors"][0]
    assert row["counts"]["set_tp"] <= nop["counts"]["set_fn"]


GARBAGE = {
    "no JSON": "hello",
    "an empty line": "",
    "another object": '{"type": "dance"}',
    "a misspelt field": '{"type": "act", "choice": "A", "task_ids": ["task_1"]}',
    "no choice": '{"type": "act"}',
    "a list": "[1, 2]",
    "no Unicode": "\\udcff",
    "deep": "[" * 5000,
    "an unknown handle": '{"type": "act", "choice": "A", "handles": ["task_999"]}',
    "a heartbeat of 45": '{"type": "set_heartbeat", "minutes": 45}',
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_that_sends_garbage_is_asked_again_and_then_passed(
    call: Call, program: Program, week_file: Path, tmp_path: Path, kind: str
) -> None:
    log = tmp_path / "log"
    line = (
        f"open({str(log)!r}, 'a').write((seen['error'] or '-') + '\\n')\n"
        f"    sys.stdout.buffer.write({GARBAGE[kind]!r}.encode('utf-8', 'surrogateescape') + b'\\n')"
        "\n    sys.stdout.flush(); continue"
    )
    code, (row,) = play(call, week_file, tmp_path / "r", program(line))
    assert code == 3
    (error,) = row["errors"]
    assert error.startswith("not one valid act in the whole week; refused last: ")
    told = log.read_text().splitlines()
    assert told[0] == "-"
    assert all(said.split(":")[0] in ("decision", "task_ids", "heartbeat_minutes")
               for said in told[1:4])  # fmt: skip
    assert told[4] == "-"  # the step was passed
    assert row["invalid"] == len(told) / 4


def test_that_is_none_or_has_changed(
    call: Call, program: Program, week_file: Path, tmp_path: Path
) -> None:
    words = ("run", "week", "--scenario", week_file, "-o", tmp_path / "r")
    called = call(*words, "--agent", "cmd:./no-such-program")
    assert (called.code, called.err.count("\n")) == (2, 1)
    assert "is no program" in called.err
    agent = program()
    assert call(*words, "--agent", agent).code == 0
    (episode,) = json.loads((tmp_path / "r" / "manifest.json").read_text())["episodes"]
    assert episode["agent"] == agent
    assert str(tmp_path / "player.py") in episode["settings"]["agent_files"]
    program("del seen['day']")
    called = call(*words, "--agent", agent)
    assert (called.code, "agent_files" in called.err) == (2, True)


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_that_leaves_when_the_run_is_ended(
    spawn: Callable[..., subprocess.Popen[str]], program: Program, week_file: Path, tmp_path: Path,
    sign: signal.Signals,
) -> None:  # fmt: skip
    log = tmp_path / "pids"
    hang = "import time; time.sleep(60); " if sign != signal.SIGKILL else ""
    agent = program(f"open({str(log)!r}, 'a').write(f'{{os.getpid()}}\\n'); {hang}")
    run = spawn("run", "week", "--scenario", week_file, "--agent", agent, "--repeats", 50,
                "--workers", 2, "-o", tmp_path / "r")  # fmt: skip
    while not log.exists() or len(set(log.read_text().split())) < 2:
        time.sleep(0.02)
        assert run.poll() is None
    run.send_signal(sign)
    assert run.wait(20) == (130 if sign != signal.SIGKILL else -signal.SIGKILL)
    run.communicate()
    pids = {int(pid) for pid in log.read_text().split()}
    for _ in range(500):
        if not any(alive(pid) for pid in pids):
            return
        time.sleep(0.02)
    pytest.fail("a program outlived its run")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
