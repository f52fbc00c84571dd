from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actmem.errors import InputError
from actmem.mem2act.data import Dataset, load
from actmem.mem2act.predictions import Prediction, prediction, read_predictions
from actmem.mem2act.score import MEANS, CallScore, Result, score, score_call

Row = Callable[..., dict[str, Any]]
Build = Callable[..., Path]
GOLD = {"people": 4, "place": "Lighthouse Grill"}


def gold(data: Dataset) -> dict[str, Prediction]:
    return {t.qa_id: Prediction(t.qa_id, t.tool, t.tool_call.arguments) for t in data.tasks}


def of(arguments: dict[str, Any], tool: str = "book_table") -> CallScore:
    return score_call(tool, arguments, "book_table", GOLD)


def test_the_reference_scores_come_out_on_every_row(sample: Path) -> None:
    lines = (sample / "scored_predictions.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 45
    for row in map(json.loads, lines):
        found = score_call(row["pred_tool"], row["pred_args"], row["gold_tool"], row["gold_args"])
        got = [found.f1, found.bleu1, found.slot_accuracy, found.em, found.tsa]
        wanted = [row["f1"], row["bleu1"], row["slot_acc"], row["em"], row["tsa"]]
        assert got == pytest.approx([float(value) for value in wanted], abs=1e-9), row["qa_id"]


def scores_one(data: Dataset) -> Result:
    """Score the gold calls, and return the result once all of it is found to be 1."""
    result = score(data, gold(data))
    for group in (result.all, result.resolvable, result.complete, *result.by_level.values()):
        for name in (*MEANS, "arg_f1"):
            assert getattr(group, name) == 1.0, name
    return result


def test_gold_scores_one_on_every_metric_of_the_sample(sample: Path) -> None:
    result = scores_one(load(sample))
    assert (result.all.tasks, result.resolvable.tasks) == (31, 29)


def test_gold_scores_one_on_every_metric() -> None:
    data = load("mini")
    result = scores_one(data)
    assert result.all.tasks == result.complete.tasks == len(data.tasks)


def test_tokens_are_compared_as_multisets() -> None:
    found = of({"people": 4, "place": "the Grill, the other Grill"})
    # gold: 4 lighthouse grill; found: 4 the grill the other grill; common: 4 grill
    assert found.f1 == pytest.approx(2 * 2 / (6 + 3))
    assert found.bleu1 == pytest.approx(2 / 6)
    assert found.slot_accuracy == 0.5
    assert found.slot_f1 == 0.5
    assert found.em == 0


def test_the_whole_call_has_its_own_overlap() -> None:
    found = of({"people": 4}, "cancel_table")
    # found: cancel_table people 4; gold: book_table people place 4 lighthouse grill
    assert found.bleu1_call == pytest.approx(2 / 3)
    assert found.bleu1 == 1.0


def test_another_type_is_another_value() -> None:
    found = of({"people": "4", "place": "lighthouse grill"})
    assert (found.f1, found.slot_f1, found.slot_accuracy, found.em) == (1.0, 0.0, 0.0, 0.0)
    assert found.slot_f1_normalised == 1.0


def test_arguments_too_many_cost_precision_and_exactness() -> None:
    found = of({**GOLD, "quiet": True})
    assert found.slot_accuracy == 1.0
    assert found.slot_f1 == pytest.approx(2 * 2 / 5)
    assert found.em == 0.0
    assert found.f1 == pytest.approx(6 / 7)


def test_the_wrong_tool_leaves_the_arguments_their_score() -> None:
    found = of(GOLD, "cancel_table")
    assert (found.tsa, found.em, found.tool_accuracy) == (0.0, 0.0, 0.0)
    assert (found.f1, found.slot_accuracy) == (1.0, 1.0)


def test_calls_without_arguments() -> None:
    assert score_call("a", {}, "a", {}) == CallScore(
        **dict.fromkeys(CallScore.__struct_fields__, 1.0)
    )
    some = score_call("a", {"x": 1}, "a", {})
    assert (some.f1, some.slot_f1, some.bleu1, some.slot_accuracy, some.em) == (0, 0, 0, 0, 0)
    none = of({})
    assert (none.f1, none.slot_f1, none.bleu1, none.slot_accuracy) == (0, 0, 0, 0)


def test_missing_and_unusable_calls_score_nothing_and_stay(build: Build, task_row: Row) -> None:
    data = load(build([task_row(name) for name in "abcd"]))
    found = gold(data)
    del found["b"]
    found["c"] = Prediction("c", "book_table", None)
    found["d"] = Prediction("d", "cancel_table", GOLD)
    result = score(data, found)
    assert (result.missing, result.unusable, result.all.tasks) == (1, 1, 4)
    assert (result.all.f1, result.all.em, result.all.tsa) == (0.5, 0.25, 0.25)
    assert result.all.arg_f1 == 1.0


def test_a_group_without_tasks_has_no_score(build: Build, task_row: Row) -> None:
    lost = task_row(source_conversation_ids=["gone"], evolution_chain=[])
    result = score(load(build([lost])), {})
    assert result.resolvable.tasks == 0
    assert result.resolvable.f1 is None
    assert (result.all.f1, result.all.arg_f1) == (0.0, None)


@pytest.mark.parametrize(
    ("name", "arguments", "usable"),
    [
        ("a", {}, True), ("a", '{"x": 1}', True), (4, {}, True), ("a", "no json", False),
        ("a", '"{}"', False), ("a", [1], False), ("a", None, False), (None, {}, False),
        ("", {}, False), (True, {}, False), ("a", {"x": float("nan")}, False),
        ("a", '{"x": NaN}', False), ("a", '{"x": 1e999}', False), ("a", f'{{"x": {"9" * 5000}}}', False),
        ("a", '{"x":' * 63 + "{}" + "}" * 63, True), ("a", '{"x":' * 64 + "{}" + "}" * 64, False),
        ("a", '{"x":' * 9000 + "1" + "}" * 9000, False),
    ],
)  # fmt: skip
def test_what_is_a_usable_call(name: Any, arguments: Any, usable: bool) -> None:
    assert prediction("t", name, arguments).usable is usable


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ('{"qa_id": "t1"}\n{"qa_id": "t1"}', ":2: a second prediction for 't1'"),
        ('{"qa_id": "t9"}', ":1: data has no task 't9'"),
        ("{}", "qa_id"),
        ('["t1"]', "qa_id"),
        ('{"qa_id": 1}', "qa_id"),
        ("[", ":1:"),
    ],
)
def test_rows_that_do_not_fit_are_errors(build: Build, rows: str, says: str) -> None:
    folder = build()
    path = folder / "predictions.jsonl"
    path.write_text(rows)
    with pytest.raises(InputError) as caught:
        read_predictions(path, load(folder))
    assert says in str(caught.value)


