"""What the command line writes where: pure JSON, whole tables, odd streams, contradictory words."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
WriteAgent = Callable[..., str]

NOISY = """
    print("noise from Python")
    os.write(1, b"noise from below\\n")
    os.system("echo noise from a child")
    return Act("A")
"""


def shell(script: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script in which ``actmem`` is the command line of this interpreter."""
    function = f'actmem() {{ "{sys.executable}" -m actmem "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-c", function + script], cwd=cwd, capture_output=True, check=False,
        encoding="utf-8", errors="backslashreplace", env=os.environ | env, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done


@pytest.mark.parametrize("fails", [False, True])
def test_json_is_all_that_stdout_holds(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path, fails: bool
) -> None:
    body = NOISY.replace("\n    ", "\n")
    agent = write_agent(
        ("if observation.day == 'Tuesday': raise ValueError('no\\nmore')\n" if fails else "")
        + body,
        init="print('noise at birth')",
        top="print('noise on import')",
    )
    called = call(
        "run", "week", "--scenario", week_file, "--agent", agent, "--workers", 3, "--repeats", 3,
        "-o", tmp_path / "run", "--json",
    )  # fmt: skip
    assert called.code == (3 if fails else 0)
    parsed = json.loads(called.out)
    assert parsed["rows"][0]["failed"] == (3 if fails else 0)
    for noise in ("on import", "at birth", "from Python", "from below", "from a child"):
        assert f"noise {noise}" in called.err
    scored = call("score", "run", tmp_path / "run", "--json")
    assert (scored.code, json.loads(scored.out)) == (called.code, parsed)
    table = call("score", "run", tmp_path / "run")
    assert "noise" not in table.out + table.err  # scoring runs no agent


