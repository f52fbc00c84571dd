from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actmem.mem2act.analyse import BINS, MODES, Analysis, analyse, position_bin
from actmem.mem2act.data import load
from actmem.mem2act.history import History
from actmem.mem2act.predictions import Prediction
from actmem.memory.protocol import Passage

Row = Callable[..., dict[str, Any]]
Build = Callable[..., Path]
RETRIEVED = [Passage("user: a table for 4 at the Lighthouse Grill, not the Harbour Inn", (0,))]


@pytest.fixture
def run(build: Build, task_row: Row) -> Callable[..., Analysis]:
    """Return a function that analyses one call on a task with a default and a truth value."""
    call = {
        "name": "book_table",
        "arguments": {"people": 4, "place": "Lighthouse Grill", "note": "none", "quiet": True},
        "grounding_info": {
            "people": {"type": "explicit"}, "place": {"type": "inferred", "source_text": "the usual place"},
            "note": {"type": "default"}, "quiet": {"type": "explicit"},
        },
    }  # fmt: skip

    def analysed(
        arguments: dict[str, Any] | None,
        passages: list[Passage] = RETRIEVED,
        name: str = "book_table",
    ) -> Analysis:
        history = History(load(build([task_row(tool_call=call)])))
        found = {"t1": Prediction("t1", name, arguments)}
        return analyse(history, found, {"t1": passages})

    return analysed


GOLD = {"people": 4, "place": "Lighthouse Grill", "note": "none", "quiet": True}


def test_gold_has_no_errors(run: Callable[..., Analysis]) -> None:
    found = run(GOLD)
    assert (found.modes.slots, found.modes.wrong, found.extra_arguments) == (4, 0, 0)
    assert {share.accuracy for share in found.by_grounding.values()} == {1.0}
    assert found.modes.share_of_errors == dict.fromkeys(MODES)
    assert found.modes.rate == dict.fromkeys(MODES, 0.0)
    assert found.modes.invented_from_passages is None


@pytest.mark.parametrize(
    ("changes", "passages", "mode"),
    [
        ({"people": 5}, [], "retrieval miss"),
        ({"people": 5}, RETRIEVED, "infidelity"),
        ({"place": "Harbour Inn"}, RETRIEVED, "retrieved unused"),
        ({"place": "as I said"}, RETRIEVED, "retrieved unused"),
        ({"place": None}, RETRIEVED, "infidelity"),
        ({"note": "Harbour Inn"}, RETRIEVED, "invented default"),
        ({"quiet": False}, RETRIEVED, "infidelity"),
        ({"quiet": False}, [Passage("Harbour Inn", (3,))], "retrieval miss"),
        ({"people": 5}, [Passage("day 4: a table for us")], "retrieval miss"),
        ({"place": "Inn"}, [Passage("a table for 4")], "infidelity"),  # all facts are there
        ({"place": "Inn"}, [Passage("the usual place")], "infidelity"),  # and so are the words
        ({"people": 5}, [Passage("the usual place")], "retrieval miss"),
    ],
)
def test_each_wrong_slot_has_one_mode(
    run: Callable[..., Analysis], changes: dict[str, Any], passages: list[Passage], mode: str
) -> None:
    found = run(GOLD | changes, passages).modes
    assert found.wrong == 1
    assert {name for name, number in found.counts.items() if number} == {mode}
    assert found.rate[mode] == 0.25
    assert found.share_of_errors[mode] == 1.0


def test_a_slot_left_out_was_retrieved_and_not_used(run: Callable[..., Analysis]) -> None:
    found = run({"people": 4, "note": "none", "quiet": True})
    assert found.modes.counts["retrieved unused"] == 1


def test_the_wrong_tool_goes_first_and_counts_its_wrong_slots(
    run: Callable[..., Analysis],
) -> None:
    assert run(GOLD | {"people": 5}, [], "cancel_table").modes.counts["wrong tool"] == 1
    assert run(None).modes.counts["wrong tool"] == 4


def test_invented_defaults_may_come_from_a_distractor(run: Callable[..., Analysis]) -> None:
    assert run(GOLD | {"note": "Harbour Inn"}).modes.invented_from_passages == 1.0
    assert run(GOLD | {"note": "vegan"}).modes.invented_from_passages == 0.0
    without = {name: value for name, value in GOLD.items() if name != "note"}
    assert run(without).modes.invented_from_passages is None
    assert run(without).modes.counts["invented default"] == 1


def test_slots_are_grouped(run: Callable[..., Analysis]) -> None:
    found = run(GOLD | {"place": "lighthouse grill", "extra": 1})
    assert found.by_grounding["inferred"].accuracy == 0.0
    assert found.by_grounding["inferred"].normalised == 1.0
    assert (found.by_class["short string"].slots, found.by_class["short string"].accuracy) == (
        2,
        0.5,
    )
    assert (found.by_class["list"].slots, found.by_class["list"].accuracy) == (0, None)
    assert found.by_level["L1"].slot_accuracy == 0.75
    assert found.extra_arguments == 1


def test_tasks_are_grouped_by_where_their_evidence_stands(
    build: Build, task_row: Row, session_row: Row
) -> None:
    sessions = [session_row(f"s{i}") for i in range(8)]
    for i, session in enumerate(sessions):
        for turn in session["turns"]:
            turn["source_id"] = f"k{i}"
    tasks = [
        task_row(
            f"t{i}",
            source_conversation_ids=[f"k{i}"],
            evolution_chain=[
                {"attribute": "A", "fact": "F", "source_id": f"k{i}", "source_text": "Find me"}
            ],
        )
        for i in (0, 2, 7, 9)
    ]
    history = History(load(build(tasks, sessions)))
    assert [position_bin(history, task) for task in history.data.tasks] == [
        BINS[0], BINS[1], BINS[3], BINS[4],
    ]  # fmt: skip
    found = analyse(history, {}, {}).by_position
    assert [found[name].tasks for name in BINS] == [1, 1, 0, 1, 1]
    assert found["50-75%"].f1 is None


def test_the_whole_sample_can_be_analysed(sample: Path) -> None:
    history = History(load(sample))
    tasks = history.data.tasks
    gold = {t.qa_id: Prediction(t.qa_id, t.tool, t.tool_call.arguments) for t in tasks}
    assert analyse(history, gold, {}).modes.wrong == 0
    empty = {t.qa_id: Prediction(t.qa_id, t.tool, {}) for t in tasks}
    found = analyse(history, empty, {})
    assert found.modes.counts == {
        "wrong tool": 0, "invented default": 6, "retrieval miss": 59, "infidelity": 0,
        "retrieved unused": 0,
    }  # fmt: skip
    assert sum(share.tasks for share in found.by_position.values()) == 31
    assert found.by_position["nowhere"].tasks == 2
