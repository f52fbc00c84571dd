"""``actmem check agent`` as a user types it."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]

PROGRAM = """
import json, random, sys
for line in sys.stdin:
    seen = json.loads(line)
    {line}
    print(json.dumps({"type": "act", "choice": random.choice("AB"), "handles": []}), flush=True)
"""


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    def write(line: str = "pass") -> str:
        path = tmp_path / "program.py"
        path.write_text(PROGRAM.replace("{line}", line))
        return "cmd:" + shlex.join([sys.executable, str(path)])

    return write


def verdicts(out: str) -> dict[str, str]:
    lines = [line for line in out.splitlines() if line.startswith("  ")]
    return {line[2:17].strip(): line[17:23].strip() for line in lines}


def test_a_line_a_rule_and_the_exit_code(call: Call, write_agent: Callable[..., str]) -> None:
    called = call("check", "agent", "random")
    assert called.code == 0
    assert called.out.splitlines()[0] == "random"
    assert set(verdicts(called.out).values()) == {"ok"}
    name = write_agent("print('thinking')\nreturn Act('A', ('task_999',))")
    called = call("check", "agent", name)
    assert called.code == 1
    assert verdicts(called.out)["legal"] == "FAIL"
    assert "'task_999' is not in the menu" in called.out
    assert "thinking" not in called.out


@pytest.mark.parametrize(
    ("line", "given", "broken"),
    [
        ("pass", (), set()),
        ("pass", ("--claim", "deterministic"), {"deterministic", "restores"}),
        ("sys.exit('offended') if seen['error'] else None", (), {"goes on"}),
        ("print('garbage', flush=True); continue", (), {"plays", "legal"}),
        ("if seen['day'] != 'Monday': sys.exit('gone')", (), {"plays", "goes on"}),
        ("import time; time.sleep(30)", ("--seconds", "0.3"), {"plays", "in time"}),
    ],
)
def test_a_program(
    call: Call, program: Callable[[str], str], line: str, given: tuple[str, ...], broken: set[str]
) -> None:
    called = call("check", "agent", program(line), *given)
    assert called.code == bool(broken)
    found = verdicts(called.out)
    assert {rule for rule, verdict in found.items() if verdict == "FAIL"} == broken


def test_models_in_setups(call: Call, tmp_path: Path) -> None:
    reply = {"action": "choose", "choice": "A", "task_ids": [], "channel": "NONE"}
    path = tmp_path / "script.json"
    path.write_text(json.dumps([{"reply": reply}]))
    called = call(
        "check", "agent", "--model", f"scripted:{path}", "--setups", "single,heartbeat-30"
    )
    assert called.code == 0
    assert called.out.count("restores       ok") == 2
    path.write_text(json.dumps([{"fail": "no route to host"}]))
    called = call("check", "agent", "--model", f"scripted:{path}")
    assert (called.code, "no route to host" in called.out) == (1, True)


@pytest.mark.parametrize("args", [(), ("nobody",), ("cmd:/no/such/thing",)])
def test_wrong_usage_is_one_line(call: Call, args: tuple[str, ...]) -> None:
    called = call("check", "agent", *args)
    assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
