"""``a-mem``: notes that link and evolve (Xu and others, 2502.12110, section 3).

Each interaction becomes a note: its content, and keywords, tags and a context that the model gives
(3.1). A note's embedding is that of all its parts. The model sees a new note with its 5 nearest
ones and chooses which of them to link it to (3.2) and how their contexts and tags change in its
light (3.3). For a query the nearest notes are given back, each followed by those it links to (3.4).

Where the paper leaves room, or the harness asks for it:

- A note is what one write brings, two turns as a rule, and takes two calls: one writes it, one links
  it and evolves its neighbours, as in the authors' code. Content is shown up to ``SHOWN`` tokens;
  a near note is shown by context and tags, by ``NEAR`` tokens of its content where it has no context.
- 5 near notes and the 10 best for a query are the numbers of the authors' code. A note that changed
  is embedded again, since the paper makes its embedding from all its parts.
- Keywords stay as they were: the paper lets them evolve as well (3.3), but the prompt that it prints
  and the authors' code change a neighbour's context and tags alone.
- Links lead from the newer note to the older ones, as they are made.
- Without a valid first reply a note has its content alone; without a valid second one it has no
  links, and its neighbours stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, ClassVar

from msgspec import Struct

from actmem.memory.embedder import Embedder
from actmem.memory.interaction import Interaction
from actmem.memory.model import Model
from actmem.memory.packing import fit
from actmem.memory.protocol import Passage, Turn
from actmem.memory.ranking import best
from actmem.memory.vectors import Vectors
from actmem.memory.wording import fingerprint, load_prompts
from actmem.models.structured import Schema, closed

NEIGHBOURS = 5
"""Near notes that a new one may be linked to."""
TOP = 10
"""Notes that a query brings, beside those that they link to."""
SHOWN = 120
"""Most tokens of an interaction in a prompt."""
NEAR = 24
"""Most tokens of the content of a near note without a context."""

WORDS = load_prompts("a_mem")
_CONTEXT = {"type": "string", "maxLength": 200}
_TAGS = {"type": "array", "items": {"type": "string", "maxLength": 32}, "maxItems": 3}
_KEYWORDS = {"type": "array", "items": {"type": "string", "maxLength": 32}, "maxItems": 5}
NOTE = Schema("note", closed({"keywords": _KEYWORDS, "context": _CONTEXT, "tags": _TAGS}))


@cache
def _links(count: int) -> Schema:
    """Return the schema of a reply about ``count`` near notes."""
    number = {"type": "integer", "minimum": 1, "maximum": count}
    update = closed({"note": number, "context": _CONTEXT, "tags": _TAGS})
    return Schema(
        "links",
        closed(
            {
                "links": {"type": "array", "items": number, "maxItems": count},
                "updates": {"type": "array", "items": update, "maxItems": count},
            }
        ),
    )


class Note(Struct):
    """A note; ``links`` are the places of other notes."""

    interaction: Interaction
    keywords: list[str] = []
    context: str = ""
    tags: list[str] = []
    links: list[int] = []

    @property
    def about(self) -> str:
        """What the model made of the content; empty for nothing."""
        parts = {
            "context": self.context,
            "keywords": ", ".join(self.keywords),
            "tags": ", ".join(self.tags),
        }
        return "; ".join(f"{name}: {text}" for name, text in parts.items() if text)

    @property
    def text(self) -> str:
        """All parts, as they are embedded."""
        return f"{self.interaction.text}\n{self.about}".rstrip()

    @property
    def outline(self) -> str:
        """The note in a line, as a near one is shown: context and tags, content without a context."""
        text = self.context or _line(self.interaction.shown(NEAR))
        return f"{text} [{', '.join(self.tags)}]" if self.tags else text

    def shown(self, limit: int) -> str:
        """Return the note for a prompt, with at most ``limit`` tokens of its content."""
        content = _line(self.interaction.shown(limit))
        return f"{content} [{self.about}]" if self.about else content

    def passage(self) -> Passage:
        """Return the note as a passage."""
        return self.interaction.passage(f"\n({self.about})" if self.about else "")


class AMem:
    """A network of notes."""

    settings: ClassVar[dict[str, Any]] = {
        "prompts": fingerprint(WORDS, NOTE, _links(NEIGHBOURS)),
        "neighbours": NEIGHBOURS,
        "top": TOP,
        "shown": [SHOWN, NEAR],
    }

    def __init__(self, embedder: Embedder, model: Model) -> None:
        self.notes: list[Note] = []
        """All notes, in order of time."""
        self._embedder = embedder
        self._model = model
        self._vectors = Vectors()

    def write(self, turns: Sequence[Turn]) -> None:
        """Make a note of the turns, link it, and let its neighbours evolve."""
        interaction = Interaction.of(turns)
        if interaction is None:
            return
        note = self._note(interaction)
        vector = self._embedder.embed([note.text])[0]
        near = best(self._vectors.rows @ vector, NEIGHBOURS) if self.notes else []
        if near:
            self._link(note, near)
        self.notes.append(note)
        self._vectors.add(vector)

    def read(self, query: str, budget: int) -> list[Passage]:
        """Return the nearest notes, each followed by those that it links to."""
        if not self.notes:
            return []
        nearest = best(self._vectors.rows @ self._embedder.embed([query])[0], TOP)
        places = dict.fromkeys(self._with_links(nearest))
        return fit((self.notes[place].passage() for place in places), budget)

    def _with_links(self, places: Sequence[int]) -> Iterator[int]:
        for place in places:
            yield place
            yield from self.notes[place].links

    def _note(self, interaction: Interaction) -> Note:
        """Return the note that the model makes of an interaction."""
        shown = interaction.shown(self._model.room(SHOWN))
        found = self._model.ask("note", WORDS["note"], shown, NOTE)
        if found is None:
            return Note(interaction)
        return Note(
            interaction, _words(found["keywords"]), _line(found["context"]), _words(found["tags"])
        )

    def _link(self, note: Note, near: Sequence[int]) -> None:
        """Have the model choose the note's links, and change its neighbours."""
        content = WORDS["content"].format(
            new=note.shown(self._model.room(SHOWN)),
            near="\n".join(
                f"{number}. {self.notes[place].outline}"
                for number, place in enumerate(near, start=1)
            ),
        )
        found = self._model.ask("link", WORDS["link"], content, _links(len(near)))
        if found is None:
            return
        note.links = [near[number - 1] for number in dict.fromkeys(found["links"])]
        for update in found["updates"]:
            place = near[update["note"] - 1]
            changed = self.notes[place]
            changed.context = _line(update["context"]) or changed.context
            changed.tags = _words(update["tags"]) or changed.tags
            self._vectors.replace(place, self._embedder.embed([changed.text])[0])


def _line(text: str) -> str:
    return " ".join(text.split())


def _words(found: Sequence[str]) -> list[str]:
    """Return keywords or tags, each once, without empty ones."""
    return [word for word in dict.fromkeys(map(_line, found)) if word]
