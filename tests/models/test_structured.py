from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actmem.errors import InputError
from actmem.models.structured import KEYWORDS, ReplyError, Schema, answer, check, fit, unbounded

ACT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "choice": {"enum": ["A", "B", "C"]},
        "task_ids": {"type": "array", "items": {"type": "string", "maxLength": 8}, "maxItems": 2},
        "minutes": {"type": "integer", "minimum": 30, "maximum": 60},
        "note": {"anyOf": [{"type": "null"}, {"type": "string", "maxLength": 5}]},
    },
    "required": ["choice", "task_ids"],
    "additionalProperties": False,
}
SCHEMA = Schema("act", ACT)
GOOD = {"choice": "A", "task_ids": ["task_1"]}
TEXT = json.dumps(GOOD)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"  {TEXT}\n",
        f"```json\n{TEXT}\n```",
        f"Sure! Here it is: {TEXT} I hope that helps {{really}}.",
        f"<think>Maybe {{\"choice\": \"B\", \"task_ids\": []}}?</think>{TEXT}",
        f"Maybe {{\"choice\": \"B\", \"task_ids\": []}}?</think>\n{TEXT}",
        f"{TEXT}\n{TEXT}",
        f'{{"thought": "x"}} {TEXT}',
        json.dumps({**GOOD, "minutes": 30, "note": None}, indent=2).replace("null", "null "),
    ],
)  # fmt: skip
def test_lenient_about_what_stands_around(text: str) -> None:
    got = SCHEMA.parse(text)
    assert (got["choice"], got["task_ids"]) == ("A", ["task_1"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("I choose A.", "no JSON object"),
        ('["A"]', "no JSON object"),
        ('{"choice": "A", "task_ids": [', "cut off"),
        ('{"choice": "A", "task_ids": {"choice": "A", "task_ids": []}', "cut off"),
        (f"<think>{TEXT}", "empty"),
        ('{"choice": "D", "task_ids": []}', r'\$\.choice: "D" is none of "A", "B", "C"'),
        ('{"choice": "A"}', "'task_ids' is missing"),
        ('{"choice": "A", "task_ids": "task_1"}', "not of type array"),
        ('{"choice": "A", "task_ids": ["a", "b", "c"]}', "3 items"),
        ('{"choice": "A", "task_ids": ["task_12345"]}', "10 characters"),
        ('{"choice": "A", "task_ids": [], "x": 1}', '"x" is not among'),
        ('{"choice": "A", "choice": "B", "task_ids": []}', "a key twice"),
        ('{"choice": "A", "task_ids": [], "minutes": 30.5}', "not of type integer"),
        ('{"choice": "A", "task_ids": [], "minutes": true}', "not of type integer"),
        ('{"choice": "A", "task_ids": [], "minutes": 61}', "61 is not in 30 to 60"),
        ('{"choice": "A", "task_ids": [], "minutes": NaN}', "NaN"),
        ('{"choice": "A", "task_ids": [], "minutes": ' + "9" * 5000 + "}", "too long"),
        ('{"choice": "A", "task_ids": ["\\ud800"]}', "valid Unicode"),
        (f'{TEXT} {{"choice": "B", "task_ids": []}}', "2 different"),
        ('{"choice":' + "[" * 50_000, "nested too deeply"),
        ("x" * 300_000, "300000 characters"),
    ],
)
def test_strict_about_the_object(text: str, problem: str) -> None:
    with pytest.raises(ReplyError, match=problem):
        SCHEMA.parse(text)


@pytest.mark.parametrize(
    "text", ['{"a":' * 30_000, "{" * 190_000, '{"' * 90_000, "<think>" * 20_000]
)
def test_hostile_text_takes_no_long_time(text: str) -> None:
    started = time.perf_counter()
    with pytest.raises(ReplyError):
        SCHEMA.parse(text)
    assert time.perf_counter() - started < 10


@given(st.text(alphabet='{}[]":,ab1<think>/ \\\n', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    value, problem = fit(text, SCHEMA)
    assert (value is None) == bool(problem)
    assert problem or check(value, ACT) == ""


def test_answer_leaves_text_without_thinking_alone() -> None:
    assert answer("a <b> c") == "a <b> c"


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ({"type": "string"}, "string without maxLength"),
        ({"type": "string", "maxLength": True}, "without maxLength"),
        ({"type": "array", "items": {"enum": ["a"]}}, "array without maxItems"),
        ({"type": "array", "maxItems": 1}, r"\[\]: is no schema"),
        ({"type": "array", "maxItems": 1, "items": {"type": "string"}}, r"\.x\[\]: string without"),
        ({"type": "object"}, "without properties"),
        ({"type": "object", "properties": {}}, "additionalProperties must be false"),
        ({"type": "string", "maxLength": 3, "pattern": "a*"}, "string with pattern"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, "string without maxLength"),
        ({"enum": []}, "enum must be a list"),
        ({"enum": [[]]}, "other than scalars"),
        ({"type": ["string", "null"]}, "is none of"),
        ({}, "type None"),
        (True, "is no schema"),
    ],
)
def test_unbounded_schema_is_refused(part: Any, problem: str) -> None:
    definition = {
        "type": "object", "properties": {"x": part}, "additionalProperties": False,
    }  # fmt: skip
    assert unbounded(definition)
    with pytest.raises(InputError, match=problem):
        Schema("s", definition)


def test_requirement_that_is_no_property() -> None:
    with pytest.raises(InputError, match="requires 'y'"):
        Schema("s", {**ACT, "required": ["y"]})


def test_whole_must_be_an_object() -> None:
    with pytest.raises(InputError, match="must be of type object"):
        Schema("s", {"enum": ["a"]})


def test_bad_name() -> None:
    with pytest.raises(InputError, match="identifier"):
        Schema("a b", ACT)


def test_every_type_is_checked() -> None:
    values: list[Any] = [{}, [], "a", 1, 1.5, True, None]
    right = {"object": [0], "array": [1], "string": [2], "integer": [3], "number": [3, 4],
             "boolean": [5], "null": [6]}  # fmt: skip
    assert set(right) == set(KEYWORDS)
    for kind, fits in right.items():
        schema = {"type": kind, "properties": {}, "items": {}, "maxItems": 1, "maxLength": 1}
        assert [i for i, v in enumerate(values) if not check(v, schema)] == fits
