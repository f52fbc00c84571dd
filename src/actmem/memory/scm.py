"""``scm``: self-controlled memory (Wang and others, 2304.13343).

The memory stream holds each interaction whole, with a summary by the model and an embedding. The
last interactions are the flash memory, which is always given. For a query, a controller asks the
model two questions: whether the request needs memory at all; where it does, interactions are
activated by relevance (cosine) plus recency; and whether their summaries suffice, where they are
given in place of the whole texts.

Where the paper leaves room, or the harness asks for it:

- An interaction is what one write brings, two turns as a rule: one call to summarise it. One of at
  most ``SHORT`` tokens is its own summary, without a call. It is shown up to ``SHOWN`` tokens.
- The paper names a recency score and not its form; here it is 0.995 to the power of the hours
  between the interaction and the end of what was written, as in Generative Agents, which it
  follows. The 10 best are activated.
- The second question is put once for all that is activated, and only where the whole texts exceed
  the budget: the paper has summaries to keep within a limit.
- The flash memory is the last interaction, as in the paper. It stands behind what is activated,
  and has at most a quarter of the budget.
- Without a valid reply an interaction has no summary: its beginning, of the same length, stands in.
  Without a valid answer to the first question nothing is activated, and without one to the second
  the whole texts are given.
- A summary's passage names no turns: its words need not hold what they state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct

from actmem.memory.embedder import Embedder
from actmem.memory.interaction import Interaction
from actmem.memory.model import Model
from actmem.memory.packing import fit, spent
from actmem.memory.protocol import Passage, Turn
from actmem.memory.ranking import best
from actmem.memory.tokens import count_tokens, cut_end
from actmem.memory.vectors import Vectors
from actmem.memory.wording import fingerprint, load_prompts
from actmem.models.structured import Schema, closed

DECAY = 0.995
"""Recency's factor an hour."""
ACTIVATED = 10
"""Interactions that are activated."""
FLASH = 1
"""Interactions of the flash memory."""
FLASH_SHARE = 0.25
"""Of the budget."""
SHORT = 50
"""Most tokens of an interaction that needs no summary."""
SHOWN = 200
"""Most tokens of an interaction that is summarised."""

WORDS = load_prompts("scm")
SUMMARY = Schema(
    "summary", closed({"summary": {"type": "string", "minLength": 1, "maxLength": 300}})
)
ANSWER = Schema("answer", closed({"answer": {"enum": ["yes", "no"]}}))


class Item(Struct, frozen=True):
    """An interaction in the memory stream."""

    interaction: Interaction
    summary: str

    def short(self) -> Passage:
        """Return the summary as a passage; a summary that is the whole text is given as such."""
        if self.summary == self.interaction.text:
            return self.interaction.passage()
        return Passage(f"{self.interaction.day}, summary: {self.summary}")


class SCM:
    """A memory stream with its controller."""

    settings: ClassVar[dict[str, Any]] = {
        "prompts": fingerprint(WORDS, SUMMARY, ANSWER),
        "decay": DECAY,
        "activated": ACTIVATED,
        "flash": [FLASH, FLASH_SHARE],
        "short": SHORT,
        "shown": SHOWN,
    }

    def __init__(self, embedder: Embedder, model: Model) -> None:
        self.stream: list[Item] = []
        """All interactions, in order of time."""
        self._embedder = embedder
        self._model = model
        self._vectors = Vectors()

    def write(self, turns: Sequence[Turn]) -> None:
        """Summarise and keep the turns."""
        interaction = Interaction.of(turns)
        if interaction is None:
            return
        self.stream.append(Item(interaction, self._summary(interaction)))
        self._vectors.add(self._embedder.embed([interaction.text])[0])

    def read(self, query: str, budget: int) -> list[Passage]:
        """Return what the controller activates, then the flash memory."""
        last = [item.interaction.passage() for item in self.stream[-FLASH:]]
        flash = fit(last, int(budget * FLASH_SHARE))
        left = budget - spent(flash)
        if not self._says_yes("needs_memory", query):
            return flash
        items = [self.stream[place] for place in self.activated(query)]
        whole = [item.interaction.passage() for item in items]
        if spent(whole) > left and self._suffice(query, items):
            whole = [item.short() for item in items]
        return fit(whole, left) + flash

    def activated(self, query: str) -> list[int]:
        """Return the places of the interactions that ``query`` activates, the best first.

        Those of the flash memory are given in any case, and are left out.
        """
        rows = self._vectors.rows[: max(0, len(self.stream) - FLASH)]
        if not len(rows):
            return []
        now = self.stream[-1].interaction.minute
        hours = [(now - item.interaction.minute) / 60 for item in self.stream[: len(rows)]]
        recency = DECAY ** np.array(hours)
        return best(rows @ self._embedder.embed([query])[0] + recency, ACTIVATED)

    def _summary(self, interaction: Interaction) -> str:
        """Return the model's summary of an interaction."""
        text = interaction.text
        if count_tokens(text) <= SHORT:
            return text
        shown = interaction.shown(self._model.room(SHOWN))
        found = self._model.ask("summarise", WORDS["summarise"], shown, SUMMARY)
        return " ".join(found["summary"].split()) if found else cut_end(text, SHORT)

    def _suffice(self, query: str, items: Sequence[Item]) -> bool:
        summaries = "\n".join(f"- {item.short().text}" for item in items)
        shown = cut_end(summaries, self._model.room(ACTIVATED * SHORT * 2))
        content = WORDS["request"].format(summaries=shown, query=query)
        return self._says_yes("summary_suffices", content)

    def _says_yes(self, question: str, content: str) -> bool:
        found = self._model.ask(question, WORDS[question], content, ANSWER)
        return bool(found) and found["answer"] == "yes"
