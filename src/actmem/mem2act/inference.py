"""How an inferred value follows from quoted words, in steps that a program can go over.

- ``reads: half past six``: these words are quoted and mean the value (``spoken``);
- ``computes: "40" * "two"``: the result is the value. What stands in quotation marks is quoted,
  anything else is stated here (``"23 May" - 1 day``); it goes from left to right;
- ``means: flu = illness``: these words are quoted and stand for an option or a truth value. Whether
  they do is for a reader to judge.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

from actmem.mem2act.spoken import clock, day, meanings, number, plain, times, written
from actmem.mem2act.values import Text

_TERM = re.compile(r'(?:^| ([-+*/]) )(?:"([^"]+)"|(\d+(?:\.\d+)?)(?: (minute|hour|day|week)s?)?)')
_SPAN = re.compile(r"(half an|\S+) (minute|hour|day|week)")
_SOME = {"half an": 0.5, "a": 1, "an": 1}
_OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
_SPANS = {
    "minute": timedelta(minutes=1), "hour": timedelta(hours=1),
    "day": timedelta(days=1), "week": timedelta(weeks=1),
}  # fmt: skip


class CannotFollowError(Exception):
    """A step does not hold; the text says why."""


def infer(step: str, words: str) -> set[str]:
    """Return the values, as text, that a step gives from quoted ``words``.

    Raises ``CannotFollowError`` where its words are not quoted, or it is none of the three kinds.
    """
    kind, _, rest = step.partition(": ")
    if kind == "computes":
        try:
            return _compute(rest, words)
        except (ArithmeticError, ValueError):
            raise CannotFollowError(f"{rest!r} has no result") from None
    phrase, _, meant = rest.rpartition(" = ") if kind == "means" else (rest, "", "")
    if kind not in ("reads", "means"):
        raise CannotFollowError(f"{step!r} neither reads, computes nor means anything")
    _need(phrase, words)
    return {meant} if kind == "means" else meanings(phrase)


def _need(phrase: str, words: str) -> None:
    if not phrase or not Text(words).holds(phrase):
        raise CannotFollowError(f"{phrase!r} is not in the words quoted")


def _compute(expression: str, words: str) -> set[str]:
    """Return what an expression gives: of numbers, or of a date or time and spans."""
    terms = list(_TERM.finditer(expression))
    if not terms or "".join(term[0] for term in terms) != expression:
        raise CannotFollowError(f"{expression!r} cannot be computed")
    for term in terms:
        if term[2]:
            _need(term[2], words)
    if any(_SPAN.match(_phrase(term)) for term in terms[1:]):
        return _shift(terms)
    total = _amount(terms[0])
    for term in terms[1:]:
        total = _OPERATIONS[term[1]](total, _amount(term))
    return {plain(total)}


def _phrase(term: re.Match[str]) -> str:
    return term[2] or " ".join(part for part in (term[3], term[4]) if part)


def _amount(term: re.Match[str]) -> Decimal:
    """Return the number that a phrase is or begins with ("two nights")."""
    phrase = _phrase(term)
    for part in (phrase, phrase.partition(" ")[0]):
        if (amount := number(part)) is not None:
            return amount
    raise CannotFollowError(f"{phrase!r} is no number")


def _span(term: re.Match[str]) -> timedelta:
    """Return the time that a phrase is or begins with ("half an hour earlier")."""
    said = _SPAN.match(_phrase(term))
    if said is None:
        raise CannotFollowError(f"{_phrase(term)!r} is no span of time")
    some = _SOME[said[1]] if said[1] in _SOME else float(_amount(term))
    return _SPANS[said[2]] * some


def _shift(terms: Sequence[re.Match[str]]) -> set[str]:
    """Return a date, or the times of the day that may be meant, moved by spans."""
    span = timedelta()
    for term in terms[1:]:
        if term[1] not in ("+", "-"):
            raise CannotFollowError(f"{term[0]!r} neither adds nor takes away a span")
        span += _span(term) if term[1] == "+" else -_span(term)
    phrase = _phrase(terms[0])
    if (moment := day(phrase)) is not None:
        return {written(moment + span)}
    return {clock(minutes + span // _SPANS["minute"]) for minutes in times(phrase)}