def test_gold_of_a_release_scores_one_from_a_file_too(build: Build, task_row: Row) -> None:
    odd = task_row("odd")
    odd["tool_call"] = odd["tool_call"] | {"name": 4}
    folder = build([task_row(), odd])
    path = folder / "predictions.jsonl"
    path.write_text(
        "\n".join(
            json.dumps({"qa_id": t["qa_id"], **t["tool_call"]})
            for t in map(json.loads, (folder / "qa_dataset.jsonl").read_text().splitlines())
        )
    )
    data = load(folder)
    assert score(data, read_predictions(path, data)).all.em == 1.0


def test_one_odd_call_does_not_spoil_a_file(build: Build, task_row: Row) -> None:
    folder = build([task_row(name) for name in "abcd"])
    path = folder / "predictions.jsonl"
    calls = [
        '{"people": NaN}',
        '{"people": 1e999}',
        f'{{"people": {"9" * 5000}}}',
        json.dumps(GOLD),
    ]
    rows = [
        f'{{"qa_id": "{name}", "name": "book_table", "arguments": {call}}}'
        for name, call in zip("abcd", calls, strict=True)
    ]
    path.write_text("\n".join(rows), "utf-8-sig")  # with the mark that some editors put first
    result = score(load(folder), read_predictions(path, load(folder)))
    assert (result.missing, result.unusable, result.all.em) == (0, 3, 0.25)
