"""Clock times: every form of every minute is read back, and nothing else is."""

from __future__ import annotations

import pytest

from actmem.week.content.times import FORMS, forms, read


def test_every_form_of_every_minute_is_read_back() -> None:
    for minute in range(7 * 60, 22 * 60 + 1):
        for text in forms(minute):
            assert read(f"Please be there at {text}, without fail.") == [minute], text


def test_there_are_eight_forms_and_no_two_minutes_share_one() -> None:
    assert len(FORMS) >= 8
    said = [text for minute in range(7 * 60, 22 * 60 + 1) for text in forms(minute)]
    assert len(said) == len(set(said))


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("from 17:10 to twenty to six in the afternoon", [1030, 1060]),
        ("Swap ten to twelve in the morning for twelve noon.", [710, 720]),
        ("There are twenty-one ducks and one of three hundred.", []),
        ("Room 1410, row 12, 4.50 a piece", []),
        ("25:10 and 10:75 are no times", []),
    ],
)
def test_times_are_found_in_sentences(text: str, minutes: list[int]) -> None:
    assert read(text) == minutes
