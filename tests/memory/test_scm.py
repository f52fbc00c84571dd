from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.memory.conftest import Answering, HashingEmbedder, history

from actmem.memory.model import Model
from actmem.memory.packing import spent
from actmem.memory.protocol import DAY, Turn
from actmem.memory.scm import ACTIVATED, SCM, SHORT
from actmem.memory.tokens import count_tokens

LONG = "The parcel for Runa goes to Fjordgata. " * 12


def written(
    count: int, need: Any = "yes", enough: Any = "yes", text: str = LONG, **more: Any
) -> tuple[SCM, Answering]:
    """Return a memory of ``count`` interactions, each on a day of its own."""

    def answer(prompt: str) -> Any:
        said = enough if prompt.startswith("Summaries:") else need
        return {"answer": said} if said in ("yes", "no") else said

    replies = {"summary": {"summary": "Runa lives in Fjordgata."}, "answer": answer}
    chat = Answering(replies | more)
    memory = SCM(HashingEmbedder(), Model(chat))
    for day in range(count):
        start = day * DAY
        memory.write([
            Turn(2 * day, day, start, "user", f"{text} {day}"),
            Turn(2 * day + 1, day, start + 1, "assistant", "Noted."),
        ])  # fmt: skip
    return memory, chat


def test_activation_is_similarity_plus_recency() -> None:
    memory, _ = written(4)
    rows = memory._vectors.rows
    query = "Where does the parcel go? 0"
    similarity = rows @ memory._embedder.embed([query])[0]
    recency = np.array([0.995**72, 0.995**48, 0.995**24])
    order = sorted(range(3), key=lambda place: -(similarity[:3] + recency)[place])
    assert memory.activated(query) == order
    assert recency == pytest.approx([0.697, 0.786, 0.887], abs=1e-3)


def test_the_flash_memory_is_given_in_any_case_and_at_most_a_quarter() -> None:
    memory, chat = written(3, need="no")
    found = memory.read("Hello!", 400)
    assert [one.turns for one in found] == [(4, 5)]
    assert 90 < spent(found) <= 100
    assert len(chat.asked("answer")) == 1
    assert written(0)[0].read("Hello!", 400) == []


def test_summaries_stand_in_where_they_suffice_and_whole_texts_do_not_fit() -> None:
    memory, chat = written(5)
    found = memory.read("Where does the parcel go?", 300)
    assert {one.text for one in found[:4]} == {
        f"day {day}, summary: Runa lives in Fjordgata." for day in range(1, 5)
    }
    assert [one.turns for one in found] == [(), (), (), (), (8, 9)]
    assert "Where does the parcel go?" in chat.asked("answer")[-1]
    memory, _ = written(5, enough="no")
    found = memory.read("Where does the parcel go?", 300)
    assert found[0].text.count("The parcel for Runa") == 12
    assert spent(found) <= 300


def test_what_fits_whole_needs_no_summary() -> None:
    memory, chat = written(3, text="Runa moved.")
    assert not chat.asked("summary")  # a short interaction is its own summary
    found = memory.read("Runa", 512)
    assert [one.turns for one in found] == [(2, 3), (0, 1), (4, 5)]
    assert len(chat.asked("answer")) == 1


def test_at_most_ten_are_activated() -> None:
    memory, _ = written(14, text="Runa moved.")
    assert len(memory.activated("Runa")) == ACTIVATED
    assert len(memory.read("Runa", 10_000)) == ACTIVATED + 1


def test_without_a_valid_summary_the_beginning_stands_in() -> None:
    memory, _ = written(1, summary="no JSON")
    assert memory.stream[0].summary.startswith("user: The parcel for Runa")
    assert count_tokens(memory.stream[0].summary) <= SHORT


def test_a_controller_without_a_valid_answer_activates_nothing_and_shortens_nothing() -> None:
    memory, _ = written(3, need="perhaps")
    assert [one.turns for one in memory.read("Where does the parcel go?", 300)] == [(4, 5)]
    memory, _ = written(3, enough="perhaps")
    assert (2, 3) in [one.turns for one in memory.read("Where does the parcel go?", 300)]


def test_turns_without_text_are_no_interaction() -> None:
    memory, chat = written(0)
    memory.write([Turn(0, 0, 0, "user", "")])
    memory.write(history("", "It is open."))
    assert [item.interaction.ids for item in memory.stream] == [(1,)]
    assert chat.prompts == []
