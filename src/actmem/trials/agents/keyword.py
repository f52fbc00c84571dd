"""The keyword floor: reads the first prompt with regular expressions, then matches words.

It takes the intended action out of the intention's sentence, reads times and numbers in it and
compares them with the clock or counter; the words that remain are the cue. A cue in quotes or with
"the" is a name, and must be shown as it is; any other is matched by shared word stems. It acts
once. It has no idea of what words mean, and that is its use: what it passes needs no understanding.
"""

from __future__ import annotations

import re

from actmem.trials.agents.player import Player
from actmem.trials.grammar import Call
from actmem.trials.world import Observation, View

_INTENTION = re.compile(r"stated only here:\n\s*(.+)")
_CART = re.compile(r"(?:add|put)(?: one more)? (it|'[^']+') (?:to|in) the cart", re.I)
_MAIL = re.compile(r"(?:send|e-mail) (\w+)\b[^']*subject '([^']+)'", re.I)
_MEETING = re.compile(r"(?:enter|add) the meeting '([^']+)' at (\d\d:\d\d)", re.I)
_BELL = re.compile(r"(?:ring|give) the (red|blue|green|white) bell(?: a ring)?", re.I)
_MARK = re.compile(r"mark the cell you are (?:on|standing on)", re.I)
_NUMBER = r"(\d\d:\d\d|\d+)"
_BEFORE = re.compile(rf"(?:before|below|fewer than) {_NUMBER}", re.I)
_AFTER = re.compile(rf"from (?:move counter )?{_NUMBER}(?: finished rounds)? on", re.I)
_AT = re.compile(rf"(?:\bat|shows|as soon as(?: you have made)?) {_NUMBER}", re.I)
_CELL = re.compile(r"\(\d+, \d+\)")
_NAME = re.compile(
    r"'([^']+)'|(?:next time|as soon as|when|a card with) the ([a-z ]+?) (?:comes|is|lies)"
)
_SECOND = re.compile(r"second time", re.I)
_FRAME = frozenset(
    """
    a an the to of in on is it its at by and or but if be as do that with for from next
    time soon when once second offer newly been entered calendar comes into view only
    after let what earlier does not count card lies face up turned table provided happens
    while has have you your leave first alone same one another stand cell are top whatever
    list asks requests ask visits before until made out
    """.split()
)


class Keyword:
    """One episode."""

    def __init__(self) -> None:
        self._player = Player()
        self._plan: _Reading | None = None
        self._done = False
        self._runs = 0
        self._holding = False

    def decide(self, observation: Observation) -> str:
        """Return the intended action where the words match, else the ongoing one."""
        view = observation.view
        self._player.look(view)
        if observation.brief:
            found = _INTENTION.search(observation.brief)
            self._plan = _Reading(found[1]) if found else None
        ongoing = self._player.move(view)
        call = self._act(view) if self._plan is not None and not self._done else None
        if call is not None:
            self._done = True
        return str(call or ongoing)

    def _act(self, view: View) -> Call | None:
        assert self._plan is not None
        name = self._plan.match(view)
        if name is not None and not self._holding:
            self._runs += 1
        self._holding = name is not None
        if name is None or self._runs < self._plan.nth:
            return None
        return self._plan.call(name)


class _Reading:
    """The intention as far as regular expressions go."""

    def __init__(self, text: str) -> None:
        self._call, rest = _action(text)
        self.nth = 2 if _SECOND.search(rest) else 1
        before, after = _BEFORE.search(rest), _AFTER.search(rest)
        self._before = _time(before[1]) if before else None
        self._after = _time(after[1]) if after else None
        rest = _AFTER.sub(" ", _BEFORE.sub(" ", rest))
        at = _AT.search(rest)
        self._at = _time(at[1]) if at else None
        cell, name = _CELL.search(rest), _NAME.search(rest)
        self._name = cell[0] if cell else (name[1] or name[2]) if name else None
        words = re.findall(r"[a-z]+", rest.casefold())
        self._words = {_stem(w) for w in words if w not in _FRAME}

    def match(self, view: View) -> str | None:
        """Return what in ``view`` matches ('' for a time alone), or ``None``."""
        time = view.time
        if self._before is not None and time >= self._before:
            return None
        if self._after is not None and time < self._after:
            return None
        if self._at is not None:
            return "" if time == self._at else None
        if self._name is not None:
            return next((n for n in view.shown if n.casefold() == self._name.casefold()), None)
        for name in view.shown:
            stems = {_stem(word) for word in re.findall(r"[a-z]+", name.casefold())}
            if stems & self._words:
                return name
        return None

    def call(self, name: str) -> Call | None:
        """Return the intended action; "it" is the ``name`` that matched."""
        if self._call == Call("add_item", ("it",)):
            return Call("add_item", (name,)) if name else None
        return self._call


def _action(text: str) -> tuple[Call | None, str]:
    """Return the action that ``text`` asks for, and ``text`` without it."""
    if found := _CART.search(text):
        call = Call("add_item", (found[1].strip("'"),))
    elif found := _MEETING.search(text):
        call = Call("add_meeting", (found[1], found[2]))
    elif found := _MAIL.search(text):
        call = Call("send_email", (found[1].casefold(), found[2]))
    elif found := _BELL.search(text):
        call = Call("ring", (found[1].casefold(),))
    elif found := _MARK.search(text):
        call = Call("mark")
    else:
        return None, text
    return call, text[: found.start()] + text[found.end() :]


def _time(text: str) -> int:
    """Return ``HH:MM`` as minutes, a number as itself."""
    hours, _, minutes = text.partition(":")
    return int(hours) * 60 + int(minutes) if minutes else int(hours)


def _stem(word: str) -> str:
    """Cut common endings."""
    for ending in ("ing", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
