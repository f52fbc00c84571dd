from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.memory.conftest import HashingEmbedder, history
from tests.memory.scribe import Listed, Scribe, mem0

from actmem.errors import ProviderError
from actmem.memory.contract import check_contract
from actmem.memory.mem0 import Mem0
from actmem.memory.model import Model
from actmem.memory.packing import spent
from actmem.memory.protocol import Passage, Turn
from actmem.models.tape import Called, Tape

TURNS = history("my boat is red", "noted", "she is blue now", "aha", "I sold her", "a pity")


@contextmanager
def made(chat: Listed, folder: Path, tape: Tape | None = None) -> Iterator[Mem0]:
    with closing(Mem0(Model(chat, tape), HashingEmbedder(), folder)) as memory:
        yield memory


def write(memory: Mem0, turns: list[Turn] = TURNS) -> None:
    for start in range(0, len(turns), 2):
        memory.write(turns[start : start + 2])


def texts(memory: Mem0, query: str = "boat") -> set[str]:
    return {one.text for one in memory.read(query, 512)}


def test_memories_are_added_and_a_change_stands_beside_what_it_changes(tmp_path: Path) -> None:
    chat = Listed(mem0("The boat is red."), mem0("The boat is blue now."), mem0())
    with made(chat, tmp_path) as memory:
        memory.write(TURNS[:2])
        assert memory.read("boat", 512) == [Passage("day 1: The boat is red.")]
        write(memory, TURNS[2:])
        assert texts(memory) == {"day 1: The boat is red.", "day 1: The boat is blue now."}
    assert '[{"id": "0", "text": "The boat is red."}]' in chat.prompts[1]
    assert "user: my boat is red\nassistant: noted" in chat.prompts[1]


def test_the_same_memory_is_not_added_twice(tmp_path: Path) -> None:
    with made(Listed(mem0("It is red.", "It is red."), mem0("It is red.")), tmp_path) as memory:
        write(memory, TURNS[:4])
        assert memory.read("red", 512) == [Passage("day 1: It is red.")]


def test_the_date_is_that_of_the_history(tmp_path: Path) -> None:
    chat = Scribe()
    with made(chat, tmp_path) as memory:
        write(memory)
    dates = [prompt.rpartition("## Observation Date\n")[2][:10] for prompt in chat.prompts]
    assert dates == ["2024-01-01", "2024-01-01", "2024-01-02"]


def test_the_contract_holds(tmp_path: Path) -> None:
    assert check_contract(lambda: Mem0(Model(Scribe()), HashingEmbedder(), tmp_path)) == []


@pytest.mark.parametrize("budget", [0, 3, 11, 512])
def test_budgets_are_kept(budget: int, tmp_path: Path) -> None:
    with made(Scribe(), tmp_path) as memory:
        write(memory)
        found = memory.read("the red boat", budget)
    assert spent(found) <= budget
    assert bool(found) == bool(budget)


def test_empty_turns_and_queries_are_not_handed_on(tmp_path: Path) -> None:
    with made(Listed(), tmp_path) as memory:
        memory.write([Turn(0, 0, 0, "assistant", "")])
        assert memory.read(" ", 512) == []


def test_answers_of_tools_are_shown(tmp_path: Path) -> None:
    chat = Scribe()
    with made(chat, tmp_path) as memory:
        memory.write([Turn(0, 0, 0, "tool", "find: 7")])
    assert "assistant: Tool: find: 7" in chat.prompts[0]


def test_replies_that_do_not_fit_add_nothing_and_are_counted(tmp_path: Path) -> None:
    with made(Listed("prose", '{"memory": [{"text": "red"}]}'), tmp_path) as memory:
        memory.write(TURNS[:2])
        assert memory.read("red", 512) == []
    model = Model(Listed("prose", "prose"))
    with closing(Mem0(model, HashingEmbedder(), tmp_path / "b")) as memory:
        memory.write(TURNS[:2])
    assert model.usage.invalid == 2


def test_a_failing_model_is_named_as_it_failed(tmp_path: Path) -> None:
    chat = Listed(None, mem0("later"))
    with made(chat, tmp_path) as memory:
        for _ in range(2):
            with pytest.raises(ProviderError, match="listed: no answer"):
                memory.write(TURNS[:2])
    assert len(chat.prompts) == 1


def test_a_full_disk_is_not_hidden(tmp_path: Path) -> None:
    """The library stores one by one where storing fails, and goes on with those it could store."""
    reply = mem0(*(f"{number} {'red ' * 120}" for number in range(6)))
    with made(Listed(reply), tmp_path) as memory:
        collections = memory._memory.vector_store.client._client.collections
        store = collections["mem0"].storage.storage
        (pages,) = store.execute("PRAGMA page_count").fetchone()
        store.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(sqlite3.OperationalError, match="full"):
            memory.write(TURNS[:2])
        with pytest.raises(sqlite3.OperationalError, match="full"):
            memory.read("red", 512)


def test_a_write_that_broke_off_is_taken_up_from_its_tape(tmp_path: Path) -> None:
    replies = (mem0("The boat is red.", "Ada sails."), mem0("She is blue."), mem0("Sold."))
    calls: list[Called] = []
    with made(Listed(*replies), tmp_path / "a", Tape(write=calls.append)) as whole:
        write(whole)
        expected = whole.read("boat", 512)
    chat = Listed(replies[2])
    with made(chat, tmp_path / "b", Tape(calls[:2])) as again:
        write(again)
        assert again.read("boat", 512) == expected
    assert len(chat.prompts) == 1


def test_two_at_a_time_keep_apart_and_a_store_is_closed(tmp_path: Path) -> None:
    with made(Scribe(), tmp_path / "a") as one, made(Scribe(), tmp_path / "b") as two:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(write, (one, two), (TURNS[:2], TURNS[4:])))
        query = "my boat noted, sold a pity"
        assert texts(one, query) == {"day 1: my boat is red", "day 1: noted"}
        assert texts(two, query) == {"day 2: I sold her", "day 2: a pity"}
    with made(Scribe(), tmp_path / "a") as reopened:  # a lock that is still held would refuse
        assert reopened._memory.vector_store.client.count("mem0").count == 2
    files = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"history.sqlite", "meta.json", "storage.sqlite", ".lock"}


def test_optional_parts_stay_off_where_they_are_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "spacy.py").write_text("raise SystemExit('spacy is used')")
    (tmp_path / "fastembed.py").write_text(
        "class SparseTextEmbedding:\n"
        "    def __init__(self, **_):\n        raise SystemExit('fastembed is used')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with caplog.at_level(logging.WARNING), made(Scribe(), tmp_path / "a") as memory:
        write(memory)
        assert "day 1: my boat is red" in texts(memory)
    assert caplog.text == ""
