"""Clock times in words: eight ways to say one, and the grammar that reads them all back.

Every form is unambiguous: it counts the hours to 24 or names the part of the day. The generator
speaks with ``forms``; the pattern agent listens with ``read``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = {20: "twenty", 30: "thirty", 40: "forty", 50: "fifty"}


def number_word(number: int) -> str:
    """Return a number from 0 to 59 in words."""
    if number < 20:
        return UNITS[number]
    tens, unit = divmod(number, 10)
    return TENS[10 * tens] + (f"-{UNITS[unit]}" if unit else "")


WORDS = {number_word(number): number for number in range(60)}


def _daypart(minute: int) -> str:
    hour = minute // 60
    return "in the morning" if hour < 12 else "in the afternoon" if hour < 18 else "in the evening"


def _hour(minute: int) -> str:
    """Return the hour on the twelve-hour dial in words."""
    return number_word((minute // 60 - 1) % 12 + 1)


def _digits(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02d}"


def _short(minute: int) -> str:
    return f"{(minute // 60 - 1) % 12 + 1}:{minute % 60:02d} {'am' if minute < 720 else 'pm'}"


def _dotted(minute: int) -> str:
    return f"{(minute // 60 - 1) % 12 + 1}.{minute % 60:02d} {_daypart(minute)}"


def _military(minute: int) -> str:
    return f"{minute // 60:02d}{minute % 60:02d} hours"


def _spelled(minute: int) -> str:
    hour, past = divmod(minute, 60)
    if past == 0:
        return f"{number_word(hour)} hundred hours"
    return f"{number_word(hour)} {'oh ' if past < 10 else ''}{number_word(past)}"


def _spoken(minute: int) -> str:
    past = minute % 60
    if past == 0:
        return f"{_hour(minute)} o'clock {_daypart(minute)}"
    before = past > 30
    named = {15: "a quarter", 30: "half"}
    amount = 60 - past if before else past
    phrase = named.get(amount) or number_word(amount)
    if amount % 5:
        phrase += " minute" if amount == 1 else " minutes"
    hour = minute + amount if before else minute
    return f"{phrase} {'to' if before else 'past'} {_hour(hour)} {_daypart(minute)}"


def _counted(minute: int) -> str:
    past = minute % 60
    if past == 0:
        return f"exactly {_hour(minute)} {_daypart(minute)}"
    if past <= 30:
        return f"{_plural(past)} after {_hour(minute)} {_daypart(minute)}"
    return f"{_plural(60 - past)} before {_hour(minute + 60)} {_daypart(minute)}"


def _plural(amount: int) -> str:
    return f"{number_word(amount)} minute{'' if amount == 1 else 's'}"


def _noon(minute: int) -> str:
    """Return a time by its distance from noon; for times within an hour of it."""
    if minute == 720:
        return "twelve noon"
    return f"{_plural(abs(minute - 720))} {'before' if minute < 720 else 'past'} noon"


FORMS: tuple[Callable[[int], str], ...] = (
    _digits, _short, _dotted, _military, _spelled, _spoken, _counted, _noon,
)  # fmt: skip


def fitting(minute: int) -> list[Callable[[int], str]]:
    """Return the forms in which ``minute`` (after midnight, 1:00 to 22:59) can be said."""
    unfit = set()
    if abs(minute - 720) >= 60:
        unfit.add(_noon)
    if minute < 13 * 60:
        unfit.add(_spelled)  # "eight fifteen" could mean either half of the day
    return [form for form in FORMS if form not in unfit]


def forms(minute: int) -> list[str]:
    """Return every way to say ``minute``."""
    return [form(minute) for form in fitting(minute)]


_HOURS = "(?:" + "|".join(number_word(hour) for hour in range(23, 12, -1)) + ")"
_PAST = "(?:" + "|".join(number_word(past) for past in range(59, 9, -1)) + ")"
_NUMBER = "(?:" + "|".join(sorted(WORDS, key=len, reverse=True)) + ")"
_PART = r"in the (?P<part{0}>morning|afternoon|evening)"
_PATTERN = re.compile(
    r"\b(?:"
    r"(?P<h1>\d{1,2}):(?P<m1>\d{2})(?: ?(?P<half>[ap])\.?m\b)?"
    rf"|(?P<h2>\d{{1,2}})\.(?P<m2>\d{{2}}) {_PART.format(2)}"
    r"|(?P<h3>\d{2})(?P<m3>\d{2}) hours"
    rf"|(?P<h4>{_HOURS}) hundred hours"
    rf"|(?P<n5>{_NUMBER}) minutes? (?P<way5>before|past) noon|(?P<noon>twelve noon)"
    rf"|(?P<n6>a quarter|half|{_NUMBER})(?: minutes?)? (?P<way6>to|before|past|after) (?P<h6>{_NUMBER})"
    rf" {_PART.format(6)}"
    rf"|(?:exactly )?(?P<h7>{_NUMBER})(?: o'clock)? {_PART.format(7)}"
    rf"|(?P<h8>{_HOURS}) (?:oh (?P<oh>{_NUMBER})|(?P<m8>{_PAST}))"
    r")\b",
    re.IGNORECASE,
)


def read(text: str) -> list[int]:
    """Return the times that ``text`` names, in minutes after midnight, in the order of the text."""
    found = (_minute(match) for match in _PATTERN.finditer(text.replace("\u2019", "'")))
    return [minute for minute in found if minute is not None]


def _minute(match: re.Match[str]) -> int | None:
    part = {name: value.lower() for name, value in match.groupdict().items() if value}
    if "noon" in part:
        return 720
    if "n5" in part:
        return 720 + WORDS[part["n5"]] * (-1 if part["way5"] == "before" else 1)
    if "h1" in part:
        hour = int(part["h1"])
        if "half" in part:
            hour = hour % 12 + (12 if part["half"] == "p" else 0)
        return _valid(hour, int(part["m1"]))
    if "h2" in part:
        return _valid(_on_dial(int(part["h2"]), part["part2"]), int(part["m2"]))
    if "h3" in part:
        return _valid(int(part["h3"]), int(part["m3"]))
    if "h4" in part:
        return _valid(WORDS[part["h4"]], 0)
    if "n6" in part:
        amount = {"a quarter": 15, "half": 30}.get(part["n6"]) or WORDS[part["n6"]]
        sign = -1 if part["way6"] in ("to", "before") else 1
        return _in_part(60 * (WORDS[part["h6"]] % 12) + sign * amount, part["part6"])
    if "h7" in part:
        return _in_part(60 * (WORDS[part["h7"]] % 12), part["part7"])
    return _valid(WORDS[part["h8"]], WORDS[part.get("m8") or part["oh"]])


def _valid(hour: int, minute: int) -> int | None:
    return 60 * hour + minute if hour < 24 and minute < 60 else None


def _on_dial(hour: int, part: str) -> int:
    return hour % 12 + (0 if part == "morning" else 12)


def _in_part(minute: int, part: str) -> int:
    """Return a minute on the twelve-hour dial as a minute of the day."""
    return minute % 720 + (0 if part == "morning" else 720)
