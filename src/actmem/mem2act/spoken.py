"""Numbers, times and dates as they are said: what a few English words may mean as a value.

A phrase may mean several things ("two" is 2, 02:00 and 14:00); ``meanings`` gives all of them. A date
without a year is written ``--MM-DD``.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_NUMBERS = {
    **{word: value for value, word in enumerate(_UNITS)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
    **{word: value for value, word in enumerate(_ORDINALS, start=1)},
    "thirtieth": 30,
    "both": 2,
}
_PAST = {"five": 5, "ten": 10, "quarter": 15, "twenty": 20, "half": 30}
_DAY = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)? ({'|'.join(_MONTHS)})(?: (\d{{4}}))?")
_CLOCK = re.compile(r"(?:(\w+) (past|to) )?(\w+)(?: o'clock)?")
_NO_YEAR = 4  # a leap year, so that 29 February is a date; days added may lead to its neighbours


def number(phrase: str) -> Decimal | None:
    """Return the number that a phrase says in digits or words (below 100); None for none."""
    text = phrase.strip().casefold()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return Decimal(text)
    tens, _, unit = text.replace("-", " ").partition(" ")
    if unit and tens in _TENS and 0 < _NUMBERS.get(unit, 0) < 10:
        return Decimal(_NUMBERS[tens] + _NUMBERS[unit])
    return Decimal(_NUMBERS[text]) if text in _NUMBERS else None


def plain(amount: Decimal) -> str:
    """Return a number as text, without zeros at its end: 7.50 as 7.5."""
    return f"{amount.normalize():f}"


def times(phrase: str) -> list[int]:
    """Return the times of the day, in minutes, that a phrase may say: "two" at night and by day."""
    text = phrase.strip().casefold()
    if digits := re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", text):
        return [60 * int(digits[1]) + int(digits[2])]
    said = _CLOCK.fullmatch(text)
    if said is None or said[3] not in _UNITS[1:13] or (said[1] and said[1] not in _PAST):
        return []
    minutes = _PAST[said[1]] if said[1] else 0
    first = (60 * _NUMBERS[said[3]] + (minutes if said[2] == "past" else -minutes)) % 720
    return [first, first + 720]


def clock(minutes: int) -> str:
    """Return a time of the day, in minutes, as HH:MM."""
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def day(phrase: str) -> date | None:
    """Return the date that a phrase says; None for none. ``written`` knows whether it has a year."""
    text = phrase.strip().casefold()
    try:
        if said := _DAY.fullmatch(text):
            return date(int(said[3] or _NO_YEAR), _MONTHS.index(said[2]) + 1, int(said[1]))
        return date.fromisoformat(text)
    except ValueError:
        return None


def written(moment: date) -> str:
    """Return a date as YYYY-MM-DD, or as --MM-DD where no year was said."""
    return moment.isoformat() if moment.year > 2 * _NO_YEAR else moment.strftime("--%m-%d")


def meanings(phrase: str) -> set[str]:
    """Return all that a phrase may mean, as text: a number, times as HH:MM, a date."""
    found = {clock(minutes) for minutes in times(phrase)}
    if (amount := number(phrase)) is not None:
        found.add(plain(amount))
    if (moment := day(phrase)) is not None:
        found.add(written(moment))
    return found


def is_meant(value: object, found: set[str]) -> bool:
    """Return whether a scalar is among ``meanings``; a date without a year fits any year."""
    if isinstance(value, bool):
        return False
    text = str(value)
    if isinstance(value, int | float):
        return plain(Decimal(text)) in found
    dated = re.fullmatch(r"\d{4}(-\d\d-\d\d)", text)
    return text in found or (dated is not None and f"-{dated[1]}" in found)