def test_an_agent_that_closes_stdout(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    agent = write_agent("sys.stdout.close()\nreturn Act('A')")
    words = ("run", "week", "--scenario", week_file, "--agent", agent, "--json", "-o")
    called = call(*words, tmp_path / "run")
    assert called.code == 0
    assert json.loads(called.out)["rows"][0]["scored"] == 1


@pytest.mark.parametrize("words", ["list agents", "run week --agent nop --scenario week.json"])
def test_full_closed_and_unread_streams(week_file: Path, tmp_path: Path, words: str) -> None:
    (tmp_path / "week.json").write_bytes(week_file.read_bytes())
    done = shell(f"actmem {words} > /dev/full", tmp_path)
    assert done.returncode == 3
    last = done.stderr.splitlines()[-1]
    assert last == "actmem: stdout cannot be written: No space left on device"
    for closed in (">&-", "2>&-", "<&- >&- 2>&-"):
        done = shell(f"actmem {words} {closed}", tmp_path)
        assert done.returncode == 0, (closed, done.stderr)
    done = shell(f"actmem {words} | true; exit ${{PIPESTATUS[0]}}", tmp_path)
    assert done.returncode == 141  # the interpreter starts more slowly than `true` ends
    for trace in tmp_path.glob("runs/*/traces/*"):  # no stream's number was taken by a file of ours
        assert trace.read_bytes().startswith(b'{"event":"header"')
        assert trace.read_bytes().endswith(b"}\n")


def test_an_output_that_cannot_show_every_sign(week_file: Path, tmp_path: Path) -> None:
    (tmp_path / "week.json").write_bytes(week_file.read_bytes())
    odd = tmp_path / "\udcff.json"  # a file name that is no UTF-8
    try:
        odd.write_bytes(week_file.read_bytes().replace(b'"Monday"', b'"Mon\xc2\xadday"', 1))
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    for encoding in ("ascii", "latin-1"):
        for words in (
            "run week --scenario week.json --agent nop",
            "explain week --scenario week.json",
            "check week week.json $'\\xff.json'",
            "make week --days 1 -o $'new\\xff.json' --stats",
        ):
            done = shell(f"actmem {words}", tmp_path, PYTHONIOENCODING=encoding)
            assert "Traceback" not in done.stderr
            assert done.returncode == 0, (words, done.stderr)


def test_markup_and_length_of_an_agents_name(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    """Rich would read ``[/b]`` as a tag, and cut numbers to make room for a long name."""
    names = ["a[/b]/:smile:/[bold]/agent.py", "x" * 120 + "/agent.py"]
    agents = [write_agent("return Act('A')", name=name) for name in names]
    called = call(
        "run", "week", "--scenario", week_file, "-o", tmp_path / "run",
        *(word for agent in agents for word in ("--agent", agent)),
    )  # fmt: skip
    assert called.code == 0
    assert "…" not in called.out
    flat = "".join(re.split(r"\s{2,}", line.strip())[0] for line in called.out.splitlines()[3:])
    for agent in agents:
        assert agent in flat
    for name in ("per week", "hidden", "stale", "privilege", "0.0 ± n/a"):
        assert name in called.out


def test_undefined_rates_are_not_numbers(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    called = call("run", "week", "--scenario", week_file, "--agent", "nop", "-o", run)
    (row,) = [line.split() for line in called.out.splitlines() if line.startswith(" nop")]
    assert row == ["nop", "1/1", "0.0", "0.0", "±", "n/a", "n/a", *row[7:]]
    (trace,) = (run / "traces").iterdir()
    called = call("score", "week", "--scenario", week_file, "--log", trace)
    lines = dict(line.rsplit(maxsplit=1) for line in called.out.splitlines() if line[:1].isalpha())
    assert lines["precision"] == "n/a"
    assert lines["recall"] == "0.0"
    called = call("score", "week", "--scenario", week_file, "--log", trace, "--json")
    assert json.loads(called.out)["rates"]["precision"] is None


@pytest.mark.parametrize("words", [[], ["run"], ["score"], ["make"], ["check"], ["list"]])
def test_a_verb_without_more_says_what_there_is(call: Call, words: list[str]) -> None:
    called = call(*words)
    assert called.code == 2
    assert called.out == ""
    assert called.err.startswith("Usage: actmem")
    assert "Commands:" in called.err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["run", "week", "--scenario", "WEEK", "--weeks", "2"], "--weeks"),
        (["run", "week", "--scenario", "WEEK", "--days", "2"], "--days"),
        (["run", "week", "--scenario", "WEEK", "--profile", "paper"], "--profile"),
        (["run", "week", "--scenario", "WEEK", "--scenario", "WEEK"], "same name"),
        (["check", "bank", "--leaks", "--scenario", "WEEK", "--weeks", "2"], "--weeks"),
        (["explain", "week", "--scenario", "WEEK", "--step", "d1_s1", "--task", "x"], "--step"),
        (["make", "week", "--weeks", "2", "-o", "two.json"], "several weeks"),
        (["make", "week", "--density", "nan"], "density"),
        (["run", "week", "--workers", "0"], "--workers"),
        (["run", "week", "--seed", "one"], "--seed"),
        (["run", "week", "--agent", ""], "no agent"),
        (["run", "week", "--agent", ".py:"], "no such file"),
        (["explain", "week", "--scenario", "WEEK", "--task", "nothing"], "nothing"),
        (["list", "agents", "more"], "more"),
    ],
)
def test_words_that_contradict_are_refused(
    call: Call, week_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    words: list[str], hint: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    called = call(*(week_file if word == "WEEK" else word for word in words))
    assert called.code == 2
    assert called.out == ""
    assert called.err.count("\n") == 1
    assert hint in called.err
    assert not list(tmp_path.iterdir())


def test_an_error_of_any_length_is_a_short_line(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    agent = write_agent("return None", top="raise RuntimeError('very\\n' * 1_000_000)")
    words = ("run", "week", "--scenario", week_file, "--agent", agent, "-o", tmp_path / "run")
    called = call(*words)
    assert called.code == 2
    assert called.err.count("\n") == 1
    assert len(called.err) < 1100
    assert not (tmp_path / "run").exists()


def test_seeds_beyond_every_machine_word(call: Call, week_file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("run", "week", "--scenario", week_file, "--agent", "random", "--seed", 10**30, "-o")
    assert call(*words, run, "--json").code == 0
    again = call(*words, run, "--json")  # read back and compared
    assert again.code == 0
    assert call("score", "run", run, "--json").out == again.out


def test_a_narrow_terminal_cuts_no_number(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    agent = write_agent("return Act('A')", name="x" * 90 + "/agent.py")
    run = tmp_path / "run"
    assert call("run", "week", "--scenario", week_file, "--agent", agent, "-o", run).code == 0
    screen, stdout = os.openpty()
    termios.tcsetwinsize(stdout, (24, 50))
    env = os.environ | {"TERM": "xterm"}
    env.pop("COLUMNS", None)
    done = subprocess.run(
        [sys.executable, "-m", "actmem", "score", "run", str(run)],
        stdin=stdout, stdout=stdout, stderr=subprocess.PIPE, env=env, check=False,
    )  # fmt: skip
    os.close(stdout)
    shown = b""
    with contextlib.suppress(OSError):  # so a terminal ends whose other side has been closed
        while part := os.read(screen, 65536):
            shown += part
    os.close(screen)
    assert done.returncode == 0, done.stderr
    assert "…" not in shown.decode()
    for name in ("Set-F1", "per week", "hidden", "privilege", "0.0 ± n/a"):
        assert name in shown.decode()


def test_the_verb_list_hides_nothing_of_the_language(call: Call) -> None:
    """Loading ``actmem.cli.list`` sets that name in the package, over the built-in ``list``."""
    for words in (["list", "agents"], ["--help"], [], ["lst"]):
        called = call(*words)
        assert called.code == (2 if words in ([], ["lst"]) else 0)
