"""``memtree``: a dynamic tree of summaries (Rezazadeh and others, 2410.14052, section 3).

New information enters at the root, which holds nothing, and goes to the most similar child as long
as the cosine reaches the threshold of its depth, 0.4·exp(0.5·depth/max depth); where no child does,
it becomes a new child. A leaf that it comes to turns into a parent of two: of what it held, and of
the new. The content of each parent on the way is aggregated anew by the model, told how many pieces
it covers with the new one, and embedded again. Retrieval is over the collapsed tree: all nodes, parents and leaves
alike, by the cosine to the query, as much as the budget takes.

Where the paper leaves room, or the harness asks for it:

- One piece of information is what one write brings, two turns as a rule. It is shown to the model
  up to ``SHOWN`` tokens; leaves hold it whole.
- A write takes one call for each parent on the way, as in the paper, which computes them side by
  side. What enters below a node at depth d is compared with the threshold of d; the root's depth is 0.
- The max depth is the constant 8: deeper than that nothing descends, and the node takes any number
  of children. It bounds the calls of a write.
- The paper filters what is retrieved by a threshold of no stated value; here the budget bounds it.
- Without a valid reply a parent keeps its content and its embedding.
- A parent's passage names no turns: its words need not hold what they state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from msgspec import Struct
from numpy.typing import NDArray

from actmem.memory.embedder import Embedder
from actmem.memory.interaction import Interaction
from actmem.memory.model import Model
from actmem.memory.packing import fit
from actmem.memory.protocol import Passage, Turn
from actmem.memory.ranking import best
from actmem.memory.vectors import Vectors
from actmem.memory.wording import fingerprint, load_prompts
from actmem.models.structured import Schema, closed

BASE = 0.4
"""The threshold at the root."""
RATE = 0.5
MAX_DEPTH = 8
SHOWN = 160
"""Most tokens of a piece that is aggregated."""
ROOT = 0

WORDS = load_prompts("memtree")
SUMMARY = Schema(
    "summary", closed({"summary": {"type": "string", "minLength": 1, "maxLength": 300}})
)


class Node(Struct):
    """A node; its number is its place in the tree's list and in the vectors."""

    depth: int
    parent: int
    content: str
    """What is embedded: a piece's text, or a summary."""
    piece: Interaction | None = None
    """What a leaf holds."""
    day: str = ""
    """When anything below it was written last."""
    children: list[int] = []
    size: int = 1
    """Pieces at and below it."""

    def passage(self) -> Passage:
        """Return the node as a passage."""
        if self.piece is not None:
            return self.piece.passage()
        return Passage(f"up to {self.day}, summary: {self.content}")


def threshold(depth: int) -> float:
    """Return the least cosine with which information goes on from a node at ``depth``."""
    return BASE * math.exp(RATE * depth / MAX_DEPTH)


class MemTree:
    """A tree that grows with what is written."""

    settings: ClassVar[dict[str, Any]] = {
        "prompts": fingerprint(WORDS, SUMMARY),
        "threshold": [BASE, RATE, MAX_DEPTH],
        "shown": SHOWN,
    }

    def __init__(self, embedder: Embedder, model: Model) -> None:
        self.nodes = [Node(depth=0, parent=-1, content="", size=0)]
        """All nodes; the first is the root."""
        self._embedder = embedder
        self._model = model
        self._vectors = Vectors()

    def write(self, turns: Sequence[Turn]) -> None:
        """Insert the turns and bring the nodes on their way up to date."""
        piece = Interaction.of(turns)
        if piece is None:
            return
        vector = self._embedder.embed([piece.text])[0]
        if not len(self._vectors):
            self._vectors.add(0 * vector)  # the root's: it is no one's nearest
        path = self._descend(vector)
        if self.nodes[path[-1]].piece is not None:
            self._expand(path[-1])
        for place in path[1:]:
            self._aggregate(self.nodes[place], place, piece)
        for place in path:
            self.nodes[place].size += 1
        self._add(path[-1], piece, vector)

    def read(self, query: str, budget: int) -> list[Passage]:
        """Return the nodes nearest to the query."""
        if len(self.nodes) == 1:
            return []
        scores = self._vectors.rows[1:] @ self._embedder.embed([query])[0]
        ranked = best(scores, budget)
        return fit((self.nodes[place + 1].passage() for place in ranked), budget)

    def _descend(self, vector: NDArray[Any]) -> list[int]:
        """Return the way from the root to the node that the new information belongs to."""
        path = [ROOT]
        while (node := self.nodes[path[-1]]).children and node.depth < MAX_DEPTH:
            scores = self._vectors.rows[node.children] @ vector
            (nearest,) = best(scores, 1)
            if scores[nearest] < threshold(node.depth):
                break
            path.append(node.children[nearest])
        return path

    def _expand(self, place: int) -> None:
        """Make a leaf the parent of what it held."""
        node = self.nodes[place]
        assert node.piece is not None
        self._add(place, node.piece, self._vectors.rows[place].copy())
        node.content = node.piece.shown(self._model.room(SHOWN))
        node.piece = None

    def _add(self, parent: int, piece: Interaction, vector: NDArray[Any]) -> None:
        """Add a leaf."""
        above = self.nodes[parent]
        above.children.append(self._vectors.add(vector))
        self.nodes.append(Node(above.depth + 1, parent, piece.text, piece, piece.day))

    def _aggregate(self, node: Node, place: int, piece: Interaction) -> None:
        """Have the model merge new information into a parent's content."""
        node.day = piece.day
        content = WORDS["content"].format(
            summary=node.content, new=piece.shown(self._model.room(SHOWN)), pieces=node.size + 1
        )
        found = self._model.ask("aggregate", WORDS["aggregate"], content, SUMMARY)
        if found:
            node.content = " ".join(found["summary"].split())
            self._vectors.replace(place, self._embedder.embed([node.content])[0])
