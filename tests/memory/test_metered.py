from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from actmem.memory.bm25 import BM25
from actmem.memory.bounds import Nothing, Oracle
from actmem.memory.metered import Metered
from actmem.memory.packing import spent
from actmem.memory.protocol import Evidence, Memory, Passage, Turn, Usage, as_passages
from actmem.memory.tokens import count_tokens

Turns = Callable[..., list[Turn]]
ASK = Evidence("secret question", ("gold fact",), ((0,),))


class Spy:
    """Keeps all that it is handed and gives back too much."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.finished = self.closed = 0

    def write(self, turns: Sequence[Turn]) -> None:
        self.seen.append(turns)

    def finish(self) -> None:
        self.finished += 1

    def read(self, query: str, budget: int) -> list[Any]:
        return ["one two three", Passage("four five")]

    def usage(self) -> Usage:
        return Usage(len(self.seen), 10 * len(self.seen))

    def close(self) -> None:
        self.closed += 1


def test_what_a_memory_takes_is_counted_and_its_excess_cut(turns: Turns) -> None:
    spy = Spy()
    metered = Metered(spy)
    given = turns("red boat", "noted", "oars")
    metered.write(given[:2])
    metered.write(given[2:])
    metered.finish()
    passages = metered.read(ASK, 4)
    counts = metered.counts
    assert [one.text for one in passages] == ["one two three", "four"]
    assert (counts.writes, counts.turns, counts.reads, counts.over_budget) == (2, 3, 1, 1)
    assert counts.write_tokens == sum(count_tokens(turn.text) for turn in given)
    assert counts.read_tokens == spent(passages) == 4
    assert (counts.write_usage, counts.read_usage) == (Usage(2, 20), Usage(0, 0))
    assert len(counts.read_seconds) == 1
    assert counts.budgets == (4,)
    metered.close()
    assert (spy.finished, spy.closed) == (1, 1)


def test_only_turns_are_written_and_only_queries_told(turns: Turns) -> None:
    spy = Spy()
    metered = Metered(spy)
    metered.write(turns("red boat"))
    metered.read(ASK, 4)
    assert spy.seen == [tuple(turns("red boat"))]
    assert "gold" not in repr(vars(spy))


def test_systems_that_got_the_same_have_the_same_digest(turns: Turns) -> None:
    def received(memory: Memory | Oracle, given: list[Turn], size: int) -> str:
        metered = Metered(memory)
        for start in range(0, len(given), size):
            metered.write(given[start : start + size])
        return metered.counts.received

    given = turns("red boat", "noted", "oars", "fine")
    reference = received(Nothing(), given, 2)
    assert received(BM25(), given, 2) == received(Oracle(), given, 1) == reference
    assert received(Nothing(), given[::-1], 2) != reference
    assert received(Nothing(), given[:3], 2) != reference


def test_the_oracle_is_told_the_evidence() -> None:
    assert Metered(Oracle()).read(ASK, 512) == [Passage("gold fact", (0,))]


@pytest.mark.parametrize("turns", [None, "12", ([1],), (1.0,), (True,), 4, (object(),)])
def test_turns_that_are_no_numbers_are_refused(turns: Any) -> None:
    with pytest.raises(TypeError, match="turns are whole numbers"):
        as_passages([Passage("a boat", turns)])


@pytest.mark.parametrize("told", [None, {"calls": 1}, Usage(calls="x"), Usage(tokens=None)])  # type: ignore[arg-type]
def test_usage_that_is_none_is_refused(told: Any, turns: Turns) -> None:
    class Odd(Nothing):
        def usage(self) -> Any:
            return told

    with pytest.raises(TypeError, match=r"usage (returned no|must return)"):
        Metered(Odd()).write(turns("red boat"))


@pytest.mark.parametrize("given", [None, "text", {"a": 1}, [1], iter([])])
def test_what_is_no_list_of_passages_is_refused(given: Any) -> None:
    class Odd(Nothing):
        def read(self, query: str, budget: int) -> Any:
            return given

    with pytest.raises(TypeError):
        Metered(Odd()).read(ASK, 4)
