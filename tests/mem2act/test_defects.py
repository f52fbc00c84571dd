from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actmem.mem2act.data import load
from actmem.mem2act.defects import KINDS, counts, defects
from actmem.mem2act.stats import stats

Row = Callable[..., dict[str, Any]]
Build = Callable[..., Path]


def kinds(folder: Path) -> dict[str, int]:
    return {kind: n for kind, n in counts(defects(load(folder))).items() if n}


def test_sound_data_have_no_defects(build: Build) -> None:
    assert kinds(build()) == {}


def test_the_sample_has_the_defects_that_are_known(sample: Path) -> None:
    found = kinds(sample)
    assert found["unresolvable_task"] == 2
    assert found["unresolvable_source"] == 9
    assert found["unparsable_arguments"] == 1
    assert found["doubly_encoded"] == 1
    assert found["float_integer"] == 3
    assert found["dotted_grounding"] == 5
    assert found["invented_default"] == 4
    assert found["repeated_call_id"] == 33
    assert set(found) == {*KINDS} - {
        "type_drift", "tool_name", "grounding_mismatch", "grounding_type", "unknown_argument",
        "missing_argument", "other_tool", "stray_result", "absent_quote", "empty_conversation",
        "turn_count", "unsayable",
    }  # fmt: skip


def call(task_row: Row, arguments: dict[str, Any], grounding: dict[str, str]) -> dict[str, Any]:
    """Return a task with these gold arguments, grounded so."""
    info = {path: {"type": kind, "source_text": "x"} for path, kind in grounding.items()}
    return task_row(
        tool_call={"name": "book_table", "arguments": arguments, "grounding_info": info}
    )


PLACE = {"place": "Lighthouse Grill"}
BOTH = {"people": "explicit", "place": "explicit"}


@pytest.mark.parametrize(
    ("arguments", "grounding", "expected"),
    [
        ({"people": 5, **PLACE}, BOTH, {"value_nowhere": 1}),
        ({"people": "4", **PLACE}, BOTH, {"type_drift": 1}),
        ({"people": 4.0, **PLACE}, BOTH, {"type_drift": 1, "float_integer": 1}),
        ({"people": True, **PLACE}, BOTH, {"type_drift": 1}),
        (PLACE, {"place": "explicit"}, {"missing_argument": 1}),
        ({"people": 4, **PLACE, "wine": "bay"}, {**BOTH, "wine": "explicit"},
         {"unknown_argument": 1}),
        ({"people": 4, **PLACE}, {"people": "explicit"}, {"grounding_mismatch": 1}),
        ({"people": 4, **PLACE}, {**BOTH, "smoke": "explicit"}, {"grounding_mismatch": 1}),
        ({"people": 4, **PLACE}, {**BOTH, "people": "guessed"}, {"grounding_type": 1}),
        ({"people": 9, **PLACE}, {**BOTH, "people": "default"}, {"invented_default": 1}),
        ({"people": 4, **PLACE, "quiet": False}, {**BOTH, "quiet": "default"}, {}),
        ({"people": 4, **PLACE, "quiet": True}, {**BOTH, "quiet": "default"},
         {"invented_default": 1}),
    ],
)  # fmt: skip
def test_each_defect_of_a_task_is_found(
    build: Build, task_row: Row, arguments: dict[str, Any], grounding: dict[str, str],
    expected: dict[str, int],
) -> None:  # fmt: skip
    assert kinds(build([call(task_row, arguments, grounding)])) == expected


def test_names_that_are_none_are_passed_over(build: Build, task_row: Row) -> None:
    row = task_row()
    row["target_tool_schema"]["parameters"]["required"] = [["people"], 4, "people"]
    assert kinds(build([row])) == {}


def test_the_first_known_of_several_types_counts(build: Build, task_row: Row) -> None:
    row = call(task_row, {"people": "4", **PLACE}, BOTH)
    people = row["target_tool_schema"]["parameters"]["properties"]["people"]
    people["type"] = ["null", "integer"]
    assert kinds(build([row])) == {"type_drift": 1}


