"""How a run tells how it goes on, in a terminal and elsewhere."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from actmem.models.chat import Usage
from actmem.report import progress as module
from actmem.report.progress import Board, progress
from actmem.run.plan import Episode
from actmem.trace import Footer

DONE = Footer(status="complete", seconds=2.0)
CALL = Usage(calls=1, prompt_tokens=4000, completion_tokens=600)


def episode(name: str, agent: str = "keyword") -> Episode:
    return Episode(id=name, unit="week", agent=agent, seed=0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_elsewhere_each_ended_episode_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    episodes = [episode("a"), episode("b"), episode("c", "nop"), episode("d")]
    sets = {"b": (1, 1, 1), "c": (0, 0, 5), "d": (4, 0, 0)}
    with progress(episodes, {"week": 10}) as board:
        ended = {"d"}
        board.take_up(lambda one: sets[one.id] if one.id in ended else None)
        ended |= {"b", "c"}
        for _ in range(3):
            board.step()
        board.call(CALL)
        board.ended(episodes[0], Footer(status="failed", error="no route to host"))
        board.ended(episodes[1], DONE)
        board.ended(episodes[2], DONE)
    assert capsys.readouterr().err.splitlines() == [
        "failed: a: no route to host",
        "ended: b, Set-F1 50.0, 2.0 s; 3 of 4 episodes, 1 failed, 5k tokens, Set-F1 83.3 so far",
        "ended: c, Set-F1 0.0, 2.0 s; 4 of 4 episodes, 1 failed, 5k tokens, Set-F1 0.0 so far",
    ]


def test_a_slow_run_says_now_and_then_that_it_lives(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUIET", 0.2)
    with progress([episode("a")], {"week": 10}) as board:
        board.step()
        board.call(CALL)
        time.sleep(1.1)
    lines = capsys.readouterr().err.splitlines()
    assert 1 <= len(lines) <= 5  # one each 0.2 s at most
    assert set(lines) == {"at work: 1 of 10 steps; 0 of 1 episodes, 5k tokens"}
    time.sleep(0.5)
    assert capsys.readouterr().err == ""  # the run is over


def test_a_line_puts_off_the_next_sign_of_life(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    board = Board([episode("a")], {"week": 10})
    clock[0] = 50
    assert board.lives() == 10
    board.say("ended: something")
    clock[0] = 100
    assert board.lives() == 10
    clock[0] = 111
    assert board.lives() == module.QUIET
    assert capsys.readouterr().err.count("at work") == 1


def test_in_a_terminal_it_is_a_bar_and_failures_are_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "120")
    episodes = [episode("a"), episode("b")]
    with progress(episodes, {"week": 10}) as board:
        ended: list[str] = []
        board.take_up(lambda one: (3, 1, 1) if one.id in ended else None)
        ended.append("a")
        for _ in range(10):
            board.step()
        board.call(CALL)
        board.call(Usage(calls=1, cost=0.5))
        board.ended(episodes[0], DONE)
        board.ended(episodes[1], Footer(status="failed", error="no route to host"))
    shown = terminal.getvalue()
    assert "2 of 2 episodes, 1 failed, 5k tokens, Set-F1 75.0 so far" in shown
    assert "10/20" in shown
    assert "failed: b: no route to host" in shown
    assert "ended:" not in shown


def test_counts_of_many_threads_are_whole() -> None:
    board = Board([episode("a")], {"week": 8000})

    def work() -> None:
        for _ in range(500):
            board.step()
            board.call(CALL)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert board._played == 4000
    assert board._usage.calls == 4000


def test_a_run_says_how_each_episode_ended_and_what_had_ended_before(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from actmem.cli import run_cli

    args = ["run", "week", "--days", "1", "--weeks", "2", "--agent", "nop", "--agent", "oracle",
            "-o", str(tmp_path / "r"), "--json"]  # fmt: skip
    assert run_cli(args) == 0
    out, err = capfd.readouterr()
    assert err.count("ended: ") == 4
    assert err.splitlines()[-1].endswith("4 of 4 episodes, Set-F1 100.0 so far")
    next((tmp_path / "r" / "traces").glob("*oracle*")).unlink()
    assert run_cli(args) == 0
    again, err = capfd.readouterr()
    assert err.count("ended: ") == 1
    assert err.splitlines()[-1].endswith("4 of 4 episodes, Set-F1 100.0 so far")
    assert json.loads(again)["rows"] == json.loads(out)["rows"]


def test_it_draws_nothing_where_nobody_looks() -> None:
    code = (
        "import sys\nfrom actmem.report.progress import progress\n"
        "with progress([], {}): print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
