"""A program that plays trials: what it is sent, what it may answer, and its end."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from actmem.errors import InputError
from actmem.run.execute import execute
from actmem.run.store import RunFolder
from actmem.trials.agents import find_agent
from actmem.trials.agents.agent import play
from actmem.trials.agents.process import ProcessAgent
from actmem.trials.results import Result
from actmem.trials.suite import TrialsSuite, make_manifest, unit_files
from actmem.trials.trial import Trial
from actmem.trials.world import Episode

HEAD = """
import json, os, sys
for line in sys.stdin:
    seen = json.loads(line)
"""
LOGS = """
    with open({log!r}, "a") as log:
        log.write(json.dumps([os.getpid(), os.environ["ACTMEM_SEED"], seen]) + "\\n")
    print(json.dumps({{"text": "wait()"}}), flush=True)
"""


def program(folder: Path, body: str) -> str:
    path = folder / "agent.py"
    path.write_text(HEAD + body)
    return f"cmd:{shlex.join([sys.executable, str(path)])}"


def run(path: Path, trials: list[Trial], agent: str) -> Result:
    folder = RunFolder.prepare(path, make_manifest(trials, [agent]), unit_files(trials))
    suite = TrialsSuite(folder, seconds=20)
    execute(folder, suite)
    (result,) = suite.results()
    return result


def test_a_program_gets_what_an_agent_gets_and_ends_with_its_episode(
    tmp_path: Path, small: list[Trial]
) -> None:
    log = tmp_path / "log"
    agent = program(tmp_path, LOGS.format(log=str(log)))
    result = run(tmp_path / "r", small, agent)
    assert result.complete, result.errors
    assert result.rates.malformed == 0
    told = [json.loads(line) for line in log.read_text().splitlines()]
    expected = []
    for trial in small:
        episode = Episode(trial)
        seen = episode.reset()
        while seen is not None:
            expected.append((seen.step, seen.text, seen.view.time))
            seen = episode.act("wait()")  # type: ignore[assignment]
    assert [(s["step"], s["text"], s["view"]["time"]) for _, _, s in told] == expected
    assert all(s.keys() == {"step", "text", "view"} for _, _, s in told)
    numbers = {number for number, _, _ in told}
    assert len(numbers) == len({seed for _, seed, _ in told}) == len(small)
    for number in numbers:
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("    print('\"wait()\"', flush=True)", "no reply: Expected `object`, got `str`"),
        ("    print('wait()', flush=True)", "no reply: JSON is malformed"),
        ("    print('{\"text\": 3}', flush=True)", "no reply: Expected `str`, got `int`"),
        ('    print(\'{"text": "wait()", "x": 1}\', flush=True)', "unknown field `x`"),
        ("    sys.exit('no more')", "ended with exit code 1 before it answered an observation: no"),
        (
            "    print(json.dumps({'text': 'I would rather not'}), flush=True)",
            "not one legal action in the whole episode; the last reply: I would rather not",
        ),
    ],
)
def test_any_other_line_fails_the_episode(
    tmp_path: Path, small: list[Trial], body: str, error: str
) -> None:
    result = run(tmp_path / "r", small[:1], program(tmp_path, body))
    assert (result.failed, result.rates.accuracy) == (1, 0.0)
    assert error in result.errors[0]


def test_an_answer_that_does_not_come_in_time(tmp_path: Path, small: list[Trial]) -> None:
    agent = find_agent(program(tmp_path, "    pass"), seconds=0.2).make(1, small[0])
    with pytest.raises(RuntimeError, match=r"no answer to an observation in 0\.2 s"):
        play(small[0], agent)
    assert isinstance(agent, ProcessAgent)
    agent.close()  # it is closed already


def test_a_program_that_there_is_not_is_refused_before_the_run() -> None:
    with pytest.raises(InputError, match="is no program"):
        find_agent("cmd:no-such-program-here")
