"""Floors and ceilings: ``none``, ``full``, and the two that are told the evidence.

``none`` shows what a reader does without memory, ``full`` what the history's end alone gives.
``oracle`` (the gold chain) and ``oracle-sessions`` (what was said in the evidence's sessions, cut
to the budget) bound what retrieval can reach; the first also covers tasks whose sources the history
does not hold. A session has often ten times the budget, and the paper does not say which part is
kept: here it is cut from the first evidence on, since its mere beginning would be no bound.
"""

from __future__ import annotations

from collections.abc import Sequence

from actmem.memory.packing import fit, fit_end
from actmem.memory.protocol import Evidence, Passage, Turn
from actmem.memory.retriever import passage
from actmem.memory.tokens import count_tokens


class Nothing:
    """``none``: remembers nothing."""

    def write(self, turns: Sequence[Turn]) -> None:
        """Forget the turns."""

    def read(self, query: str, budget: int) -> list[Passage]:
        """Return nothing."""
        return []


class Full:
    """``full``: the end of the history, as much as the budget takes, in order of time."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []

    def write(self, turns: Sequence[Turn]) -> None:
        """Keep the turns."""
        self._turns.extend(turn for turn in turns if turn.text)

    def read(self, query: str, budget: int) -> list[Passage]:
        """Return the last turns; every turn costs a token, so that no more are looked at."""
        last = self._turns[-budget:] if budget > 0 else []
        return fit_end(map(passage, last), budget)


class Oracle:
    """``oracle``: the gold chain."""

    def write(self, turns: Sequence[Turn]) -> None:
        """Need no turns."""

    def read_evidence(self, evidence: Evidence, budget: int) -> list[Passage]:
        """Return the chain's facts in order."""
        pairs = zip(evidence.facts, evidence.turns, strict=True)
        return fit((Passage(fact, turns) for fact, turns in pairs), budget)


class OracleSessions:
    """``oracle-sessions``: the evidence's sessions, each with an equal share of the budget."""

    def __init__(self) -> None:
        self._sessions: dict[int, list[Turn]] = {}

    def write(self, turns: Sequence[Turn]) -> None:
        """Keep the turns by session."""
        for turn in turns:
            if turn.text:
                self._sessions.setdefault(turn.session, []).append(turn)

    def read_evidence(self, evidence: Evidence, budget: int) -> list[Passage]:
        """Return the sessions from their first evidence on; what one leaves goes to the next."""
        stating = {number for turns in evidence.turns for number in turns}
        found: list[Passage] = []
        left = budget
        for number, session in enumerate(evidence.sessions):
            share = left // (len(evidence.sessions) - number)
            turns = self._sessions.get(session, [])
            first = next((i for i, turn in enumerate(turns) if turn.id in stating), 0)
            part = fit(map(passage, turns[first:]), share)
            found += part
            left -= sum(count_tokens(one.text) for one in part)
        return found
