"""``generative-agents``: a memory stream with reflection (Park and others, 2304.03442, section 4).

Every turn is a memory object with an importance, 1 to 10, that the model rates. The score for a
query is the sum of three parts, each scaled to 0–1 over all memories (4.1; all weights are 1):
recency, 0.995 to the power of the hours since the last access; importance; relevance, the cosine to
the query. What scores best is given back, as much as the budget takes.

Reflection (4.2): when the importance of what was seen since the last one adds up to 150, the model
names 3 questions from the latest 100 memories; each is a query to the stream; from what it brings,
the model infers 5 insights and cites their evidence. Insights join the stream, and later reflections
build on them.

Where the paper leaves room, or the harness asks for it:

- Both turns of a write are rated in one call. A turn is shown up to ``SHOWN`` tokens, a statement of
  a reflection up to ``STATEMENT``; a model with a small window sees fewer of them.
- 30 memories answer a question of a reflection and 5 insights follow from them, as in the authors'
  code. Insights are rated in the reply that states them; they do not count towards the next
  reflection.
- Time is counted at the end of what was written. Retrievals for reflections are accesses; reads are
  none, since they may change no later answer.
- Without a valid reply a turn stays unrated: its importance is 0, below all rated ones, and it adds
  nothing towards a reflection. A reflection without questions is left out, and a question without
  insights adds nothing.
- An insight's passage names no turns, although its evidence is known: its words need not hold what
  those turns state.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from actmem.memory.embedder import Embedder
from actmem.memory.model import Model
from actmem.memory.packing import fit
from actmem.memory.protocol import Passage, Turn, day_of
from actmem.memory.ranking import best
from actmem.memory.retriever import passage
from actmem.memory.tokens import count_tokens, cut_end
from actmem.memory.vectors import Vectors
from actmem.memory.wording import fingerprint, load_prompts
from actmem.models.structured import Schema, closed

DECAY = 0.995
"""Recency's factor an hour."""
THRESHOLD = 150
"""Sum of importances at which the agent reflects."""
LATEST = 100
"""Memories that a reflection's questions are made from."""
QUESTIONS = 3
RETRIEVED = 30
"""Memories that answer one question."""
INSIGHTS = 5
"""Insights from one question."""
SHOWN = 80
"""Most tokens of a turn that is rated."""
STATEMENT = 40
"""Most tokens of a statement in a reflection."""
STATEMENTS = LATEST * STATEMENT
"""Most tokens of all statements in a prompt; a model's window may hold fewer (``Model.room``)."""
UNRATED = 0
"""Importance of a turn that no valid reply rates."""

WORDS = load_prompts("generative_agents")

_RATING = {"type": "integer", "minimum": 1, "maximum": 10}


def _several(name: str, item: dict[str, Any], least: int, most: int) -> Schema:
    items = {"type": "array", "items": item, "minItems": least, "maxItems": most}
    return Schema(name, closed({name: items}))


@cache
def _ratings(count: int) -> Schema:
    return _several("ratings", _RATING, count, count)


_ASKED = _several("questions", {"type": "string", "maxLength": 160}, 1, QUESTIONS)


@cache
def _insights(count: int) -> Schema:
    """Return the schema of insights from ``count`` statements."""
    number = {"type": "integer", "minimum": 1, "maximum": count}
    insight = closed(
        {
            "insight": {"type": "string", "minLength": 1, "maxLength": 200},
            "because_of": {"type": "array", "items": number, "minItems": 1, "maxItems": 5},
            "rating": _RATING,
        }
    )
    return _several("insights", insight, 1, INSIGHTS)


class Entry(Struct):
    """A memory object."""

    passage: Passage
    minute: int
    """When it was made."""
    accessed: int
    """The minute of the last access."""
    importance: int
    evidence: tuple[int, ...] = ()
    """Of an insight: the places in the stream of what it follows from."""


