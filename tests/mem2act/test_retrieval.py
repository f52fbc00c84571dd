from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.mem2act.conftest import ROOT
from tests.memory.conftest import parts

from actmem.mem2act.data import Dataset, load
from actmem.mem2act.grounding import why_not
from actmem.mem2act.history import History
from actmem.mem2act.retrieval import covers, measure, present, retrieval
from actmem.mem2act.table import percent
from actmem.memory.metered import Metered
from actmem.memory.protocol import Passage, Turn
from actmem.memory.registry import BUILT_IN, find_memory

from .conftest import read_all, write_history

Row = Callable[..., dict[str, Any]]
Build = Callable[..., Path]


def chain(*facts: tuple[str, str]) -> list[dict[str, str]]:
    """Return a chain from pairs of source and words."""
    return [{"attribute": "A", "source_id": s, "fact": w, "source_text": w} for s, w in facts]


def test_the_history_is_given_in_pairs_and_in_order(build: Build, session_row: Row) -> None:
    history = History(load(build(sessions=[session_row("s1"), session_row("s2")])))
    pairs = list(history.pairs())
    assert [len(pair) for pair in pairs] == [2, 2, 1, 2, 2, 1]
    assert [turn.id for pair in pairs for turn in pair] == list(range(10))
    assert [turn.minute for turn in history.turns] == [0, 1, 2, 3, 4, 1440, 1441, 1442, 1443, 1444]
    assert history.turns[1].text == 'Looking.\nfind_place({"name": "Lighthouse Grill"})'
    assert history.turns[2].text == "find_place: Lighthouse Grill: open"


def test_turns_hold_nothing_of_tasks(build: Build) -> None:
    assert set(Turn.__struct_fields__) == {"id", "session", "minute", "role", "text"}
    history = History(load(build()))
    everything = " ".join(turn.text for turn in history.turns)
    for hidden in ("Book it as I said", "book_table", "c1"):
        assert hidden not in everything


def test_a_fact_is_stated_by_the_turns_with_its_words(build: Build, task_row: Row) -> None:
    rows = chain(("c1", "FIND me a  table"), ("c2", "not said"), ("gone", "anything"))
    history = History(load(build([task_row(evolution_chain=rows)])))
    evidence = history.evidence(history.data.tasks[0])
    assert evidence.turns == ((0,), (3, 4), ())
    assert evidence.sessions == (0,)
    # token offsets: turn 0 at 0, turns 3 and 4 behind the first three and four
    offsets = history.offsets
    assert history.position(evidence) == (offsets[0] + offsets[3] + offsets[4]) / 3 / offsets[5]


def test_evidence_that_is_nowhere_has_no_position(build: Build, task_row: Row) -> None:
    lost = task_row(source_conversation_ids=["gone"], evolution_chain=chain(("gone", "x")))
    history = History(load(build([lost])))
    assert history.position(history.evidence(history.data.tasks[0])) is None


def test_metrics_of_one_task_by_hand(build: Build, task_row: Row) -> None:
    rows = chain(("c1", "Find me a table"), ("c2", "Nine metres"), ("gone", "lost words"))
    history = History(load(build([task_row(evolution_chain=rows)])))
    task = history.data.tasks[0]
    passages = [
        Passage("stranger", (2,)),
        Passage("user: Find me a table for 4 tonight.", (0,)),
        Passage("again: find me a table for 4", (0,)),
        Passage("He said: nine metres!"),
    ]
    found = measure(history, task, passages)
    assert found.recall == pytest.approx({"1": 0, "3": 1 / 3, "5": 2 / 3, "all": 2 / 3})
    assert found.mrr == 0.5
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert found.ndcg == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)
    assert found.values == 0.5  # 4 is there, the Lighthouse Grill is not
    nothing = measure(history, task, [])
    assert (nothing.recall["all"], nothing.mrr, nothing.ndcg, nothing.values) == (0, 0, 0, 0)


def test_facts_of_one_turn_need_one_passage(build: Build, task_row: Row) -> None:
    rows = chain(("c1", "Find me"), ("c1", "table for 4"))
    history = History(load(build([task_row(evolution_chain=rows)])))
    found = measure(
        history, history.data.tasks[0], [Passage("user: Find me a table for 4 tonight.", (0,))]
    )
    assert (found.recall["1"], found.ndcg) == (1.0, 1.0)


def test_a_passage_of_two_turns_takes_the_places_of_both(build: Build, task_row: Row) -> None:
    rows = chain(("c1", "Find me a table"), ("c2", "Nine metres"))
    history = History(load(build([task_row(evolution_chain=rows)])))
    task, pair = (
        history.data.tasks[0],
        Passage("Find me a table for 4 tonight. Nine metres.", (0, 4)),
    )
    assert measure(history, task, [pair]).ndcg == 1.0
    late = measure(history, task, [Passage("stranger", (2,)), pair]).ndcg
    ideal = 1 + 1 / math.log2(3)
    assert late == pytest.approx((1 / math.log2(3) + 1 / math.log2(4)) / ideal)


