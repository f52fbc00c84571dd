"""The memory libraries in a run: the same turns as all systems, and faults that lose nothing."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.memory.conftest import Typical, parts

from actmem import hashing
from actmem.errors import StoppedError
from actmem.mem2act.data import Dataset
from actmem.mem2act.history import History
from actmem.mem2act.record import Wrote
from actmem.mem2act.table import result_lines
from actmem.memory.metered import Metered
from actmem.memory.registry import find_memory
from actmem.models.budget import Budget, BudgetedChat
from actmem.models.tape import Called

from .conftest import read_all, write_history
from .test_writing import SECRET, events, play

LIBRARIES = ("langmem", "mem0")


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_gets_the_same_turns_and_budget(
    data: Dataset, tmp_path: Path, library: str
) -> None:
    history = History(data)
    counts = []
    for name in (library, "long-term"):
        memory = Metered(find_memory(name).make(parts(Typical(), tmp_path)))
        write_history(memory, history)
        read_all(memory, history)
        memory.close()
        counts.append(memory.counts)
    assert counts[0].received == counts[1].received
    assert counts[0].budgets == counts[1].budgets == (512,)
    assert counts[0].over_budget == 0


@pytest.mark.parametrize("library", LIBRARIES)
def test_neither_queries_nor_golds_are_seen_while_writing(
    data: Dataset, tmp_path: Path, library: str
) -> None:
    chat = Typical()
    (row,) = play(data, tmp_path / "run", [library], chat)
    assert (row.status, row.answered) == ("complete", 2)
    assert row.cost.write_usage.calls == 9
    assert row.cost.read_usage.calls == 0
    recorded = events(tmp_path / "run")
    last = max(place for place, event in enumerate(recorded) if isinstance(event, Wrote))
    told = [m.content for e in recorded[:last] if isinstance(e, Called) for m in e.messages]
    assert any("harbour inn" in text for text in told)
    assert not any("as I said" in text or SECRET in text for text in told)
    assert len(set(told)) == len(told)


def test_the_result_names_library_and_generation(data: Dataset, tmp_path: Path) -> None:
    rows = play(data, tmp_path / "run", LIBRARIES, Typical())
    lines = "\n".join(result_lines(rows))
    assert "langmem: langmem 0." in lines
    assert f"mem0: mem0ai {version('mem0ai')}, third generation" in lines
    constants = rows[1].plain()["constants"]
    assert (constants["generation"], constants["search"]) == (3, "dense")
    assert constants["first_day"] == "2024-01-01"


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dies", [1, 5])
def test_a_dead_endpoint_fails_the_episode_which_goes_on_without_repeating_a_call(
    data: Dataset, tmp_path: Path, library: str, dies: int
) -> None:
    first, second, whole = Typical(dies=dies), Typical(), Typical()
    (row,) = play(data, tmp_path / "run", [library], first)
    assert (row.status, row.answered) == ("failed", 0)
    assert "no route to host" in row.error
    (row,) = play(data, tmp_path / "run", [library], second)
    assert row.status == "complete"
    play(data, tmp_path / "whole", [library], whole)
    assert first.prompts + second.prompts == whole.prompts
    assert events(tmp_path / "run") == events(tmp_path / "whole")
    assert not list((tmp_path / "run" / "traces").glob("*.attempt-*"))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_spent_budget_stops_a_library_too(data: Dataset, tmp_path: Path, library: str) -> None:
    first, second = Typical(), Typical()
    with pytest.raises(StoppedError, match="tokens are spent"):
        play(data, tmp_path / "run", [library], BudgetedChat(first, Budget(25_000 if library == "mem0" else 5_000)))  # fmt: skip
    (row,) = play(data, tmp_path / "run", [library], second)
    assert row.status == "complete"
    assert len(first.prompts) + len(second.prompts) == 11


@pytest.mark.parametrize("library", LIBRARIES)
def test_garbage_is_counted_and_stops_nothing(data: Dataset, tmp_path: Path, library: str) -> None:
    class Prose(Typical):
        def complete(self, messages: Any, schema: Any = None) -> Any:
            found = super().complete(messages, schema)
            if schema.name == "call":
                return found
            return replace(found, text="Well.", parsed=None, problem="no JSON")

    (row,) = play(data, tmp_path / "run", [library], Prose())
    assert (row.status, row.answered) == ("complete", 2)
    assert row.cost.write_usage.invalid == row.cost.write_usage.calls == 18


def test_a_library_that_raises_is_one_line_and_its_episode_goes_on(
    data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qdrant_client.local.persistence import CollectionPersistence

    real = CollectionPersistence.persist
    left = [3]

    def persist(self: CollectionPersistence, point: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        real(self, point)

    monkeypatch.setattr(CollectionPersistence, "persist", persist)
    first, second, whole = (Varied() for _ in range(3))
    (row,) = play(data, tmp_path / "run", ["mem0"], first)
    assert row.status == "failed"
    assert row.error == "memory: OSError: [Errno 28] No space left on device"
    monkeypatch.undo()
    (row,) = play(data, tmp_path / "run", ["mem0"], second)
    assert row.status == "complete"
    play(data, tmp_path / "whole", ["mem0"], whole)
    assert first.prompts + second.prompts == whole.prompts


class Varied(Typical):
    """Has something new to keep each time."""

    def complete(self, messages: Any, schema: Any = None) -> Any:
        found = super().complete(messages, schema)
        if schema.name == "memories":
            text = hashing.digest(messages[-1].content)
            reply = {"memory": [{"id": "0", "text": text, "attributed_to": "user"}]}
            found = replace(found, text=json.dumps(reply), parsed=reply)
        return found
