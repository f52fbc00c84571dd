from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actmem.mem2act.data import load
from actmem.mem2act.grounding import ungrounded, why_not
from actmem.mem2act.history import History

Row = Callable[..., dict[str, Any]]
Build = Callable[..., Path]

PROPERTIES = {
    "people": {"type": "int"},
    "time": {"type": "string"},
    "room": {"type": "string", "enum": ["bar", "terrace"]},
    "quiet": {"type": "boolean"},
    "days": {"type": "array", "items": {"type": "string", "enum": ["Friday", "Saturday"]}},
}
SCHEMA = {"name": "book_table", "parameters": {"type": "dict", "properties": PROPERTIES}}
OLD = {"source_id": "c1", "source_text": "a table for two at six, on the terrace"}
NOW = "make that four at seven, at the bar, no music, Fridays"


@pytest.fixture
def ask(build: Build, session_row: Row, task_row: Row) -> Callable[..., set[str]]:
    """Return a function that gives the defects' kinds of a task with one argument."""

    def run(name: str, value: Any, *inference: str, words: str = NOW, **fact: Any) -> set[str]:
        says = {"role": "user", "source_id": "c1"}
        turns = [says | {"content": f"I want {OLD['source_text']}."}, says | {"content": NOW}]
        session = session_row(turns=turns, turn_count=2, original_conversation_ids=["c1"])
        grounding = {"type": "inferred", "source_text": words, "inference": list(inference)}
        task = task_row(
            evolution_chain=[
                {"attribute": "Table", "source_id": "c1", "fact": "…", "source_text": NOW, **fact}
            ],
            tool_call={
                "name": "book_table",
                "arguments": {name: value},
                "grounding_info": {name: grounding},
            },
            target_tool_schema=SCHEMA,
        )
        data = load(build([task], [session]))
        return {kind for kind, _ in ungrounded(History(data), data.tasks[0])}

    return run


@pytest.mark.parametrize(
    ("name", "value", "inference"),
    [
        ("people", 4, ["reads: four"]),
        ("people", 5, ['computes: "four" + 1']),
        ("time", "19:00", ["reads: seven"]),
        ("room", "bar", []),
        ("quiet", True, ["means: no music = true"]),
        ("days", ["Friday"], ["means: Fridays = Friday"]),
    ],
)
def test_values_that_follow(
    ask: Callable[..., set[str]], name: str, value: Any, inference: list[str]
) -> None:
    assert ask(name, value, *inference) == set()


@pytest.mark.parametrize(
    ("name", "value", "inference", "words"),
    [
        ("people", 4, [], NOW),
        ("people", 5, ["reads: four"], NOW),
        ("people", 4, ["means: four = 4"], NOW),
        ("time", "20:00", ["reads: seven"], NOW),
        ("time", "19:00", ["means: seven = 19:00"], NOW),
        ("room", "terrace", [], NOW),
        ("room", "attic", ["means: at the bar = attic"], NOW),
        ("quiet", True, [], NOW),
        ("quiet", False, ["means: no music = true"], NOW),
        ("days", ["Friday", "Saturday"], ["means: Fridays = Friday"], NOW),
        ("people", 4, ["reads: four"], "four, which nobody said"),
        ("people", 4, ["reads: four"], f"{NOW}\n"),
        ("people", 9, ["guesses: 9"], NOW),
    ],
)
def test_values_that_do_not_follow(
    ask: Callable[..., set[str]], name: str, value: Any, inference: list[str], words: str
) -> None:
    assert ask(name, value, *inference, words=words) == {"ungrounded_value"}


def test_what_was_corrected_grounds_nothing(ask: Callable[..., set[str]]) -> None:
    before = f"I want {OLD['source_text']}."
    old = {"supersedes": [OLD]}
    assert ask("people", 4, "reads: four", **old) == set()
    assert ask("people", 2, "reads: two", words=before, **old) == {"stale_value"}
    # a change by a difference rests on both
    assert ask("people", 3, 'computes: "four" - 1', words=f"{before}\n{NOW}", **old) == set()


def test_a_correction_comes_later_and_changes_something(ask: Callable[..., set[str]]) -> None:
    same = {"supersedes": [{"source_id": "c1", "source_text": "at"}]}
    assert ask("room", "bar", **{"supersedes": [OLD]}) == set()
    assert ask("time", "19:00", "reads: seven", **same) == set()
    later = {"supersedes": [{"source_id": "c1", "source_text": "no music"}]}
    assert ask("people", 4, "reads: four", **later) == {"stale_value"}
    idle = {"supersedes": [{"source_id": "c1", "source_text": "a table for two at six"}]}
    assert ask("people", 2, "computes: 1 + 1", **idle) == {"stale_value"}


def test_a_value_is_told_why_it_does_not_follow(build: Build, task_row: Row) -> None:
    (task,) = load(build([task_row()])).tasks
    assert why_not(task, "people", "for 4") is None
    assert why_not(task, "people", "for 40") == (
        "people is 4, which does not follow from the words quoted"
    )