def test_defaults_and_truth_values_need_no_memory(build: Build, task_row: Row) -> None:
    call = {
        "name": "book_table",
        "arguments": {"people": 9, "quiet": True},
        "grounding_info": {"people": {"type": "default"}, "quiet": {"type": "explicit"}},
    }
    history = History(load(build([task_row(tool_call=call)])))
    assert measure(history, history.data.tasks[0], []).values is None


def test_words_cover_a_fact_only_as_a_whole(build: Build, task_row: Row) -> None:
    fact = load(build()).tasks[0].evolution_chain[0]
    assert covers(Passage("I said: a table for 4."), fact, ())
    assert not covers(Passage("a table for 40"), fact, ())


def test_a_turn_covers_a_fact_where_it_is_named_and_whole(build: Build, task_row: Row) -> None:
    fact = load(build()).tasks[0].evolution_chain[0]
    said = Turn(9, 0, 0, "user", "four seats, please")
    assert covers(Passage("day 1, user: four seats, please", (9,)), fact, [said])
    assert not covers(Passage("day 1, user: four seats, please"), fact, [said])
    assert not covers(Passage("day 1, user: four seats", (9,)), fact, [said])  # cut
    assert not covers(Passage("", (9,)), fact, [Turn(9, 0, 0, "user", "")])


def test_the_days_of_passages_are_no_values(build: Build, task_row: Row) -> None:
    task = load(build()).tasks[0]
    for label in ("day 4: ", "day 4, user: ", "up to day 4, summary: "):
        assert present(task, [Passage(f"{label}the boat is red")]) == 0.0
        assert present(task, [Passage(f"{label}we are 4")]) == 0.5


OWN = [name for name, entry in BUILT_IN.items() if entry.extra in ("", "memory")]
"""All but the libraries, which take seconds for a history: ``test_libraries`` has a short one."""
FREE = [name for name, entry in BUILT_IN.items() if not entry.model]
"""The systems that call no model."""


@pytest.mark.parametrize("name", OWN)
def test_every_system_gets_the_same(name: str) -> None:
    history = History(load("mini"))
    memory, reference = played(name, history), played("none", history)
    assert memory.counts.received == reference.counts.received
    assert memory.counts.turns == len(history.turns)
    assert (memory.counts.budgets, memory.counts.over_budget) == ((512,), 0)


def played(name: str, history: History) -> Metered:
    """Return a system that was given the history and asked for every task."""
    memory = Metered(find_memory(name).make(parts()))
    write_history(memory, history)
    read_all(memory, history)
    return memory


def recalls(data: Dataset) -> dict[str, float]:
    """Return each system's recall over all tasks."""
    history = History(data)
    found = {}
    for name in FREE:
        memory = Metered(find_memory(name).make(parts()))
        write_history(memory, history)
        means = retrieval(history, read_all(memory, history))["all"].means
        found[name] = means["recall"] or 0.0
    return found


@pytest.mark.parametrize("name", ["mini", "mini-10"])
def test_the_shipped_data_are_hard_and_not_hopeless(name: str) -> None:
    found = recalls(load(name))
    assert (found["none"], found["oracle"]) == (0.0, 1.0)
    assert found["full"] < 0.3
    assert 0.3 < found["bm25"] < 0.6
    assert found["oracle-sessions"] > 0.95


def test_the_table_of_the_docs() -> None:
    """The systems that need no embeddings come out on mini as docs/mem2act.md prints them."""
    history = History(load("mini"))
    printed = (ROOT / "docs" / "mem2act.md").read_text("utf-8").split("On `mini`")[1]
    for name in ("none", "full", "bm25", "oracle-sessions", "oracle"):
        memory = Metered(find_memory(name).make(parts()))
        write_history(memory, history)
        found = retrieval(history, read_all(memory, history))["all"]
        columns = ("recall@1", "recall@3", "recall@5", "mrr", "ndcg@5", "values")
        cells = [name, *(percent(found.means[column]) for column in columns)]
        assert f"| {' | '.join(cells)} | {found.tokens:.0f} |" in printed


def test_the_oracle_gives_all_from_which_the_gold_values_follow() -> None:
    history = History(load("mini"))
    memory = Metered(find_memory("oracle").make(parts()))
    write_history(memory, history)
    for qa_id, passages in read_all(memory, history).items():
        task = next(task for task in history.data.tasks if task.qa_id == qa_id)
        told = "\n".join(passage.text for passage in passages)
        assert [why_not(task, name, told) for name in task.tool_call.arguments] == [
            None for _ in task.tool_call.arguments
        ]


def test_the_oracle_bounds_the_others_on_the_sample(sample: Path) -> None:
    found = recalls(load(sample))
    assert found["oracle"] == 1.0
    assert found["oracle"] > found["oracle-sessions"] > found["bm25"] > 0.3
    assert found["full"] == found["none"] == 0
