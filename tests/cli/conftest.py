"""Calling the command line in this process or another, weeks and agents to call it with."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent, indent
from typing import Any, NamedTuple, Protocol

import pytest

from actmem.cli import run_cli
from actmem.week.make import Knobs, make_week
from actmem.week.scenario import dump


class Called(NamedTuple):
    code: int
    out: str
    err: str


class Call(Protocol):
    def __call__(self, *args: object) -> Called: ...


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    def run(*args: object) -> Called:
        capfd.readouterr()
        code = run_cli([str(arg) for arg in args])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Called(code, out, err)

    return run


@pytest.fixture(scope="session")
def week_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weeks") / "full-7.json"
    path.write_bytes(dump(make_week(7, Knobs(days=2))))
    return path


@pytest.fixture
def write_agent(tmp_path: Path) -> Callable[..., str]:
    """Write an agent's file and return its name; ``decide`` is the body of that method."""

    def write(decide: str, *, init: str = "pass", top: str = "", name: str = "agent.py") -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        body = [
            "import os, sys, time, threading",
            "from actmem.week.world import Act, Query, SetHeartbeat",
            dedent(top),
            "class Agent:",
            "    def __init__(self):",
            indent(dedent(init), " " * 8),
            "    def decide(self, observation):",
            indent(dedent(decide), " " * 8),
        ]
        path.write_text("\n".join(body) + "\n", "utf-8")
        return f"{path}:Agent"

    return write


@pytest.fixture
def spawn() -> Callable[..., subprocess.Popen[str]]:
    """Start the command line in a process of its own; whatever is not given is a pipe."""

    def start(*args: object, **options: Any) -> subprocess.Popen[str]:
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
        return subprocess.Popen([sys.executable, "-m", "actmem", *map(str, args)], **options)

    return start