def test_nested_values_are_looked_at_by_their_paths(build: Build, task_row: Row) -> None:
    row = call(
        task_row,
        {"people": 4, **PLACE, "time": {"day": "tonight", "hour": 19.0}},
        {**BOTH, "time.day": "explicit", "time.hour": "default"},
    )
    row["target_tool_schema"]["parameters"]["properties"]["time"] = {
        "type": "dict",
        "properties": {"day": {"type": "string"}, "hour": {"type": "integer", "default": 19}},
    }
    assert kinds(build([row])) == {"type_drift": 1, "float_integer": 1, "dotted_grounding": 2}


def test_sources_names_and_quotes_are_checked(build: Build, task_row: Row) -> None:
    gone = task_row("a", source_conversation_ids=["c1", "gone"])
    lost = task_row("b", source_conversation_ids=["gone"], evolution_chain=[])
    named = task_row("c")
    named["tool_call"] = named["tool_call"] | {"name": 4}
    quoting = task_row("d")
    quoting["evolution_chain"][0]["source_text"] = "words that nobody said"
    assert kinds(build([gone, lost, named, quoting])) == {
        "unresolvable_task": 1, "unresolvable_source": 2, "tool_name": 1, "other_tool": 1,
        "absent_quote": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("{}", {}),
        ({"a": 1}, {}),
        ("not json", {"unparsable_arguments": 1}),
        ("[1]", {"unparsable_arguments": 1}),
        (json.dumps(json.dumps({"a": 1})), {"doubly_encoded": 1}),
        (json.dumps("a={}"), {"doubly_encoded": 1, "unparsable_arguments": 1}),
    ],
)
def test_arguments_in_sessions_are_read(
    build: Build, session_row: Row, arguments: Any, expected: dict[str, int]
) -> None:
    session = session_row()
    session["turns"][1]["tool_calls"][0]["function"]["arguments"] = arguments
    session["turns"][0]["content"] += " At Lighthouse Grill."
    assert kinds(build(sessions=[session])) == expected


def test_each_defect_of_a_session_is_found(build: Build, session_row: Row) -> None:
    session = session_row(turn_count=7, original_conversation_ids=["c1", "c2", "c3"])
    session["turns"][1]["tool_calls"] *= 2
    session["turns"][1]["tool_calls"][0] = {
        "id": "call_1", "function": {"name": 4, "arguments": "{}"},
    }  # fmt: skip
    session["turns"][2]["tool_call_id"] = "call_9"
    assert kinds(build(sessions=[session])) == {
        "repeated_call_id": 1, "tool_name": 1, "stray_result": 1, "empty_conversation": 1,
        "turn_count": 1,
    }  # fmt: skip


def test_statistics_of_a_small_data_set(build: Build, task_row: Row) -> None:
    conflict = {"level": "L4", "has_temporal_conflict": True}
    found = stats(load(build([task_row("a"), task_row("b", complexity_metadata=conflict)])))
    assert found["sessions"] == 1
    assert (found["turns"], found["messages"], found["calls"]) == (2, 5, 1)
    assert found["levels"] == {"L1": 1, "L4": 1}
    assert found["share_with_conflicts"] == 0.5
    assert found["slots_by_grounding"] == {"explicit": 2, "inferred": 2}
    assert found["values_in_chain"] == 0.5


@pytest.mark.parametrize(
    ("place", "part", "says"),
    [
        ("Lighthouse Grill", {"type": "string", "enum": ["Quay", "Mole"]}, 'is none of "Quay", "Mole"'),
        ("Lighthouse " * 40, {"type": "string"}, "$.arguments.place: "),
        (["Grill"] * 21, {"type": "array", "items": {"type": "string"}}, "$.arguments.place: "),
        ({"a": {"b": [1]}}, {"type": "dict"}, ""),
        ({"a": 1}, {"type": "dict", "properties": {"a": {"type": "integer"}}}, ""),
        ([{"a": {"b": 1}}], {"type": "array", "items": {"type": "dict"}}, ""),
    ],
)  # fmt: skip
def test_gold_that_no_reply_can_be_is_told(
    build: Build, task_row: Row, place: Any, part: dict[str, Any], says: str
) -> None:
    row = call(task_row, {"people": 4, "place": place}, BOTH)
    row["target_tool_schema"]["parameters"]["properties"]["place"] = part
    found = [one.message for one in defects(load(build([row]))) if one.kind == "unsayable"]
    assert len(found) == bool(says)
    assert all(says in message for message in found)
