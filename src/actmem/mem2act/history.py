"""The history as memories see it, and what of it a task rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from actmem.mem2act.data import Dataset, Fact, Quote, SessionTurn, Task
from actmem.mem2act.values import Text, text_of
from actmem.memory.protocol import DAY, PAIR, Evidence, Turn
from actmem.memory.tokens import count_tokens


def render(turn: SessionTurn) -> str:
    """Return a turn as text: what was said, then its tool calls, or the tool's name and result."""
    lines = [turn.content] if turn.content else []
    for call in turn.tool_calls or ():
        lines.append(f"{call.function.name}({text_of(call.function.arguments)})")
    text = "\n".join(lines)
    return f"{text_of(turn.name)}: {text}" if turn.role == "tool" and turn.name else text


class History:
    """All turns of a data set in order, and where each conversation's turns are.

    Memories get ``turns`` alone; the rest is for scoring.
    """

    def __init__(self, data: Dataset) -> None:
        self.data = data
        self.turns: tuple[Turn, ...] = tuple(_turns(data))
        self._of_source: dict[str, list[int]] = {}
        sources = (turn.source_id for session in data.sessions for turn in session.turns)
        for number, source in enumerate(sources):
            self._of_source.setdefault(source, []).append(number)
        self._folded: dict[int, str] = {}

    def pairs(self) -> Iterator[tuple[Turn, ...]]:
        """Yield the turns two at a time, in session order; a session's last may be alone."""
        for session in self.by_session():
            for start in range(0, len(session), PAIR):
                yield session[start : start + PAIR]

    def by_session(self) -> Iterator[tuple[Turn, ...]]:
        """Yield the turns of each session."""
        start = 0
        for session in self.data.sessions:
            yield self.turns[start : start + len(session.turns)]
            start += len(session.turns)

    def of_source(self, source: str) -> tuple[Turn, ...]:
        """Return the turns of a source conversation."""
        return tuple(self.turns[number] for number in self._of_source.get(source, ()))

    def stating(self, fact: Fact) -> tuple[int, ...]:
        """Return the turns that state a fact: those that hold its words.

        Where none does, all turns of its conversation; none where that is not held.
        """
        stating = self.holding(fact.source_id, fact.source_text)
        return stating or tuple(turn.id for turn in self.of_source(fact.source_id))

    def holding(self, source: str, words: str) -> tuple[int, ...]:
        """Return the turns of a conversation that hold ``words``; none hold blank ones."""
        folded = fold(words)
        turns = self.of_source(source)
        return tuple(turn.id for turn in turns if folded and folded in self._fold_turn(turn))

    def _fold_turn(self, turn: Turn) -> str:
        if turn.id not in self._folded:
            self._folded[turn.id] = fold(turn.text)
        return self._folded[turn.id]

    def evidence(self, task: Task) -> Evidence:
        """Return what a task rests on: each of its chain's facts, in order."""
        turns = tuple(self.stating(fact) for fact in task.evolution_chain)
        sessions = {self.turns[number].session for numbers in turns for number in numbers}
        return Evidence(
            query=task.query,
            facts=tuple(
                f"{fact.attribute}: {fact.fact} (“{fact.source_text}”)"
                for fact in task.evolution_chain
            ),
            turns=turns,
            sessions=tuple(sorted(sessions)),
        )

    @cached_property
    def corrections(self) -> tuple[tuple[Fact, Quote], ...]:
        """Facts of all tasks that correct something, each with the words that it corrects."""
        facts = (fact for task in self.data.tasks for fact in task.evolution_chain)
        return tuple((fact, old) for fact in facts for old in fact.supersedes)

    @cached_property
    def text(self) -> Text:
        """The whole history, to look values up in."""
        return Text("\n".join(turn.text for turn in self.turns))

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Tokens of the history before each turn, and after the last one those of the whole."""
        total, found = 0, [0]
        for turn in self.turns:
            total += count_tokens(turn.text)
            found.append(total)
        return tuple(found)

    def position(self, evidence: Evidence) -> float | None:
        """Return where the evidence stands: the mean token offset of its turns, as a fraction.

        None where the history holds none of it.
        """
        numbers = {number for turns in evidence.turns for number in turns}
        if not numbers or not self.offsets[-1]:
            return None
        mean = sum(self.offsets[number] for number in numbers) / len(numbers)
        return mean / self.offsets[-1]


def _turns(data: Dataset) -> Iterable[Turn]:
    number = 0
    for day, session in enumerate(data.sessions):
        for minute, turn in enumerate(session.turns):
            yield Turn(number, day, day * DAY + minute, turn.role, render(turn))
            number += 1


def fold(text: str) -> str:
    """Return a text in one case and with single spaces, to look words up in."""
    return " ".join(text.casefold().split())
