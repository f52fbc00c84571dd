from __future__ import annotations

import pytest

from actmem.mem2act.spoken import is_meant, meanings


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("two", {"2", "02:00", "14:00"}),
        ("Half past six", {"06:30", "18:30"}),
        ("quarter to six", {"05:45", "17:45"}),
        ("ten to one", {"00:50", "12:50"}),
        ("one o'clock", {"01:00", "13:00"}),
        ("twelve", {"12", "00:00", "12:00"}),
        ("16:40", {"16:40"}),
        ("13 June", {"--06-13"}),
        ("3rd May 2026", {"2026-05-03"}),
        ("2026-05-03", {"2026-05-03"}),
        ("29 February", {"--02-29"}),
        ("fifteenth", {"15"}),
        ("twenty-one", {"21"}),
        ("thirty five", {"35"}),
        ("both", {"2"}),
        ("7.50", {"7.5"}),
        ("1200", {"1200"}),
        ("31 June", set()),
        ("27:10", set()),
        ("twenty-twenty", set()),
        ("blue past six", set()),
        ("", set()),
    ],
)
def test_what_words_may_mean(phrase: str, expected: set[str]) -> None:
    assert meanings(phrase) == expected


@pytest.mark.parametrize(
    ("value", "phrase", "expected"),
    [
        (2, "two", True),
        (2.0, "two", True),
        ("14:00", "two", True),
        ("2026-06-13", "13 June", True),
        ("2027-06-13", "13 June", True),
        ("2027-06-13", "13 June 2026", False),
        ("2026-06-14", "13 June", False),
        (True, "one", False),
        (7.5, "7.50", True),
    ],
)
def test_a_value_is_meant_by_its_words(value: object, phrase: str, expected: bool) -> None:
    assert is_meant(value, meanings(phrase)) is expected
