from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.memory.conftest import Answering, HashingEmbedder, history

from actmem.memory.memtree import MAX_DEPTH, MemTree, threshold
from actmem.memory.model import Model
from actmem.memory.protocol import Turn


class Angles:
    """An embedder for texts that hold ``@DEGREES``, and for summaries ``=DEGREES`` of theirs."""

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        degrees = [float(text.rsplit("@", 1)[1]) for text in texts]
        return np.array(
            [[math.cos(math.radians(d)), math.sin(math.radians(d))] for d in degrees], np.float32
        )


def tree(summary: Any = "user: all @0") -> tuple[MemTree, Answering]:
    chat = Answering({"summary": {"summary": summary} if summary else "no JSON"})
    return MemTree(Angles(), Model(chat)), chat


def put(memory: MemTree, *degrees: int) -> None:
    for degree in degrees:
        number = len(memory.nodes)
        memory.write([Turn(number, 0, number, "user", f"@{degree}")])


def shape(memory: MemTree, place: int = 0) -> Any:
    """Return the tree as nested lists; a leaf is what it holds."""
    node = memory.nodes[place]
    if node.piece is not None:
        return node.content.rpartition("@")[2]
    return [shape(memory, child) for child in node.children]


def test_the_threshold_grows_with_the_depth() -> None:
    assert threshold(0) == 0.4
    assert threshold(4) == pytest.approx(0.4 * math.exp(0.25))
    assert threshold(MAX_DEPTH) == pytest.approx(0.4 * math.exp(0.5)) == pytest.approx(0.659, 1e-3)


def test_what_is_unlike_all_children_becomes_a_child_of_the_root() -> None:
    memory, chat = tree()
    put(memory, 0, 90)
    assert shape(memory) == ["0", "90"]
    assert chat.prompts == []


def test_a_leaf_that_is_alike_becomes_a_parent_of_two() -> None:
    memory, chat = tree()
    put(memory, 0, 60)  # cos 60° = 0.5, above 0.4
    assert shape(memory) == [["0", "60"]]
    assert [node.depth for node in memory.nodes] == [0, 1, 2, 2]
    assert [node.size for node in memory.nodes] == [2, 2, 1, 1]
    ((_, prompt),) = chat.prompts
    assert "Present summary: user: @0" in prompt
    assert "New information: user: @60" in prompt
    assert prompt.endswith("Pieces covered: 2")
    assert memory.nodes[1].content == "user: all @0"


def test_the_threshold_of_the_depth_decides_below() -> None:
    # Below the root's child the threshold is 0.4·exp(0.5/8) = 0.4258: cos 64.8°.
    memory, chat = tree(summary="@0")
    put(memory, 0, 60, -65)  # from the parent at 0°: cos 65° = 0.4226 ≥ 0.4, below it no child
    assert shape(memory) == [["0", "60", "-65"]]
    memory, chat = tree(summary="@0")
    put(memory, 0, 60, -64)  # cos 64° = 0.4384: it comes to the leaf at 0°
    assert shape(memory) == [[["0", "-64"], "60"]]
    assert [p.rpartition(" ")[2] for p in chat.asked("summary")] == ["2", "3", "2"]


def test_every_parent_on_the_way_is_aggregated_and_embedded_again() -> None:
    memory, _ = tree(summary="@30")
    put(memory, 0, 10)
    assert memory._vectors.rows[1] == pytest.approx([math.cos(math.pi / 6), 0.5])
    assert memory._vectors.rows[2] == pytest.approx([1, 0])  # what the leaf held went down
    assert memory.nodes[1].passage().text == "up to day 1, summary: @30"


def test_nothing_descends_beyond_the_greatest_depth() -> None:
    memory, _ = tree(summary="@0")
    put(memory, *[0] * 40)
    depths = [node.depth for node in memory.nodes]
    assert max(depths) == MAX_DEPTH + 1
    assert memory.nodes[0].size == 40
    assert sum(node.piece is not None for node in memory.nodes) == 40


def test_retrieval_is_over_all_nodes() -> None:
    memory, _ = tree(summary="@20")
    put(memory, 0, 50, 180)
    found = memory.read("@21", 512)
    assert [one.text for one in found] == [
        "up to day 1, summary: @20", "day 1, user: @0", "day 1, user: @50", "day 1, user: @180",
    ]  # fmt: skip
    assert [one.turns for one in found] == [(), (1,), (2,), (4,)]
    assert tree()[0].read("@0", 512) == []


def test_without_a_valid_reply_a_parent_keeps_what_it_held() -> None:
    memory, chat = tree(summary=None)
    put(memory, 0, 10)
    assert shape(memory) == [["0", "10"]]
    assert memory.nodes[1].content == "user: @0"
    assert memory._vectors.rows[1] == pytest.approx([1, 0])
    assert len(chat.prompts) == 2


def test_a_write_is_one_piece() -> None:
    chat = Answering({"summary": {"summary": "Both."}})
    memory = MemTree(HashingEmbedder(), Model(chat))
    memory.write(history("Is it open?", "Yes, until ten."))
    memory.write([Turn(2, 0, 2, "tool", "")])
    (found,) = memory.read("open", 512)
    assert found.turns == (0, 1)
    assert found.text == "day 1, user: Is it open?\nassistant: Yes, until ten."
