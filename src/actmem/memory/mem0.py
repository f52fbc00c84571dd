"""``mem0``: the library ``mem0ai``, its open-source ``Memory``.

The pinned release is of the library's third generation: one call a pair of turns extracts memories
from what was said, the last ten messages and the ten nearest memories. They are only ever added;
the updates and deletions of the paper (2504.19413) and of earlier releases are gone. A memory that
is word for word among the nearest is not added twice.

All is the library's default but what would leave the episode or be absent elsewhere:

- Search is dense only. Keywords and entities would take packages and weights that the library
  downloads when it first searches; they are off even where those are installed.
- Vectors lie in a local Qdrant, the history in SQLite, both in the episode's folder.
- The library gives its prompt today's date, and its model no schema for the JSON that the prompt
  asks for. Here the date is the history's (``sealed.FIRST_DAY``), and there is a bounded schema.
- Turns of the role "tool", which the library drops, are written as the assistant's.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from actmem.errors import InputError
from actmem.memory.embedder import Embedder
from actmem.memory.langchain import TextEmbeddings, ToolChat, adapter_digest, words
from actmem.memory.model import Model
from actmem.memory.packing import fit
from actmem.memory.protocol import DAY, Passage, Turn
from actmem.memory.sealed import FIRST_DAY, Clock, Seal, imported
from actmem.memory.tool_schema import MAX_ITEMS, MAX_TEXT
from actmem.models.structured import Schema

TOP = 20
"""Most memories that are given back: the library's default."""
USER = "user"
"""Whose memories they are."""
MAX_ID = 40
"""Most signs of an id: a UUID has 36."""


def _import() -> Any:
    """Import the library without telemetry; its folder in the home lives as long as this takes."""
    with TemporaryDirectory() as home:
        found = imported("mem0.memory.main", logger="mem0", MEM0_TELEMETRY="False", MEM0_DIR=home)
    if found.MEM0_TELEMETRY:
        raise InputError("was imported before, with its telemetry on: set MEM0_TELEMETRY=False",
                         "memory mem0")  # fmt: skip
    for module in ("mem0.memory.main", "mem0.memory.storage", "mem0.configs.prompts"):
        imported(module, logger="mem0").datetime = Clock
    # What it would do where the packages of its extra "nlp" are missing.
    models = imported("mem0.utils.spacy_models", logger="mem0")
    models._load_failed_full = models._load_failed_lemma = True
    # It is used by one thread at a time; to find out whether it may be, it leaves a database open.
    store = imported("qdrant_client.local.persistence", logger="qdrant_client")
    store.CollectionPersistence.CHECK_SAME_THREAD = False
    return found


def _text(most: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": most}


REPLY = Schema(
    "memories",
    {
        "type": "object",
        "properties": {
            "memory": {
                "type": "array",
                "maxItems": MAX_ITEMS,
                "items": {
                    "type": "object",
                    "properties": {
                        "id": _text(MAX_ID),
                        "text": _text(MAX_TEXT),
                        "attributed_to": {"enum": ["user", "assistant"]},
                        "linked_memory_ids": {
                            "type": "array", "items": _text(MAX_ID), "maxItems": MAX_ITEMS
                        },
                    },
                    "required": ["id", "text", "attributed_to"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["memory"],
        "additionalProperties": False,
    },
)  # fmt: skip
"""The reply that the library's prompt describes."""

library = _import()


class Mem0:
    """The library's memory over a store in ``folder``."""

    settings: ClassVar[dict[str, Any]] = {
        "library": f"mem0ai {version('mem0ai')}",
        "generation": 3,
        "search": "dense",
        "note": f"mem0ai {version('mem0ai')}, third generation: memories are only added; "
        "search is dense only",
        "store": f"qdrant-client {version('qdrant-client')}, local",
        "first_day": FIRST_DAY.date().isoformat(),
        "top": TOP,
        "adapter": adapter_digest(),
    }

    def __init__(self, model: Model, embedder: Embedder, folder: Path) -> None:
        self._seal = Seal()
        embeddings = TextEmbeddings(embedder, self._seal)
        size = len(embeddings.embed_query("."))
        chat = ToolChat(model=model, step="extract", seal=self._seal, reply=REPLY)
        self._memory = library.Memory.from_config(
            {
                "llm": {"provider": "langchain", "config": {"model": chat}},
                "embedder": {
                    "provider": "langchain",
                    "config": {"model": embeddings, "embedding_dims": size},
                },
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": str(folder / "qdrant"), "embedding_model_dims": size},
                },
                "history_db_path": str(folder / "history.sqlite"),
            }
        )
        store = self._memory.vector_store
        store._bm25_encoder = False  # what it would do where its extra is missing
        store.insert = self._seal.guard(store.insert)
        self._days: dict[str, int] = {}

    def write(self, turns: Sequence[Turn]) -> None:
        """Have the library take in the turns."""
        said = [turn for turn in turns if turn.text]
        if not said:
            return
        given = [_message(turn) for turn in said]
        added = self._seal.run(said[-1].minute, self._memory.add, given, user_id=USER)
        for memory in added["results"]:
            self._days[memory["id"]] = said[-1].minute // DAY + 1

    def read(self, query: str, budget: int) -> list[Passage]:
        """Return the memories that the library's search finds, the nearest first, then the oldest.

        The library's scores differ in the eighth digit from read to read, and it cuts off among equal
        ones as it happens: it is asked for all, and cut here.
        """
        if not query.strip():
            return []  # the library refuses it
        search: Any = self._memory.search
        every = max(1, len(self._days))
        found = self._seal.run(0, search, query, filters={"user_id": USER}, top_k=every)["results"]
        age = {name: place for place, name in enumerate(self._days)}
        found.sort(key=lambda memory: (-round(memory["score"], 6), age[memory["id"]]))
        texts = ((self._days[memory["id"]], memory["memory"]) for memory in found[:TOP])
        return fit((Passage(f"day {day}: {text}") for day, text in texts), budget)

    def close(self) -> None:
        """Close the store and the history."""
        self._memory.vector_store.client.close()
        self._memory.close()


def _message(turn: Turn) -> dict[str, str]:
    if turn.role == "tool":
        return {"role": "assistant", "content": words()["tool_turn"].format(text=turn.text)}
    return {"role": turn.role, "content": turn.text}
