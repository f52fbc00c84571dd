from __future__ import annotations

from typing import Any

import pytest

from actmem.mem2act.slots import value_class
from actmem.mem2act.values import Text, alike, findable, leaves, same, value_tokens


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (1, True), (0, False), (36, 36.0), ("36", 36), ("a", "A"), ([1, 2], [2, 1]),
        ({"a": 1}, {"a": True}), ({"a": 1}, {"a": 1, "b": 2}), ([1], [1, 1]), (None, False),
    ],
)  # fmt: skip
def test_values_of_other_type_or_order_are_not_the_same(one: Any, two: Any) -> None:
    assert not same(one, two)
    assert same(one, one)
    assert same(two, two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (36, 36.0), ("36", 36), ("1,000", 1000), ("Oslo", "oslo "), (True, "True"), (0, -0.0),
        ("red-green", "Red green"), (["A", 1], ["a", "1"]), ({"a": "B"}, {"a": "b"}),
        (1e20, 10**20), ("!", "!"), ("1e3", 1000), (".5", 0.5), ("2026-05-01", "2026 05 01"),
    ],
)  # fmt: skip
def test_spelling_is_forgiven(one: Any, two: Any) -> None:
    assert alike(one, two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("007", 7), ("06,12", "0612"), (1, True), ("Oslo", "Bergen"), (["a", "b"], ["b", "a"]),
        ({"a": 1}, {"b": 1}), ("", 0), ("!", "?"), (12345678901234567890, 12345678901234567891),
        ("1" * 41, "1" * 40 + "2"), ("-5°C", "5°C"), ("C++", "C#"), (".5", 5),
    ],
)  # fmt: skip
def test_other_values_are_not_alike(one: Any, two: Any) -> None:
    assert not alike(one, two)


def test_tokens_come_in_the_order_of_names() -> None:
    arguments = {"b": "Straße 5", "a": {"y": [True, None], "x": 1.5}}
    assert value_tokens(arguments) == "x 1 5 y true null strasse 5".split()


def test_a_value_is_found_in_one_piece_and_as_whole_words() -> None:
    text = Text("Send 36 roses to 12 Quay-Street, now.")
    assert text.holds("quay street")
    assert text.holds(36.0)
    assert not text.holds("roses 12")
    assert not text.holds("rose")
    assert not text.holds(3)
    grouped = Text("noted 5,000 euros and 12,500.0 crowns")
    assert grouped.holds(5000)
    assert grouped.holds(5000.0)
    assert grouped.holds(12500)


def test_what_cannot_be_looked_for() -> None:
    assert [findable(v) for v in (True, None, "", " ?", 0, "x")] == [False] * 4 + [True] * 2
    assert list(leaves({"a": [1, {"b": "x"}], "c": []})) == [1, "x"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "boolean"), (3.5, "number"), ("Oslo", "short string"), ("tt0468569", "identifier"),
        ("ada@example.org", "identifier"), ("user_name", "identifier"), ("a/b", "identifier"),
        ("2026-03-01", "short string"), ("one two three four five", "long string"),
        (["a"], "list"), ([["a"]], "nested"), ({}, "nested"), ("", "short string"),
    ],
)  # fmt: skip
def test_each_value_has_a_class(value: Any, expected: str) -> None:
    assert value_class(value) == expected
