"""Values that are refused before anything is played, and what is never printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from actmem.cli.conduct import resume_command

from .conftest import Call

KEY = "sk-0123456789abcdef"
SCRIPT = '{"reply": {"action": "choose", "choice": "A", "task_ids": [], "channel": "NONE"}}'


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.jsonl"
    path.write_text(SCRIPT)
    return f"scripted:{path}"


@pytest.mark.parametrize(
    "words",
    [
        ("--price", "1,1,1", "--max-cost", "nan"),
        ("--density", "nan"),
        ("--agent-seconds", "inf"),
        ("--setups", ""),
    ],
)
def test_what_cannot_be_meant_is_refused(
    call: Call, script: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    called = call("run", "week", "--days", 1, "--model", script, *words, "-o", tmp_path / "run")
    assert called.code == 2
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("line", ['"\\ud800"', '{"reply": "x", "seconds": -5}'])
def test_scripts_that_cannot_be_played(call: Call, tmp_path: Path, line: str) -> None:
    (tmp_path / "bad.jsonl").write_text(line)
    called = call("run", "week", "--days", 1, "--model", f"scripted:{tmp_path / 'bad.jsonl'}")
    assert (called.code, called.err.count("\n")) == (2, 1)


def test_no_key_of_the_environment_comes_out_of_an_agent(
    call: Call, tmp_path: Path, week_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("MY_TOKEN", "tok-tok-tok-tok")
    (tmp_path / "leaky.py").write_text(
        "import os\nfrom actmem.week.world import Act\n"
        "class Leaky:\n def decide(self, seen):\n"
        "  if seen.error is None: return Act('A', (os.environ['MY_TOKEN'],))\n"
        "  raise RuntimeError('\x1b[31m401 for ' + os.environ['OPENAI_API_KEY'])\n"
    )
    run = tmp_path / "run"
    called = call("run", "week", "--scenario", week_file, "--agent", f"{tmp_path}/leaky.py:Leaky",
                  "-o", run)  # fmt: skip
    assert called.code == 3
    assert "401 for [key]" in called.err
    written = b"".join(path.read_bytes() for path in run.rglob("*") if path.is_file())
    for secret in (KEY, "tok-tok-tok-tok"):
        assert secret not in called.err + called.out
        assert secret.encode() not in written
    assert "\x1b" not in called.err
    assert b"401 for [key]" in written


@pytest.mark.parametrize(
    "words",
    [
        ("week", "--weeks", 1, "--days", 1, "--agent"),
        ("trials", "--trial", "A/shopping/time/033", "--agent"),
        ("mem2act", "--data", "mini-10", "--memory"),
    ],
)
def test_a_key_in_a_command_is_refused(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    run = tmp_path / "run"
    called = call("run", *words, f"cmd:cat --key {KEY}", "-o", run)
    assert (called.code, run.exists()) == (2, False)
    assert "holds a key" in called.err
    assert KEY not in called.err


def test_the_command_that_resumes_shows_no_password(tmp_path: Path) -> None:
    words = ["run", "week", "--base-url", "http://me:pass@host/v1?api_key=abc"]
    shown = resume_command(words, tmp_path)
    assert "http://host/v1" in shown
    assert "pass" not in shown
    assert "abc" not in shown


def test_a_run_without_episodes_is_none(call: Call, tmp_path: Path, week_file: Path) -> None:
    run = tmp_path / "run"
    assert call("run", "week", "--scenario", week_file, "--agent", "nop", "-o", run).code == 0
    manifest = json.loads((run / "manifest.json").read_bytes())
    (run / "manifest.json").write_text(json.dumps(manifest | {"episodes": []}))
    called = call("score", "run", run)
    assert (called.code, "plans no episode" in called.err) == (2, True)
