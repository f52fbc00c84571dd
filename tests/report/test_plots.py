"""Plots hold what was measured: the figures of the rows, their intervals, what has no point."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from actmem.cli import run_cli
from actmem.mem2act.compare import interval
from actmem.mem2act.results import results as mem2act_results
from actmem.mem2act.suite import Mem2ActSuite
from actmem.report.document import Plot
from actmem.report.dots import Dot, dot_plot
from actmem.report.mem2act_plots import mem2act_plots
from actmem.report.svg import draw
from actmem.report.trials_plots import trials_plots
from actmem.report.week_data import read_runs
from actmem.report.week_plots import week_plots
from actmem.report.week_rates import Clusters
from actmem.run.store import RunFolder
from actmem.trials.select import choose
from actmem.trials.suite import TrialsSuite


def values(plot: Plot) -> list[dict[str, Any]]:
    """Return all data of a plot, of every layer."""
    layers = [plot.spec, *plot.spec.get("layer", ())]
    return [row for layer in layers for row in layer.get("data", {}).get("values", ())]


def test_week_points_are_the_rates_of_the_rows(played: RunFolder) -> None:
    data = read_runs([played])
    precision, tokens = week_plots(data, Clusters(data))
    points = {row["agent"]: row for row in values(precision) if "text" in row}
    assert set(points) == {entry.name for entry in data.entries} - {"nop"}
    for entry in data.entries:
        if entry.name != "nop":
            point = points[entry.name]
            assert point["recall"] == pytest.approx(entry.result.rates.recall)
            assert point["precision"] == pytest.approx(entry.result.rates.precision)
            assert point["recall_low"] <= point["recall"] <= point["recall_high"]
    assert "nop" in precision.note
    costs = {row["agent"]: row for row in values(tokens) if "text" in row}
    for entry in data.entries:
        if entry.result.tokens:
            assert costs[entry.name]["tokens"] == entry.result.tokens / entry.result.planned
            assert costs[entry.name]["set_f1"] == pytest.approx(entry.result.rates.set_f1)
    assert {"keyword", "oracle", "nop"} <= set(costs)


def test_equal_f1_lines_are_lines_of_equal_f1(played: RunFolder) -> None:
    data = read_runs([played])
    plot, _ = week_plots(data, Clusters(data))
    curve = [row for row in values(plot) if "level" in row]
    assert {row["level"] for row in curve} == {"F1 20", "F1 40", "F1 60", "F1 80"}
    for row in curve:
        f1 = 2 * row["precision"] * row["recall"] / (row["precision"] + row["recall"])
        assert f1 == pytest.approx(int(row["level"].removeprefix("F1 ")) / 100)
        assert row["precision"] <= 1.0000001


def test_an_incomplete_row_says_so(played: RunFolder) -> None:
    import msgspec

    data = read_runs([played])
    entries = []
    for entry in data.entries:
        scored = 0 if entry.name.startswith("single") else entry.result.scored
        entries.append(entry._replace(result=msgspec.structs.replace(entry.result, scored=scored)))
    data = data._replace(entries=tuple(entries))
    for plot in week_plots(data, Clusters(data)):
        assert "INCOMPLETE" in plot.note
        assert "INCOMPLETE" in plot.spec["description"]
        assert 'fill-opacity="0"' in draw(plot, "p")


def test_without_models_there_is_no_plot_of_costs(played: RunFolder) -> None:
    data = read_runs([played])
    data = data._replace(entries=tuple(entry for entry in data.entries if entry.floor))
    (plot,) = week_plots(data, Clusters(data))
    assert draw(plot, "p")


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> TrialsSuite:
    folder = tmp_path_factory.mktemp("trials") / "run"
    agents = [f"--agent={name}" for name in ("nop", "keyword", "oracle")]
    some = [t.id for subset in "ABC" for t in choose(subset)[:6]]
    chosen = [f"--trial={name}" for name in some]
    assert run_cli(["run", "trials", *agents, *chosen, "-o", str(folder), "--json"]) == 0
    return TrialsSuite(RunFolder.open(folder))


def test_trials_dots_are_the_results(trials: TrialsSuite) -> None:
    results = trials.results()
    accuracy, errors = trials_plots(results)
    shown = {(row["row"], row["group"]): row for row in values(accuracy)}
    for result in results:
        for subset, rates in result.groups["subset"].items():
            (dot,) = [d for (row, group), d in shown.items()
                      if row.partition(" ")[0] == result.agent and group == subset]  # fmt: skip
            assert (dot["value"], (dot["low"], dot["high"])) == (rates.accuracy, rates.interval)
    assert any("oracle (" in row["row"] for row in values(accuracy))  # its privilege
    kinds = {row["group"]: row["value"] for row in values(errors) if row["row"] == "nop"}
    (nop,) = [result.rates for result in results if result.agent == "nop"]
    assert kinds == {"miss": nop.miss_rate, "late": nop.late_rate,
                     "false alarm": nop.false_alarm_rate,
                     "wrong content": nop.wrong_content_rate, "slip": nop.slip_rate}  # fmt: skip
    assert all(draw(plot, "p") for plot in (accuracy, errors))
    assert trials_plots([]) == []


@pytest.fixture(scope="module")
def systems(tmp_path_factory: pytest.TempPathFactory) -> Mem2ActSuite:
    """Return a run of two memories and a model that answers one of two tasks."""
    folder = tmp_path_factory.mktemp("mem2act")
    schema = {"name": "book", "description": "Book.", "parameters": {
        "type": "dict", "properties": {"people": {"type": "int"}}, "required": ["people"]}}  # fmt: skip
    tasks = [
        {
            "qa_id": f"t{number}",
            "source_conversation_ids": ["c1"],
            "evolution_chain": [{"attribute": "Dinner", "source_id": "c1", "fact": "A table for 4.",
                                 "source_text": "a table for 4"}],
            "query": f"Book it, as I said: {number}.",
            "tool_call": {"name": "book", "arguments": {"people": 4},
                          "grounding_info": {"people": {"type": "explicit"}}},
            "target_tool_schema": schema,
            "complexity_metadata": {"level": f"L{number}", "has_temporal_conflict": False},
        }
        for number in (1, 2)
    ]  # fmt: skip
    turns = [{"role": "user", "content": "Find me a table for 4.", "source_id": "c1"},
             {"role": "assistant", "content": "Yes.", "source_id": "c1"}]  # fmt: skip
    session = {"session_id": "s1", "original_conversation_ids": ["c1"], "turns": turns}
    (folder / "qa_dataset.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    (folder / "toolmem_conversation.jsonl").write_text(json.dumps(session))
    right = {"when": "said: 1", "reply": {"name": "book", "arguments": {"people": 4}}}
    wrong = {"when": "said: 2", "reply": {"name": "book", "arguments": {"people": 7}}}
    (folder / "script.json").write_text(json.dumps([right, wrong]))
    given = ["--data", str(folder), "--memory", "none,oracle", "-o", str(folder / "run"), "--json"]
    assert run_cli(["run", "mem2act", "--model", f"scripted:{folder}/script.json", *given]) == 0
    return Mem2ActSuite(RunFolder.open(Path(folder / "run")))


def test_mem2act_dots_are_the_rows(systems: Mem2ActSuite) -> None:
    rows = mem2act_results(systems)
    f1, levels, recall = mem2act_plots(rows)
    for row, dot in zip(rows, values(f1), strict=True):
        assert dot["row"].startswith(row.agent)
        assert row.scores is not None
        assert dot["value"] == row.scores.all.f1 == 0.5
        found = interval(row.by_task, "f1")
        assert (dot["low"], dot["high"]) == (found.low, found.high)
    assert [dot["value"] for dot in values(levels)] == [1.0, 0.0] * 2
    assert [point["recall"] for point in values(recall)] == [0.0, 1.0]
    assert all(draw(plot, "p") for plot in (f1, levels, recall))


def test_retrieval_alone_has_no_plots(systems: Mem2ActSuite) -> None:
    import msgspec

    rows = [
        msgspec.structs.replace(row, scores=None, analysis=None) for row in mem2act_results(systems)
    ]
    assert mem2act_plots(rows) == []


def test_a_dot_without_an_interval_draws_no_line() -> None:
    dots = [Dot(row="a", value=0.5), Dot(row="b", value=0.6, low=0.5, high=0.7)]
    svg = draw(dot_plot("n", "t", "share", dots), "p")
    assert "<title>a: 50.0 %</title>" in svg
    assert "<title>b: 60.0 % (50.0 to 70.0)</title>" in svg
    assert len(re.findall(r'<line[^>]*stroke="var\(--c1\)"', svg)) == 1
