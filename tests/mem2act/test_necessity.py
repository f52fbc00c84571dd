from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actmem.mem2act.data import load
from actmem.mem2act.defects import counts, defects
from actmem.mem2act.necessity import given, needless

Row = Callable[..., dict[str, Any]]
Build = Callable[..., Path]


def planted(task_row: Row, query: str, value: Any, parameter: dict[str, Any]) -> dict[str, Any]:
    """Return a task whose one gold value is ``value``, for a parameter declared like this."""
    return task_row(
        query=query,
        tool_call={
            "name": "book_table",
            "arguments": {"what": value},
            "grounding_info": {"what": {"type": "explicit", "source_text": "a table for 4"}},
        },
        target_tool_schema={
            "name": "book_table",
            "description": "Book a table, best at Harbour View.",
            "parameters": {"type": "dict", "properties": {"what": parameter}},
        },
    )


TEXT, NUMBER = {"type": "string"}, {"type": "int"}


@pytest.mark.parametrize(
    ("query", "value", "parameter", "where"),
    [
        ("A table at the Lighthouse Grill, please.", "Lighthouse Grill", TEXT, "request"),
        ("The grill by the lighthouse, please.", "Lighthouse Grill", TEXT, "request"),
        ("For four of us.", 4, NUMBER, "request"),
        ("For 4.0 people.", 4, NUMBER, "request"),
        ("At half past six, as ever.", "18:30", TEXT, "request"),
        ("On 3 May.", "2026-05-03", TEXT, "request"),
        ("As ever.", 4, NUMBER | {"default": 4}, "default"),
        ("As ever.", False, {"type": "boolean", "default": False}, "default"),
        ("As ever.", ["a", "b"], {"type": "array", "default": ["a", "b"]}, "default"),
        ("As ever.", "inside", TEXT | {"enum": ["inside"]}, "only option"),
        ("As ever.", "Harbour View", TEXT, "description"),
        ("As ever.", "Sea Hut", TEXT | {"description": "Say 'Sea Hut'."}, "description"),
        ("As ever.", "Sea Hut", TEXT, None),
        ("As ever.", True, {"type": "boolean"}, None),
        ("For four.", 40, NUMBER, None),
        ("As ever.", "Harbour View", TEXT | {"enum": ["Harbour View", "Sea Hut"]}, None),
    ],
)
def test_planted_tasks_are_found(
    build: Build, task_row: Row, query: str, value: Any, parameter: dict[str, Any], where: Any
) -> None:
    (task,) = load(build([planted(task_row, query, value, parameter)])).tasks
    assert all((found or "").endswith(where or "") for found in dict(given(task)).values())
    kinds = {kind for kind, _ in needless(task)}
    assert kinds == ({"given_value", "needs_no_memory"} if where else set())


def test_nested_values_are_looked_at_one_by_one(build: Build, task_row: Row) -> None:
    parameter = {"type": "dict", "properties": {"day": TEXT, "room": TEXT | {"enum": ["bar"]}}}
    row = planted(task_row, "On Friday.", {"day": "Friday", "room": "bar"}, parameter)
    (task,) = load(build([row])).tasks
    assert dict(given(task)) == {
        "what.day": "stands in the request", "what.room": "is the only option",
    }  # fmt: skip


def test_a_call_that_is_half_given_needs_memory(build: Build, task_row: Row) -> None:
    folder = build([task_row(query="Book a table for four.")])
    assert counts(defects(load(folder)))["needs_no_memory"] == 0
    strict = defects(load(folder), strict=True)
    assert [one.message for one in strict if one.kind == "given_value"] == [
        "people stands in the request"
    ]


def test_a_call_that_is_given_is_a_defect_at_any_time(build: Build, task_row: Row) -> None:
    folder = build([task_row(query="A table for four at the Lighthouse Grill.")])
    assert counts(defects(load(folder)))["needs_no_memory"] == 1
