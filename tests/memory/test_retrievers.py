from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from actmem.memory.bm25 import BM25
from actmem.memory.bounds import Full, Nothing, Oracle, OracleSessions
from actmem.memory.dense import Dense
from actmem.memory.hybrid import Hybrid
from actmem.memory.long_term import LongTerm
from actmem.memory.packing import spent
from actmem.memory.protocol import Evidence, Turn
from actmem.memory.retriever import Retriever

Turns = Callable[..., list[Turn]]
TEXTS = (
    "the boat is red",
    "noted",
    "the boat has a mast",
    "fine",
    "oars for the red boat",
    "",
    "4",
)


def written(memory: Any, turns: list[Turn]) -> Any:
    memory.write(turns[:2])
    memory.write(turns[2:])
    return memory


def ids(passages: Any) -> list[int]:
    return [one.turns[0] for one in passages]


def test_bm25_ranks_by_shared_words_and_leaves_out_strangers(turns: Turns) -> None:
    memory = written(BM25(), turns(*TEXTS))
    assert ids(memory.read("red oars", 512)) == [4, 0]
    assert ids(memory.read("4", 512)) == [6]
    assert memory.read("submarine", 512) == []
    assert memory.read("the", 512) == []
    assert memory.read("", 512) == []


def test_bm25_counts_as_the_formula_says(turns: Turns) -> None:
    texts = ("red boat", "red red boat mast", "blue oar")
    memory = BM25()
    memory.write(turns(*texts))
    memory.finish()
    index = memory._index
    assert index is not None
    mean = (2 + 4 + 2) / 3
    idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    expected = [
        idf * tf / (tf + 1.5 * (1 - 0.75 + 0.75 * length / mean)) for tf, length in ((1, 2), (2, 4))
    ]
    assert index.get_scores(["red"]) == pytest.approx([*expected, 0.0], rel=1e-5)


def test_dense_ranks_by_cosine(turns: Turns, embedder: Any) -> None:
    memory = written(Dense(embedder), turns(*TEXTS))
    memory.finish()
    assert embedder.calls == [6]  # all at once, the empty turn left out
    assert ids(memory.read("the boat has a mast", 512))[0] == 2
    vectors = embedder.embed([turn.text for turn in memory.turns])
    cosine = vectors @ embedder.embed(["red oars"])[0]
    assert memory.rank("red oars", 6) == sorted(range(6), key=lambda i: -cosine[i])


def test_hybrid_fuses_the_two(turns: Turns, embedder: Any) -> None:
    given = turns(*TEXTS)
    memory, one, two = Hybrid(embedder), BM25(), Dense(embedder)
    for part in (memory, one, two):
        written(part, given)
    places: dict[int, float] = {}
    for ranking in (one.rank("red oars", 100), two.rank("red oars", 100)):
        for rank, index in enumerate(ranking, start=1):
            places[index] = places.get(index, 0) + 1 / (60 + rank)
    assert memory.rank("red oars", 3) == sorted(places, key=lambda i: (-places[i], i))[:3]


def test_long_term_embeds_as_it_is_written_to(turns: Turns, embedder: Any) -> None:
    memory = written(LongTerm(embedder), turns(*TEXTS))
    assert embedder.calls == [2, 4]
    assert len(memory.read("red oars", 512)) == 6
    assert ids(memory.read("red oars", 512)) == memory_ids(memory, "red oars")


def memory_ids(memory: LongTerm, query: str) -> list[int]:
    return [memory.turns[i].id for i in memory.rank(query, 20)]


@pytest.mark.parametrize("kind", [BM25, Dense, Hybrid, LongTerm])
def test_retrievers_write_after_reading_keep_the_budget_and_say_who_spoke(
    kind: Callable[..., Retriever], turns: Turns, embedder: Any
) -> None:
    memory = kind() if kind is BM25 else kind(embedder)
    assert memory.read("red", 512) == []
    given = turns(*TEXTS)
    memory.write(given[:2])
    assert memory.read("red boat", 512)[0].text == "day 1, user: the boat is red"
    memory.write(given[2:])
    assert memory.read("oars for the red boat", 512)[0].text.startswith("day 2, user: oars")
    assert spent(memory.read("oars for the red boat", 9)) <= 9


def test_top_bounds_the_number_of_turns(turns: Turns) -> None:
    given = turns(*(f"red boat {number}" for number in range(9)))
    assert len(written(BM25(), given).read("red", 512)) == 5
    assert len(written(BM25(top=2), given).read("red", 512)) == 2


def test_none_and_full(turns: Turns) -> None:
    given = turns(*TEXTS)
    assert written(Nothing(), given).read("red", 512) == []
    full = written(Full(), given)
    assert ids(full.read("anything", 512)) == [0, 1, 2, 3, 4, 6]
    assert ids(full.read("anything", 14)) == [4, 6]
    assert full.read("anything", 0) == []


def test_the_oracle_gives_the_chain(turns: Turns) -> None:
    evidence = Evidence("q", ("the boat is red", "it has oars"), ((0,), ()))
    oracle = written(Oracle(), turns(*TEXTS))
    assert [one.text for one in oracle.read_evidence(evidence, 512)] == list(evidence.facts)
    assert [one.turns for one in oracle.read_evidence(evidence, 512)] == [(0,), ()]
    assert spent(oracle.read_evidence(evidence, 5)) == 5


def test_the_sessions_of_the_evidence_share_the_budget(turns: Turns) -> None:
    given = turns(*(f"word{number} " * 10 for number in range(12)))
    memory = written(OracleSessions(), given)
    evidence = Evidence("q", ("f",), ((1, 9),), (0, 2))
    everything = memory.read_evidence(evidence, 10_000)
    assert ids(everything) == [1, 2, 3, 9, 10, 11]
    some = memory.read_evidence(evidence, 60)
    assert {given[i].session for i in ids(some)} == {0, 2}
    assert spent(some) <= 60
    assert memory.read_evidence(Evidence("q", (), ()), 512) == []


@pytest.mark.parametrize("texts", [["the of", "and the"], [""], []])
def test_a_history_without_a_word_to_find_brings_nothing(texts: list[str], turns: Turns) -> None:
    memory = BM25()
    memory.write(turns(*texts))
    memory.finish()
    assert memory.read("the boat", 512) == []
