"""What models cost, as a user types it: prices, rows, the limit, the plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actmem.models.tape import Called
from actmem.trace import read_trace
from actmem.week.play import WeekEvent

Call = Callable[..., Any]

NOTHING = {"action": "choose", "choice": "A", "task_ids": [], "channel": "NONE"}


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "script.json"
    path.write_text(json.dumps([{"reply": NOTHING}]))
    return f"scripted:{path}"


def rows(called: Any) -> Any:
    return json.loads(called.out)["rows"]


def test_a_row_tells_what_it_cost(call: Call, model: str, week_file: Path, tmp_path: Path) -> None:
    args = ("run", "week", "--model", model, "--agent", "nop", "--scenario", week_file, "--json")
    nop, priced = rows(call(*args, "-o", tmp_path / "r", "--price", "2,0.5,8"))
    usage = priced["usage"]
    cached = usage["cached_tokens"]
    expected = (usage["prompt_tokens"] - cached) * 2 + cached * 0.5 + usage["completion_tokens"] * 8
    assert priced["cost"] == pytest.approx(expected / 1e6)
    assert nop["cost"] is None
    (path,) = (tmp_path / "r" / "traces").glob("*script*")
    trace = read_trace(path, WeekEvent | Called)
    assert trace.header.settings["price"] == {"new": 2, "cached": 0.5, "written": 8}
    assert rows(call("score", "run", tmp_path / "r", "--json"))[1] == priced
    assert rows(call(*args, "-o", tmp_path / "s"))[1]["cost"] is None


def test_a_vote_costs_nothing(call: Call, week_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    report: dict[str, Any] = {"queries": [], "due": [], "later": [], "must_not_select": []}
    entries = [{"reply": report, "schema": "report"}, {"reply": NOTHING, "schema": "reply"}]
    path.write_text(json.dumps(entries))
    called = call("run", "week", "--model", f"scripted:{path}", "--setups", "hierarchy,majority",
                  "--scenario", week_file, "--price", "1,1,1", "--json", "-o", tmp_path / "r")  # fmt: skip
    live, vote = rows(called)
    assert live["cost"] > 0
    assert vote["cost"] == 0


def test_a_limit_stops_the_run_and_it_goes_on(
    call: Call, model: str, week_file: Path, tmp_path: Path
) -> None:
    args = ("run", "week", "--model", model, "--scenario", week_file, "--json", "--price",
            "2,0.5,8", "-o")  # fmt: skip
    (whole,) = rows(call(*args, tmp_path / "whole"))
    codes = []
    for _ in range(6):
        called = call(*args, tmp_path / "r", "--max-cost", whole["cost"] / 2.5)
        codes.append(called.code)
        if called.code == 0:
            break
        assert called.err.count("a cost of") == 1
    assert codes == [3, 3, 0]
    (row,) = rows(called)
    assert row["cost"] == pytest.approx(whole["cost"])
    assert row["counts"] == whole["counts"]


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("--max-cost", "1"), "--max-cost: the price of MODEL is not known; add --price MODEL="),
        (("--max-cost", "0"), "--max-cost"),
        (("--price", "1,2"), "--price: '1,2' is not three numbers"),
        (("--price", "gpt=1,2,3"), "'gpt' is none of the models"),
    ],
)
def test_wrong_usage_is_one_line(
    call: Call, model: str, week_file: Path, tmp_path: Path, args: tuple[str, ...], problem: str
) -> None:
    called = call("run", "week", "--model", model, "--scenario", week_file, "-o", tmp_path / "r",
                  *args)  # fmt: skip
    assert (called.code, called.err.count("\n")) == (2, 1)
    assert problem.replace("MODEL", model) in called.err
    assert not (tmp_path / "r").exists()


def test_prices_need_a_model(call: Call) -> None:
    for args in (("--price", "1,2,3"), ("--max-cost", "1")):
        called = call("run", "week", *args)
        assert (called.code, f"{args[0]} needs a --model" in called.err) == (2, True)


def test_a_plan_has_each_models_price(call: Call, model: str, week_file: Path) -> None:
    other = f"{model.rpartition('/')[0]}/../{Path(model).parent.name}/script.json"
    args = ("plan", "week", "--model", model, "--model", other, "--scenario", week_file, "--json")
    called = call(*args, "--price", f"{model}=2,0.5,8")
    assert called.code == 0, called.err
    plan = json.loads(called.out)
    assert plan["rows"][0]["cost"] > 0
    assert (plan["rows"][1]["cost"], plan["total"]["cost"]) == (None, None)
    called = call(*args, "--price", "1,1,1", "--price", f"{model}=2,2,2")
    one, two = json.loads(called.out)["rows"]
    assert one["cost"] == pytest.approx(2 * two["cost"], rel=1e-3)
    assert "n/a" in call(*args[:-1], "--price", f"{model}=2,0.5,8").out
