"""Agents of users by name: a class in a file, or a program that is ended with its episode."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from actmem.errors import InputError
from actmem.process import ProcessError
from actmem.run.agents import ProgramAgent, close_agent, find_user_agent


class Echo(ProgramAgent):
    def decide(self, observation: str) -> bytes:
        return self._process.ask(observation)


def test_a_class_and_a_program_have_the_episodes_seed(tmp_path: Path) -> None:
    (tmp_path / "drawn.py").write_text(
        "class Drawn:\n    def __init__(self, seed):\n        self.seed = seed\n"
        "    def decide(self, observation):\n        return self.seed\n"
    )
    (tmp_path / "program.py").write_text(
        "import os, sys\nfor _ in sys.stdin:\n    print(os.environ['ACTMEM_SEED'], flush=True)\n"
    )
    of_class = find_user_agent(f"{tmp_path / 'drawn.py'}:Drawn", (), Echo, 20)
    program = find_user_agent(f"cmd:{sys.executable} {tmp_path / 'program.py'}", (), Echo, 20)
    assert (of_class.privilege, program.privilege) == ("", "")
    assert of_class.make(7, None).decide("?") == 7  # type: ignore[comparison-overlap]
    agent = program.make(7, None)
    assert agent.decide("?") == b"7"
    close_agent(agent)
    with pytest.raises(ProcessError, match="has ended"):
        agent.decide("?")
    close_agent(object())  # what is no program holds nothing


def test_a_name_that_means_nothing_is_refused_before_the_run() -> None:
    with pytest.raises(InputError, match="'no-such-program-here' is no program"):
        find_user_agent("cmd:no-such-program-here", (), Echo, 1)
    with pytest.raises(InputError, match="no agent 'nob': there are nop, all, or give"):
        find_user_agent("nob", ["nop", "all"], Echo, 1)
