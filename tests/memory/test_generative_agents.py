from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.memory.conftest import Answering, HashingEmbedder, history

from actmem.memory.generative_agents import LATEST, GenerativeAgents, scaled
from actmem.memory.model import Model
from actmem.memory.protocol import DAY, Turn


class Table:
    """An embedder that knows its texts."""

    def __init__(self, vectors: dict[str, tuple[float, float]]) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        return np.array([self._vectors[text] for text in texts], np.float32)


def test_values_are_scaled_between_the_least_and_the_greatest() -> None:
    assert scaled([2, 4, 10]).tolist() == [0, 0.25, 1]
    assert scaled([3, 3]).tolist() == [0, 0]


def test_a_score_is_the_sum_of_three_scaled_parts() -> None:
    embedder = Table({"a": (1, 0), "b": (0.6, 0.8), "c": (0, 1), "q": (1, 0)})
    ratings = {"a": [2], "b": [10], "c": [6]}
    chat = Answering({"ratings": lambda prompt: {"ratings": ratings[prompt[-1]]}})
    memory = GenerativeAgents(embedder, Model(chat))
    for day, text in enumerate("abc"):
        memory.write([Turn(day, day, day * DAY, "user", text)])
    # Recency 0.995^48, 0.995^24 and 1; importance 2, 10, 6; relevance 1, 0.6, 0.
    old, middle = 0.995**48, 0.995**24
    recency = [0, (middle - old) / (1 - old), 1]
    expected = [0 + 0 + 1, recency[1] + 1 + 0.6, 1 + 0.5 + 0]
    assert memory.scores("q").tolist() == pytest.approx(expected, abs=1e-6)
    assert math.isclose(recency[1], 0.469968, abs_tol=1e-5)
    assert [p.turns for p in memory.read("q", 100)] == [(1,), (2,), (0,)]
    assert memory.read("q", 100)[0].text == "day 2, user: b"


def reflecting(rating: int, **more: Any) -> tuple[GenerativeAgents, Answering]:
    replies: dict[str, Any] = {
        "ratings": lambda prompt: {"ratings": [rating] * (prompt.count("\n") + 1)},
        "questions": {"questions": ["What does the user like?", "Where does the user live?"]},
        "insights": {
            "insights": [{"insight": "The user likes tea", "because_of": [2, 1, 2], "rating": 9}]
        },
    }
    chat = Answering(replies | more)
    return GenerativeAgents(HashingEmbedder(), Model(chat)), chat


def test_reflection_begins_when_importance_adds_up_to_150() -> None:
    memory, chat = reflecting(10)
    turns = history(*(f"turn {number} about tea" for number in range(32)))
    for start in range(0, 14, 2):
        memory.write(turns[start : start + 2])
    assert (memory.due, chat.asked("questions")) == (140, [])
    memory.write(turns[14:15])
    assert memory.due == 0
    assert len(chat.asked("questions")) == 1
    assert len(chat.asked("insights")) == 2
    assert [entry.importance for entry in memory.stream[15:]] == [9, 9]
    for start in range(15, 29, 2):
        memory.write(turns[start : start + 2])
    assert memory.due == 140  # the insights themselves do not count
    assert len(chat.asked("questions")) == 1


def test_insights_cite_the_stream_and_are_read() -> None:
    memory, chat = reflecting(10)
    for turn in history(*(f"turn {number}" for number in range(15))):
        memory.write([turn])
    insight = memory.stream[15]
    shown = chat.asked("insights")[0].splitlines()
    assert [shown[1], shown[0]] == [
        f"{number}. {memory.stream[place].passage.text}"
        for number, place in zip((2, 1), insight.evidence, strict=True)
    ]
    assert len(insight.evidence) == 2
    assert "day 4, insight: The user likes tea" in [p.text for p in memory.read("tea", 400)]
    assert insight.passage.turns == ()


def test_questions_come_from_the_latest_hundred_in_order_of_time() -> None:
    memory, chat = reflecting(1)
    for turn in history(*(f"turn {number}" for number in range(150))):
        memory.write([turn])
    (prompt,) = chat.asked("questions")
    lines = prompt.splitlines()
    assert len(lines) == LATEST
    assert (lines[0][-7:], lines[-1][-8:]) == ("turn 50", "turn 149")


def test_a_small_window_takes_the_latest_statements_alone() -> None:
    memory, chat = reflecting(1)
    chat.window = 1000
    for turn in history(*(f"turn {number}" for number in range(150))):
        memory.write([turn])
    lines = chat.asked("questions")[0].splitlines()
    assert len(lines) < 40
    assert lines[-1].endswith("turn 149")


def test_retrievals_of_a_reflection_are_accesses_and_reads_are_none() -> None:
    memory, _ = reflecting(10)
    for turn in history(*(f"turn {number}" for number in range(15))):
        memory.write([turn])
    now = memory.stream[14].minute
    assert {entry.accessed for entry in memory.stream} == {now}
    memory.write([Turn(15, 9, 9 * DAY, "user", "later")])
    before = [entry.accessed for entry in memory.stream]
    memory.read("turn", 512)
    assert [entry.accessed for entry in memory.stream] == before


def test_what_no_reply_rates_is_below_all_and_adds_nothing() -> None:
    memory, chat = reflecting(10, ratings="I would say ten.")
    for turn in history(*(f"turn {number}" for number in range(20))):
        memory.write([turn])
    assert {entry.importance for entry in memory.stream} == {0}
    assert (memory.due, len(chat.prompts)) == (0, 40)  # asked again once each
    assert memory.read("turn 3", 512)


@pytest.mark.parametrize("garbled", ["questions", "insights"])
def test_a_reflection_without_a_valid_reply_adds_nothing(garbled: str) -> None:
    memory, _ = reflecting(10, **{garbled: '{"insights": [{"because_of": [99]}]}'})
    for turn in history(*(f"turn {number}" for number in range(15))):
        memory.write([turn])
    assert (len(memory.stream), memory.due) == (15, 0)


def test_both_turns_of_a_write_are_rated_in_one_call_and_shown_in_part() -> None:
    memory, chat = reflecting(3)
    memory.write(history("word " * 500, "short"))
    assert [entry.importance for entry in memory.stream] == [3, 3]
    ((_, prompt),) = chat.prompts
    assert prompt.count("word") == 80
    assert prompt.endswith("2. assistant: short")
    memory.write([Turn(9, 0, 3, "tool", "")])
    assert len(chat.prompts) == 1
