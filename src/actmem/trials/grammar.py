"""The one form of an action: ``name('text', 3)``, read by a grammar and never evaluated.

A reply is one call of a known name with quoted strings and whole numbers as arguments, and nothing
around it. Anything else is a ``str``: the sentence that tells the agent what was wrong.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass

LIMIT = 2_000  # characters that are looked at; the longest legal action is far shorter
_CALL = re.compile(r"([A-Za-z_][A-Za-z_0-9]{0,39})[ \t]*\((.*)\)", re.DOTALL)
_ARGUMENT = re.compile(
    r"""\s*(?:'((?:[^'\\\n]|\\['"\\])*)'|"((?:[^"\\\n]|\\['"\\])*)"|(-?[0-9]{1,6}))\s*(,|\Z)"""
)
_SEVERAL = re.compile(r"\)[\s;,]*[A-Za-z_]+[ \t]*\(")  # one call's end and the next one's beginning
_ESCAPE = re.compile(r"\\(['\"\\])")

Signature = tuple[type[str] | type[int], ...]
FREE: Mapping[str, Signature] = {"submit": (str,), "intend": (str,)}
"""The actions that exist in all worlds and cost no step."""


@dataclass(frozen=True, slots=True)
class Call:
    """A well-formed call: ``name`` is known, ``args`` fit its signature; strings are trimmed."""

    name: str
    args: tuple[str | int, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(quote, self.args))})"

    def same(self, other: Call) -> bool:
        """Tell whether both mean the same action; case does not count."""
        return self.name == other.name and fold(self.args) == fold(other.args)


def fold(args: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return ``args`` with strings in the form in which they are compared."""
    return tuple(a.casefold() if isinstance(a, str) else a for a in args)


def quote(value: str | int) -> str:
    """Return ``value`` as it stands in a call that ``parse`` reads back."""
    if isinstance(value, int):
        return str(value)
    text = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"


def parse(text: str, signatures: Mapping[str, Signature]) -> Call | str:
    """Read ``text`` as one call; return it, or the sentence that says what is wrong with it."""
    if len(text) > LIMIT:
        return f"The reply is longer than {LIMIT} characters. Answer with exactly one call."
    found = _read(str.strip(text))
    if found is None:
        return "That is not a call. Answer with exactly one call, such as wait()."
    name, args = found
    signature = signatures.get(name) or FREE.get(name)
    if signature is None and name not in signatures:
        known = ", ".join(sorted([*signatures, *FREE]))
        return f"There is no action {name}. The actions are: {known}."
    if args is None and _SEVERAL.search(text):
        return "That is more than one call. Answer with exactly one; the others can follow later."
    wanted = signature or ()
    if args is None or len(args) != len(wanted):
        return f"{name} takes {_spell(wanted)}."
    if any(not isinstance(a, kind) for a, kind in zip(args, wanted, strict=True)):
        return f"{name} takes {_spell(wanted)}."
    return Call(name, args)


@functools.lru_cache(maxsize=1024)  # the same few replies come again and again
def _read(text: str) -> tuple[str, tuple[str | int, ...] | None] | None:
    """Return name and arguments of a call; ``None`` where it is none, or they are no list of values."""
    found = _CALL.fullmatch(text)
    return (found[1], _arguments(found[2])) if found else None


def _arguments(inside: str) -> tuple[str | int, ...] | None:
    """Split ``inside`` the parentheses into values; ``None`` where it is no list of values."""
    if not inside.strip():
        return ()
    args: list[str | int] = []
    at, more = 0, True
    while more:
        found = _ARGUMENT.match(inside, at)
        if found is None:
            return None
        single, double, number, end = found.groups()
        raw = single if single is not None else double
        args.append(int(number) if raw is None else " ".join(_ESCAPE.sub(r"\1", raw).split()))
        at, more = found.end(), end == ","
    return tuple(args) if at == len(inside) else None


def _spell(signature: Signature) -> str:
    """Return the arguments of ``signature`` in words."""
    if not signature:
        return "no arguments"
    kinds = ["a quoted text" if kind is str else "a number" for kind in signature]
    return " and ".join(kinds)
