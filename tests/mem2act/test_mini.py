"""The data set that is shipped: sound, of the size that is promised, and each part of it of use."""

from __future__ import annotations

import json

import pytest
from tests.memory.conftest import HashingEmbedder

from actmem.mem2act.data import Dataset, load
from actmem.mem2act.defects import defects
from actmem.mem2act.history import History
from actmem.mem2act.negatives import MOST, choices
from actmem.mem2act.reader import call_schema
from actmem.mem2act.schema import parameters
from actmem.mem2act.stats import stats
from actmem.memory.tokens import count_tokens


@pytest.fixture(scope="module")
def mini() -> Dataset:
    return load("mini")


@pytest.fixture(scope="module")
def ten() -> Dataset:
    return load("mini-10")


@pytest.mark.parametrize("name", ["mini", "mini-10"])
def test_it_has_no_defect_in_a_strict_check(name: str) -> None:
    assert defects(load(name), strict=True) == []


def test_it_is_as_large_as_promised(mini: Dataset) -> None:
    found = stats(mini)
    assert found["sessions"] >= 40
    assert found["tasks"] >= 60
    assert found["tools"] >= 20
    assert 12_000 <= found["tokens"] <= 20_000
    assert set(found["levels"]) == {"L1", "L2", "L3", "L4"}
    assert min(found["levels"].values()) >= found["tasks"] / 8
    assert 0.2 < found["share_with_conflicts"] < 0.6
    assert set(found["slots_by_class"]) >= {
        "boolean", "number", "short string", "identifier", "list", "nested",
    }  # fmt: skip


def test_a_task_rests_on_one_to_four_facts(mini: Dataset) -> None:
    for task in mini.tasks:
        assert 1 <= len(task.evolution_chain) <= 4
        texts = [grounding.source_text for grounding in task.tool_call.grounding_info.values()]
        for fact in task.evolution_chain:  # each is needed
            assert any(fact.source_text in (text or "") for text in texts), task.qa_id


def test_levels_and_conflicts_are_what_they_say(mini: Dataset) -> None:
    for task in mini.tasks:
        several = len(task.source_conversation_ids) > 1
        inferred = any(g.type == "inferred" for g in task.tool_call.grounding_info.values())
        level = f"L{1 + 2 * several + inferred}"
        assert task.complexity_metadata.level == level, task.qa_id
        corrects = any(fact.supersedes for fact in task.evolution_chain)
        assert task.complexity_metadata.has_temporal_conflict is corrects, task.qa_id


def test_an_inferred_value_states_its_inference(mini: Dataset) -> None:
    for task in mini.tasks:
        for name, grounding in task.tool_call.grounding_info.items():
            assert (grounding.type == "inferred") is bool(grounding.inference), (task.qa_id, name)


def test_a_reader_can_give_every_gold_call(mini: Dataset) -> None:
    for task in mini.tasks:
        call = {"name": task.tool, "arguments": task.tool_call.arguments}
        schema = call_schema([task.target_tool_schema])
        assert schema.parse(json.dumps(call)) == call, task.qa_id


def test_token_counts_are_right(mini: Dataset) -> None:
    for session, turns in zip(mini.sessions, History(mini).by_session(), strict=True):
        assert session.token_count == sum(count_tokens(turn.text) for turn in turns)


def test_some_sessions_only_distract(mini: Dataset) -> None:
    history = History(mini)
    needed = {number for task in mini.tasks for number in history.evidence(task).sessions}
    assert 3 <= len(mini.sessions) - len(needed) <= 10


def test_every_tool_has_others_that_are_like_it(mini: Dataset) -> None:
    shown = choices(mini, MOST, HashingEmbedder(), 0)
    for task in mini.tasks:
        assert len(set(shown[task.qa_id])) == MOST + 1
        assert task.tool in shown[task.qa_id]
        like = [name for name in mini.tools if name != task.tool and kin(mini, name, task.tool)]
        assert len(like) >= 2, task.tool


def kin(data: Dataset, one: str, two: str) -> bool:
    """Return whether two tools are about one thing: by a word of their names, or a parameter."""
    common = {"date", "time", "from", "to", "start", "reason", "quantity", "minutes"}

    def things(name: str) -> set[str]:
        return {*name.split("_")[1:], *parameters(data.tools[name])} - common

    return not things(one).isdisjoint(things(two))


def test_the_slice_stands_by_itself(ten: Dataset, mini: Dataset) -> None:
    assert (len(ten.tasks), len(ten.sessions)) == (10, 8)
    assert all(map(ten.complete, ten.tasks))
    assert {task.complexity_metadata.level for task in ten.tasks} == {"L1", "L2", "L3", "L4"}
    for session in ten.sessions:
        assert len(session.turns) <= 12
        assert session.token_count <= 800
    assert set(ten.tools) == set(mini.tools)
