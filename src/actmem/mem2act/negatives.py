"""Hard negatives: for each tool, the others that are most like it (paper, section 5.4).

Likeness is that of the ``hybrid`` retriever over name, description and parameters of the tools; the
order in which a task shows its tools is drawn from a seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from actmem.errors import InputError
from actmem.mem2act.data import Dataset
from actmem.mem2act.schema import parameters
from actmem.memory.embedder import Embedder
from actmem.memory.hybrid import Hybrid
from actmem.memory.protocol import Turn

MOST = 5
"""Most negatives of a task."""


def describe(tool: Mapping[str, Any]) -> str:
    """Return a tool as the text by which it is compared."""
    parts = [
        f"{name}: {part.get('description', '')}" if isinstance(part, Mapping) else name
        for name, part in parameters(tool).items()
    ]
    return "\n".join([str(tool["name"]), str(tool.get("description", "")), *parts])


def hard_negatives(data: Dataset, number: int, embedder: Embedder) -> dict[str, list[str]]:
    """Return the ``number`` tools most like each tool, by its name, the most like first.

    Raises ``InputError`` where the data have fewer other tools.
    """
    names = list(data.tools)
    if number >= len(names):
        problem = f"{data.name} has tools for {len(names) - 1} negatives at most, not {number}"
        raise InputError(problem, "--negatives")
    texts = [describe({**schema, "name": name}) for name, schema in data.tools.items()]
    index = Hybrid(embedder)
    index.write([Turn(i, 0, 0, "tool", text) for i, text in enumerate(texts)])
    index.finish()
    return {
        name: [names[i] for i in index.rank(text, number + 1) if names[i] != name][:number]
        for name, text in zip(names, texts, strict=True)
    }


def choices(data: Dataset, number: int, embedder: Embedder, seed: int) -> dict[str, list[str]]:
    """Return the names of the tools that each task shows, in a drawn order, by task id."""
    negatives = hard_negatives(data, number, embedder)
    shown = {}
    for task in data.tasks:
        names = [task.tool, *negatives[task.tool]]
        Random(f"{seed}:{task.qa_id}").shuffle(names)
        shown[task.qa_id] = names
    return shown
