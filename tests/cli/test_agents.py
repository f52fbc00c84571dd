"""Agents from files that misbehave: a failed episode, never a crash, and never a better score."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
WriteAgent = Callable[..., str]


def play(call: Call, week: Path, run: Path, *agents: str, **options: object) -> tuple[int, Any]:
    words = [word for agent in agents for word in ("--agent", agent)]
    more = [word for name, value in options.items() for word in (f"--{name}", value)]
    called = call("run", "week", "--scenario", week, *words, *more, "-o", run, "--json")
    return called.code, json.loads(called.out)["rows"]


@pytest.mark.parametrize(
    ("init", "said"),
    [
        ("raise RuntimeError('not today')", "RuntimeError: not today"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("sys.exit()", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("self.missing", "AttributeError"),
        ("(lambda f: f(f))(lambda f: f(f))", "RecursionError"),
    ],
)
def test_that_cannot_be_made(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path, init: str, said: str
) -> None:
    agent = write_agent("return Act('A')", init=init)
    code, (row,) = play(call, week_file, tmp_path / "run", agent, repeats=2, workers=2)
    assert code == 3
    assert (row["planned"], row["scored"], row["failed"]) == (2, 0, 2)
    assert row["set_f1"] == 0
    assert said in row["errors"][0]


@pytest.mark.parametrize(
    "decide",
    [
        "sys.exit()",
        "sys.exit('text')",
        "raise KeyboardInterrupt",
        "raise GeneratorExit",
        "raise StopIteration",
        "raise MemoryError",
        "raise OSError(28, 'No space left on device')",
        "raise BrokenPipeError",
        "return self.decide(observation)",
        "raise type('Silent', (BaseException,), {'__str__': lambda s: 1 / 0})()",
        "raise ExceptionGroup('many', [ValueError(1)])",
        "raise ValueError('\\ud800')",
        "raise ValueError('x' * 10_000_000)",
    ],
)
def test_that_raises_half_way(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path, decide: str
) -> None:
    agent = write_agent(f"if observation.day == 'Monday': return Act('A')\n{decide}")
    run = tmp_path / "run"
    code, rows = play(call, week_file, run, agent, "nop")
    assert code == 3
    assert [(row["scored"], row["failed"]) for row in rows] == [(0, 1), (1, 0)]
    assert rows[0]["errors"]
    assert len(rows[0]["errors"][0]) < 300
    assert rows[0]["counts"] == rows[1]["counts"]  # unplayed steps are empty acts
    assert call("score", "run", run).code == 3


RUBBISH = {
    "nothing": "None",
    "a class": "Act",
    "a dict": "{'choice': 'A', 'handles': []}",
    "no choice": "Act(None)",
    "another choice": "Act('a')",
    "handles that are text": "Act('A', 'task_1')",
    "handles that are a set": "Act('A', {'task_1'})",
    "too many": "Act('A', tuple(i.handle for i in observation.menu) * 3)",
    "twice": "Act('A', (observation.menu[0].handle,) * 2)",
    "a generator": "(x for x in ())",
    "a channel that is none": "Query('telepathy')",
    "a channel that is no text": "Query(7)",
    "a heartbeat of text": "SetHeartbeat('30')",
    "a heartbeat of truth": "SetHeartbeat(True)",
    "a heartbeat too large": "SetHeartbeat(10 ** 30)",
    "no Unicode": "Query('\\ud800')",
    "ten megabytes": "Query('x' * 10_000_000)",
    "queries without end": "Query('clock')",
}


@pytest.mark.parametrize("kind", RUBBISH)
def test_that_returns_rubbish_all_week(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path, kind: str
) -> None:
    run = tmp_path / "run"
    code, (row,) = play(call, week_file, run, write_agent(f"return {RUBBISH[kind]}"))
    assert code == 3
    assert (row["scored"], row["failed"], row["counts"]["set_tp"]) == (0, 1, 0)
    assert row["invalid"] > 20  # every step of both days
    assert sum(path.stat().st_size for path in (run / "traces").iterdir()) < 200_000
    assert call("score", "run", run).code == 3


def test_that_returns_kinds_derived_from_text(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    """NumPy's strings are such; a trace holds them as plain text and takes them up again."""
    agent = write_agent(
        """
        if not observation.replies:
            return Query(Text("clock"))
        return Act(Text("A"), [Text(item.handle) for item in observation.menu[:1]])
        """,
        top="class Text(str):\n    def __str__(self):\n        return 'another'",
    )
    run = tmp_path / "run"
    code, rows = play(call, week_file, run, agent)
    assert code == 0
    (path,) = (run / "traces").iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert play(call, week_file, run, agent) == (0, rows)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_that_tampers_with_what_it_is_given_gains_nothing(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    agent = write_agent(
        """
        for change in (
            lambda: setattr(observation, "text", "mine"),
            lambda: object.__setattr__(observation, "menu", ()),
            lambda: observation.menu.append(1),
            lambda: setattr(observation.menu[0], "handle", "task_1"),
            lambda: observation.channels.clear(),
        ):
            try:
                change()
            except (AttributeError, TypeError):
                continue
            os._exit(99)  # the change was taken
        return Act("A")
        """
    )
    code, (row, nop) = play(call, week_file, tmp_path / "run", agent, "nop")
    assert code == 0
    assert row["counts"] == nop["counts"]


def test_that_goes_to_another_folder(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    agent = write_agent(f"os.chdir({str(tmp_path / 'elsewhere')!r})\nreturn Act('A')")
    code, (row,) = play(call, week_file, Path("run"), agent, repeats=2)
    assert code == 0
    assert row["scored"] == 2
    assert len(list((tmp_path / "run" / "traces").iterdir())) == 2
    assert not list((tmp_path / "elsewhere").iterdir())


def test_that_is_slow_keeps_no_other_waiting(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    agent = write_agent("time.sleep(0.01)\nreturn Act('A')")
    code, (row, nop) = play(call, week_file, tmp_path / "run", agent, "nop", workers=2)
    assert code == 0
    assert row["counts"] == nop["counts"]


def test_names_that_differ_in_signs_alone(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    write_agent("return Act('A')", name="a/b.py")
    write_agent("return Act('B')", name="a-b.py")
    names = ["a/b.py:Agent", "a-b.py:Agent", "./a-b.py:Agent", "a//b.py:Agent"]
    deep = "d" * 80
    for letter in "xy":  # the same in their first sixty signs
        names.append(write_agent("return Act('C')", name=f"{deep}/{letter}.py"))
    code, rows = play(call, week_file, tmp_path / "run", *names)
    assert code == 0
    assert [row["agent"] for row in rows] == names
    assert len(list((tmp_path / "run" / "traces").iterdir())) == len(names)


def test_that_has_gone_or_changed_since(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    agent = write_agent("return Act('A')")
    _, rows = play(call, week_file, run, agent)
    write_agent("return Act('B')")
    words = ("run", "week", "--scenario", week_file, "--agent", agent, "-o", run)
    called = call(*words)
    assert called.code == 2  # half of this code and half of that would be nobody's score
    assert "agent_file" in called.err
    Path(agent.rpartition(":")[0]).unlink()
    called = call("score", "run", run, "--json")
    assert called.code == 0
    assert json.loads(called.out)["rows"] == rows
    assert call(*words).code == 2


def test_a_file_is_loaded_once_a_run(
    call: Call, write_agent: WriteAgent, week_file: Path, tmp_path: Path
) -> None:
    """Loaded for the plan and for the play, whatever the number of episodes and workers."""
    log = tmp_path / "loaded"
    agent = write_agent(
        "return Act('A')",
        top=f"with open({str(log)!r}, 'a') as file:\n    file.write('x')\n    time.sleep(0.05)",
    )
    assert play(call, week_file, tmp_path / "run", agent, repeats=6, workers=4)[0] == 0
    assert len(log.read_text()) == 2
