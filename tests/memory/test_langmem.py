from __future__ import annotations

import threading
from typing import Any

import pytest
from tests.memory.conftest import HashingEmbedder, history
from tests.memory.scribe import Listed, Scribe, langmem, patched, removed, shown

from actmem.errors import ProviderError
from actmem.memory.contract import check_contract
from actmem.memory.langmem import LangMem
from actmem.memory.model import Model
from actmem.memory.packing import spent
from actmem.memory.protocol import Passage, Turn
from actmem.models.tape import Called, Tape

TURNS = history("my boat is red", "noted", "she is blue now", "aha", "I sold her", "a pity")


def made(chat: Listed, tape: Tape | None = None) -> LangMem:
    return LangMem(Model(chat, tape), HashingEmbedder())


def write(memory: LangMem, turns: list[Turn] = TURNS) -> None:
    for start in range(0, len(turns), 2):
        memory.write(turns[start : start + 2])


def test_a_memory_is_inserted_patched_and_removed() -> None:
    chat = Listed(langmem("The boat is red."), patched("The boat is blue."), removed)
    memory = made(chat)
    memory.write(TURNS[:2])
    assert memory.read("boat", 512) == [Passage("day 1: The boat is red.")]
    memory.write(TURNS[2:4])
    assert memory.read("boat", 512) == [Passage("day 1: The boat is blue.")]
    memory.write(TURNS[4:])
    assert memory.read("boat", 512) == []
    assert [bool(shown(prompt)) for prompt in chat.prompts] == [False, True, True]
    assert "The boat is red." in chat.prompts[1]


def test_what_is_kept_already_is_not_kept_twice() -> None:
    memory = made(Listed(langmem("The boat is red."), patched("The boat is red.")))
    write(memory, TURNS[:4])
    assert memory.read("boat", 512) == [Passage("day 1: The boat is red.")]


def test_calls_that_name_no_memory_change_nothing() -> None:
    wrong = {"json_doc_id": "none", "planned_edits": "", "patches": []}
    replies = [
        langmem("The boat is red."),
        {"calls": [{"name": "PatchDoc", "args": wrong}]},
        {"calls": [{"name": "RemoveDoc", "args": {"json_doc_id": "none"}}]},
        *[{"calls": [{"name": "PatchFunctionErrors", "args": wrong}]}] * 3,
    ]
    memory = made(Listed(*replies))
    write(memory)
    assert [one.text for one in memory.read("boat", 512)] == ["day 1: The boat is red."]


def test_the_contract_holds() -> None:
    assert check_contract(lambda: made(Scribe())) == []


@pytest.mark.parametrize("budget", [0, 3, 11, 512])
def test_budgets_are_kept(budget: int) -> None:
    memory = made(Scribe())
    write(memory)
    found = memory.read("the red boat", budget)
    assert spent(found) <= budget
    assert bool(found) == bool(budget)


def test_empty_turns_are_not_written() -> None:
    memory = made(Listed())
    memory.write([Turn(0, 0, 0, "assistant", "")])
    assert memory.read("boat", 512) == []


def test_answers_of_tools_are_shown() -> None:
    chat = Scribe()
    made(chat).write([Turn(0, 0, 0, "assistant", "find(x)"), Turn(1, 0, 1, "tool", "find: 7")])
    assert "Tool Message" in chat.prompts[0]
    assert "find: 7" in chat.prompts[0]


def test_a_failing_model_is_not_taken_for_a_silent_one() -> None:
    chat = Listed(langmem("The boat is red."), None, langmem("later"))
    memory = made(chat)
    memory.write(TURNS[:2])
    for _ in range(2):
        with pytest.raises(ProviderError, match="listed: no answer"):
            memory.write(TURNS[2:4])
    assert len(chat.prompts) == 2


def test_a_failing_embedder_is_not_hidden() -> None:
    class Broken(HashingEmbedder):
        def embed(self, texts: Any) -> Any:
            if any("red" in text for text in texts):
                raise RuntimeError("no vectors")
            return super().embed(texts)

    memory = LangMem(Model(Listed(langmem("The boat is red."))), Broken())
    with pytest.raises(RuntimeError, match="no vectors"):
        memory.write([Turn(0, 0, 0, "user", "my boat")])


def test_a_write_that_broke_off_is_taken_up_from_its_tape() -> None:
    replies = (langmem("The boat is red.", "Ada sails."), patched("She is blue."), langmem("Sold."))
    calls: list[Called] = []
    whole = made(Listed(*replies), Tape(write=calls.append))
    write(whole)
    chat = Listed(replies[2])
    again = made(chat, Tape(calls[:2]))
    write(again)
    assert again.read("boat", 512) == whole.read("boat", 512)
    assert len(chat.prompts) == 1


def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()
    memory = made(Scribe())
    write(memory)
    memory.read("boat", 512)
    assert threading.active_count() == before