class GenerativeAgents:
    """The memory of one generative agent."""

    settings: ClassVar[dict[str, Any]] = {
        "prompts": fingerprint(WORDS, _ratings(2), _ASKED, _insights(RETRIEVED)),
        "decay": DECAY,
        "threshold": THRESHOLD,
        "latest": LATEST,
        "questions": QUESTIONS,
        "retrieved": RETRIEVED,
        "insights": INSIGHTS,
        "shown": [SHOWN, STATEMENT, STATEMENTS],
    }

    def __init__(self, embedder: Embedder, model: Model) -> None:
        self.stream: list[Entry] = []
        """All memories, in order of time."""
        self.due = 0
        """Importance that was added since the last reflection."""
        self._embedder = embedder
        self._model = model
        self._vectors = Vectors()
        self._now = 0

    def write(self, turns: Sequence[Turn]) -> None:
        """Rate and keep the turns, then reflect where that is due."""
        spoken = [turn for turn in turns if turn.text]
        if not spoken:
            return
        self._now = spoken[-1].minute
        vectors = self._embedder.embed([turn.text for turn in spoken])
        for turn, rating, vector in zip(spoken, self._rate(spoken), vectors, strict=True):
            self._add(Entry(passage(turn), turn.minute, turn.minute, rating), vector)
            self.due += rating
        if self.due >= THRESHOLD:
            self.due = 0
            self._reflect()

    def read(self, query: str, budget: int) -> list[Passage]:
        """Return the memories that score best."""
        ranked = self._rank(query, limit=budget)
        return fit((self.stream[place].passage for place in ranked), budget)

    def scores(self, query: str) -> NDArray[Any]:
        """Return the score of each memory for ``query``, at the end of what was written."""
        recency = [DECAY ** ((self._now - entry.accessed) / 60) for entry in self.stream]
        importance = [entry.importance for entry in self.stream]
        relevance = self._vectors.rows @ self._embedder.embed([query])[0]
        total: NDArray[Any] = scaled(recency) + scaled(importance) + scaled(relevance)
        return total

    def _rank(self, query: str, limit: int) -> list[int]:
        return best(self.scores(query), limit) if self.stream else []

    def _add(self, entry: Entry, vector: NDArray[Any]) -> None:
        self.stream.append(entry)
        self._vectors.add(vector)

    def _rate(self, turns: Sequence[Turn]) -> list[int]:
        """Return the turns' importances."""
        content = "\n".join(
            f"{number}. {turn.role}: {cut_end(turn.text, self._model.room(SHOWN))}"
            for number, turn in enumerate(turns, start=1)
        )
        found = self._model.ask("importance", WORDS["importance"], content, _ratings(len(turns)))
        return found["ratings"] if found else [UNRATED] * len(turns)

    def _reflect(self) -> None:
        """Ask questions, and add the insights that their answers give."""
        count = len(self.stream)
        statements = self._statements(range(count - 1, max(-1, count - 1 - LATEST), -1))
        asked = self._model.ask(
            "questions", WORDS["questions"], "\n".join(statements.values()), _ASKED
        )
        questions = asked["questions"] if asked else []
        for places in [self._rank(question, RETRIEVED) for question in questions]:
            for place in places:
                self.stream[place].accessed = self._now
            self._infer(places)

    def _infer(self, places: Sequence[int]) -> None:
        """Add the insights that follow from memories, at least one."""
        statements = self._statements(places)
        cited = list(statements)
        content = "\n".join(f"{n}. {text}" for n, text in enumerate(statements.values(), start=1))
        found = self._model.ask("insights", WORDS["insights"], content, _insights(len(cited)))
        for one in found["insights"] if found else ():
            text = " ".join(one["insight"].split())
            evidence = tuple(dict.fromkeys(cited[number - 1] for number in one["because_of"]))
            kept = Passage(f"{day_of(self._now)}, insight: {text}")
            entry = Entry(kept, self._now, self._now, one["rating"], evidence)
            self._add(entry, self._embedder.embed([text])[0])

    def _statements(self, places: Sequence[int]) -> dict[int, str]:
        """Return memories as statements by their places, in order of time.

        They are the first of ``places``, as many as a prompt has room for.
        """
        left = self._model.room(STATEMENTS)
        kept: dict[int, str] = {}
        for place in places:
            text = cut_end(self.stream[place].passage.text, STATEMENT)
            left -= count_tokens(text)
            if left < 0 and kept:
                break
            kept[place] = text
        return dict(sorted(kept.items()))


def scaled(values: Sequence[float] | NDArray[Any]) -> NDArray[Any]:
    """Return values scaled so that the least is 0 and the greatest 1; all 0 where they are equal."""
    given = np.asarray(values, np.float64)
    width = given.max() - given.min()
    return (given - given.min()) / width if width > 0 else np.zeros_like(given)
