"""``langmem``: the library of that name, its background store manager.

For each pair of turns the manager searches its store with the last message, shows the model what it
found and what was said, and inserts, patches or removes memories as the model's tool calls say.
Instructions, one step, five memories shown and no query model are the library's defaults; removing
is on, as its documentation and its instructions have it, while its code leaves it off. The store is
LangGraph's in memory with our embeddings as its index. Reading is the store's search; a memory is
given with the day on which it was last written.

The library puts random ids of sessions and memories into its prompts: they come from a seeded
generator here. Its executors get one thread, so that memories are stored in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, ClassVar

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.store.memory import InMemoryStore

from actmem.memory.embedder import Embedder
from actmem.memory.langchain import TextEmbeddings, ToolChat, adapter_digest
from actmem.memory.model import Model
from actmem.memory.packing import fit
from actmem.memory.protocol import DAY, Passage, Turn
from actmem.memory.sealed import Ids, Seal, imported

library = imported("langmem.knowledge.extraction", logger="extraction")
library.uuid = Ids()

TOP = 20
"""Most memories that are given back."""
NAMESPACE = ("memories",)
CONFIG: Any = {"max_concurrency": 1, "recursion_limit": 30}
"""One thread; and an end where the library would go on asking after an error."""


class LangMem:
    """The background store manager over LangGraph's store in memory."""

    settings: ClassVar[dict[str, Any]] = {
        "library": f"langmem {version('langmem')}",
        "trustcall": version("trustcall"),
        "store": f"langgraph {version('langgraph')}, in memory",
        "query_model": None,
        "removes": True,
        "top": TOP,
        "adapter": adapter_digest(),
        "note": f"langmem {version('langmem')}, no query model",
    }

    def __init__(self, model: Model, embedder: Embedder) -> None:
        self._seal = Seal()
        embeddings = TextEmbeddings(embedder, self._seal)
        size = len(embeddings.embed_query("."))
        self._store = InMemoryStore(index={"dims": size, "embed": embeddings})
        chat = ToolChat(model=model, step="manage", seal=self._seal)
        self._manager = library.create_memory_store_manager(
            chat, namespace=NAMESPACE, store=self._store, enable_deletes=True
        )
        self._days: dict[str, int] = {}

    def write(self, turns: Sequence[Turn]) -> None:
        """Have the manager take in the turns."""
        said = [turn for turn in turns if turn.text]
        if not said:
            return
        given = {"messages": [_message(turn) for turn in said]}
        written = self._seal.run(said[-1].minute, self._manager.invoke, given, CONFIG)
        for memory in written:
            self._days[memory["key"]] = said[-1].minute // DAY + 1

    def read(self, query: str, budget: int) -> list[Passage]:
        """Return the memories that the store's search finds, the nearest first."""
        found = self._seal.run(0, self._store.search, NAMESPACE, query=query, limit=TOP)
        texts = ((self._days[item.key], item.value["content"]["content"]) for item in found)
        return fit((Passage(f"day {day}: {text}") for day, text in texts), budget)


def _message(turn: Turn) -> AnyMessage:
    if turn.role == "tool":
        return ToolMessage(turn.text, tool_call_id=str(turn.id))
    return HumanMessage(turn.text) if turn.role == "user" else AIMessage(turn.text)
