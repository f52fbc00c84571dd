from __future__ import annotations

from typing import Any

import pytest
from tests.memory.conftest import Answering, HashingEmbedder, history

from actmem.memory.a_mem import NEIGHBOURS, AMem
from actmem.memory.model import Model
from actmem.memory.protocol import Turn

NOTE = {"keywords": ["tea", "tea", " "], "context": "The user\n talks of tea.", "tags": ["food"]}


def network(links: Any, note: Any = NOTE) -> tuple[AMem, Answering]:
    chat = Answering({"note": note, "links": links})
    return AMem(HashingEmbedder(), Model(chat)), chat


def put(memory: AMem, *texts: str) -> None:
    for text in texts:
        number = len(memory.notes)
        memory.write([Turn(number, 0, number, "user", text)])


def test_a_note_has_what_the_model_gives_and_is_embedded_with_it() -> None:
    memory, chat = network({"links": [], "updates": []})
    memory.write(history("I like tea.", "Good to know."))
    (note,) = memory.notes
    assert (note.keywords, note.context, note.tags) == (["tea"], "The user talks of tea.", ["food"])
    about = "context: The user talks of tea.; keywords: tea; tags: food"
    assert note.text == f"user: I like tea.\nassistant: Good to know.\n{about}"
    assert memory._vectors.rows[0] == pytest.approx(memory._embedder.embed([note.text])[0])
    (found,) = memory.read("tea", 512)
    assert (found.text, found.turns) == (f"day 1, {note.interaction.text}\n({about})", (0, 1))
    assert [name for name, _ in chat.prompts] == ["note"]  # the first note has no neighbours


def test_links_lead_to_the_near_notes_that_the_model_names() -> None:
    memory, chat = network({"links": [2, 1], "updates": []})
    put(memory, "red tea pot", "blue chair")
    assert memory.notes[1].links == []  # 2 is no near note of the second: the reply is invalid
    put(memory, "red tea cup")
    near = chat.asked("links")[-1].partition("Near notes:")[2].strip().splitlines()
    assert len(near) == 2
    assert memory.notes[2].links == [1, 0]  # 0 is the nearest, 1 comes second
    assert memory.notes[0].links == []


def test_evolution_changes_the_neighbours_that_are_named() -> None:
    updates = [{"note": 1, "context": "Now it is about pots.", "tags": ["pots"]}]
    memory, _ = network({"links": [1], "updates": updates})
    put(memory, "red tea pot", "red tea cup")
    first, second = memory.notes
    assert (first.context, first.tags, first.keywords) == (
        "Now it is about pots.",
        ["pots"],
        ["tea"],
    )
    assert second.context == "The user talks of tea."
    assert memory._vectors.rows[0] == pytest.approx(memory._embedder.embed([first.text])[0])
    updates[0] |= {"context": "", "tags": []}
    updates.append({"note": 2, "context": " ", "tags": [" "]})
    put(memory, "red tea pot again")
    assert (first.context, first.tags) == ("Now it is about pots.", ["pots"])
    assert second.context == "The user talks of tea."  # an empty update takes nothing away


def test_at_most_five_neighbours_are_shown_the_nearest_first() -> None:
    memory, chat = network({"links": [], "updates": []})
    put(memory, *(f"blue chair {number}" for number in range(6)), "red tea pot", "red tea pot too")
    near = chat.asked("links")[-1].partition("Near notes:\n")[2].splitlines()
    assert len(near) == NEIGHBOURS
    assert near[0].startswith("1. The user talks of tea. [food]")


def test_a_query_brings_the_nearest_each_with_its_links_once() -> None:
    memory, _ = network({"links": [], "updates": []})
    put(memory, "red tea pot", "blue chair", "green lamp")
    memory.notes[0].links = [2]
    memory.notes[2].links = [0]
    found = [one.turns[0] for one in memory.read("red tea pot", 512)]
    assert found[:2] == [0, 2]
    assert sorted(found) == [0, 1, 2]
    put(memory, *(f"tea {number}" for number in range(20)))
    assert len(memory.read("tea", 10_000)) == 10


def test_without_valid_replies_a_note_is_its_content_and_nothing_evolves() -> None:
    memory, chat = network("no JSON", note="no JSON")
    put(memory, "red tea pot", "red tea cup")
    assert [note.text for note in memory.notes] == ["user: red tea pot", "user: red tea cup"]
    assert [note.links for note in memory.notes] == [[], []]
    assert memory.read("cup", 512)[0].text == "day 1, user: red tea cup"
    assert len(chat.prompts) == 6
    assert "1. user: red tea pot" in chat.asked("links")[0]


def test_an_empty_memory_gives_nothing() -> None:
    memory, chat = network({})
    memory.write([Turn(0, 0, 0, "user", "")])
    assert memory.read("tea", 512) == []
    assert chat.prompts == []
