"""Calling the command line in this process, and weeks to call it with."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Protocol

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
