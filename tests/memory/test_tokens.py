from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actmem.memory.packing import fit, fit_end, spent
from actmem.memory.protocol import Passage
from actmem.memory.tokens import count_tokens, cut_end, cut_start


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0), ("  \n", 0), ("harbour", 2), ("a b", 2), ("12345", 2), ("x_1", 3), ("Ölung!", 2),
        ("東京", 2), ('{"a": 1}', 7),
    ],
)  # fmt: skip
def test_tokens_by_the_rule(text: str, number: int) -> None:
    assert count_tokens(text) == number


@given(st.text(), st.integers(0, 12))
def test_cuts_keep_the_budget_and_are_parts_of_the_text(text: str, budget: int) -> None:
    head, tail = cut_end(text, budget), cut_start(text, budget)
    assert text.startswith(head)
    assert text.endswith(tail)
    assert count_tokens(head) == min(budget, count_tokens(text))
    assert count_tokens(tail) <= budget
    if count_tokens(text) <= budget:
        assert (head, tail) == (text, text)


@given(st.lists(st.text(min_size=1)), st.integers(0, 30))
def test_packing_keeps_the_budget_and_the_order(texts: list[str], budget: int) -> None:
    passages = [Passage(text, (number,)) for number, text in enumerate(texts)]
    for kept in (fit(passages, budget), fit_end(passages, budget)):
        assert spent(kept) <= budget
        numbers = [one.turns[0] for one in kept]
        assert numbers == sorted(numbers)


def test_the_last_passage_is_cut() -> None:
    passages = [Passage("one two"), Passage("three four"), Passage("five")]
    assert [one.text for one in fit(passages, 3)] == ["one two", "three"]
    assert [one.text for one in fit_end(passages, 2)] == ["four", "five"]
