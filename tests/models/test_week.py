"""An endpoint's faults, seen from a run of the week: nothing scored, one clear line, no key."""

from __future__ import annotations

import json
import socket
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from actmem.cli import run_cli
from actmem.models.openai import Limits, OpenAIChat
from actmem.week.mock import PATH

from .conftest import Answer, Endpoint, completion, need, refusal

KEY = "sk-test-1234567890abcdef"
FAST = Limits(retries=2, attempt_seconds=0.3, total_seconds=3, backoff_seconds=0.01)
NOTHING = {"action": "choose", "choice": "A", "task_ids": [], "channel": "NONE"}

FAULTS: dict[str, tuple[Answer, str]] = {
    "503": (refusal(503, "overloaded"), "overloaded"),
    "rubbish": (Answer(b"\x00\xffrubbish"), "no chat completion"),
    "empty body": (Answer(b""), "no chat completion"),
    "a page of HTML": (Answer(b"<html>Bad gateway</html>"), "no chat completion"),
    "half an answer": (Answer(completion("x" * 500).body, cut=True), "no connection"),
    "timeout": (Answer(b"late", delay=0.6), "no answer within"),
    "1 MB": (completion("x" * 1_000_000), "larger than"),
    "wrong key": (refusal(401, f"Incorrect API key provided: {KEY}"), "key is not accepted"),
    "empty reply": (completion(""), "not one valid act"),
    "half JSON": (completion('{"action": "choose", "cho'), "not one valid act"),
    "prose with the key": (completion(f"Your key is {KEY}"), "not one valid act"),
}


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    need(find_spec("openai") is not None, "needs the extra 'openai'")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("actmem.models.openai.OpenAIChat", partial(OpenAIChat, limits=FAST))


def run(url: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> tuple[int, Any, str]:
    capfd.readouterr()
    code = run_cli(
        ["run", "week", "--model", "openai/m", "--base-url", url, "--scenario", str(PATH),
         "--setups", "single", "-o", str(folder), "--json"]
    )  # fmt: skip
    out, err = capfd.readouterr()
    assert "Traceback" not in err
    assert KEY not in out + err
    for path in folder.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()
    (row,) = json.loads(out)["rows"]
    return code, row, err


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_scores_nothing_and_says_why(
    endpoint: Endpoint, tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    answer, cause = FAULTS[name]
    endpoint.answers = [answer]
    code, row, err = run(endpoint.url, tmp_path / "r", capfd)
    assert code == 3
    assert (row["set_f1"], row["scored"], row["failed"]) == (0.0, 0, 1)
    (line,) = [line for line in err.splitlines() if line.startswith("incomplete:")]
    assert cause in line


def test_nobody_there(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    code, row, err = run(f"http://127.0.0.1:{port}/v1", tmp_path / "r", capfd)
    assert (code, row["set_f1"], row["failed"]) == (3, 0.0, 1)
    assert "no connection" in err


def test_a_provider_that_recovers_is_played_anew(
    endpoint: Endpoint, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    endpoint.answers = [refusal(401, "no")]
    assert run(endpoint.url, tmp_path / "r", capfd)[0] == 3
    endpoint.answers = [completion(json.dumps(NOTHING))]
    code, row, _ = run(endpoint.url, tmp_path / "r", capfd)
    assert (code, row["scored"], row["invalid"]) == (0, 1, 0)
    assert len(list((tmp_path / "r" / "traces").glob("*.attempt-1"))) == 1
