"""Values of arguments: their text and tokens, when two are the same, and where one stands in a text.

JSON keeps apart what Python takes for equal: ``true`` is not 1, and 36 is not 36.0. ``same`` is as
strict as JSON, ``alike`` forgives spelling.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Context, Decimal
from typing import Any

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(
    r"[-+]?(?:(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3})?"
)
"""A number; 007 is an identifier and 06,12 a list."""
_SAYING = re.compile(r"(?:(?<!\w)-(?=\d))?\w+[+#]*")
"""A word with the signs that make it another one: -5 is not 5, nor C++ C#."""
NESTING = 64
"""Deepest nesting of a value that is scored."""


def text_of(value: Any) -> str:
    """Return a value as text: strings as they are, anything nested as JSON with sorted keys."""
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def tokens(text: str) -> list[str]:
    r"""Return the tokens of a text: case-folded runs of ``\w``."""
    return _WORD.findall(text.casefold())


def value_tokens(arguments: Mapping[str, Any]) -> list[str]:
    """Return the tokens of the top-level values, in the order of their sorted names."""
    return [token for name in sorted(arguments) for token in tokens(text_of(arguments[name]))]


def same(one: Any, two: Any) -> bool:
    """Return whether two values are equal in type and value, all the way down."""
    if type(one) is not type(two):
        return False
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[name], two[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(two) and all(map(same, one, two))
    return bool(one == two)


def alike(one: Any, two: Any) -> bool:
    """Return whether two values say the same: ``same`` but for case, punctuation and number form.

    36, 36.0 and "36" are alike, and so are true and "True"; the order of a list counts, since it
    may carry meaning.
    """
    return bool(_plain(one) == _plain(two))


def _plain(value: Any) -> Any:
    """Return a form in which alike values are equal."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, bool) or value is None:
        return text_of(value)
    text = text_of(value).strip()
    if _NUMBER.fullmatch(text):
        exact = Context(prec=len(text))
        number = exact.normalize(Decimal(text.replace(",", "")))
        return f"{number if number else Decimal()}"
    words = _SAYING.findall(text.casefold())
    return " ".join(words) if words else text


def scorable(value: Any, levels: int = NESTING) -> bool:
    """Return whether JSON can say a value: finite numbers, nested at most ``levels`` deep."""
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return levels > 0 and all(scorable(part, levels - 1) for part in parts)
    return not isinstance(value, float) or math.isfinite(value)


def leaves(value: Any) -> Iterator[Any]:
    """Yield the scalars of a value, nested ones in order."""
    if isinstance(value, dict):
        for part in value.values():
            yield from leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def findable(value: Any) -> bool:
    """Return whether a scalar can be looked for: truth values, null and blank text cannot."""
    return value is not None and not isinstance(value, bool) and bool(tokens(text_of(value)))


class Text:
    """A text to look values up in: once made, each look-up is a search in one string."""

    def __init__(self, text: str) -> None:
        self._words = f" {' '.join(tokens(text))} "

    def holds(self, value: Any) -> bool:
        """Return whether the tokens of a scalar stand in the text in one piece.

        A whole number that the data hold as a float (36.0) is found as 36 as well, and one above 999
        with its thousands set apart (5,000).
        """
        forms = [text_of(value)]
        if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
            forms += [str(int(value)), f"{int(value):,}"]
        return any(f" {' '.join(tokens(form))} " in self._words for form in forms)
