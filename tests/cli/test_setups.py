"""Models on the week as a user types it: rows, faults, resume, refused changes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actmem.models.tape import Called
from actmem.trace import read_trace
from actmem.week.play import WeekEvent

Call = Callable[..., Any]

QUERY = {"action": "query_state", "choice": "NONE", "task_ids": [], "channel": "email"}
NOTHING = {"action": "choose", "choice": "A", "task_ids": [], "channel": "NONE"}


def script(folder: Path, *entries: Any) -> str:
    path = folder / "script.json"
    path.write_text(
        json.dumps([e if isinstance(e, str) or "fail" in e else {"reply": e} for e in entries])
    )
    return f"scripted:{path}"


def row(called: Any) -> dict[str, Any]:
    (value,) = json.loads(called.out)["rows"]
    assert isinstance(value, dict)
    return value


def test_a_row_says_setup_model_calls_and_tokens(
    call: Call, week_file: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, QUERY, NOTHING)
    folder = tmp_path / "r"
    called = call("run", "week", "--model", model, "--scenario", week_file, "-o", folder, "--json")
    assert called.code == 0, called.err
    got = row(called)
    assert (got["setup"], got["model"]) == ("single", model)
    steps = sum(got["counts"][f"exact_set_{kind}_steps"] for kind in ("match", "mismatch"))
    assert got["calls"] == 2 * steps
    assert got["counts"]["hidden_channel_queries"] == steps
    assert got["tokens"] > 0
    assert got["usage"]["cached_tokens"] > 0.5 * got["tokens"]
    assert (got["set_f1"], got["invalid"]) == (0.0, 0)
    again = call("run", "week", "--model", model, "--scenario", week_file, "-o", folder, "--json")
    assert row(again) == got


def test_a_models_trace_is_scored_and_explained_like_any_other(
    call: Call, week_file: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, QUERY, NOTHING)
    args = ("run", "week", "--model", model, "--scenario", week_file, "--json")
    got = row(call(*args, "-o", tmp_path / "r"))
    (path,) = (tmp_path / "r" / "traces").glob("*.jsonl")
    scored = json.loads(call("score", "week", "--scenario", week_file, "--log", path, "--json").out)
    assert scored["summary"] == got["counts"]
    assert row(call("score", "run", tmp_path / "r", "--json")) == got
    explained = call("explain", "week", "--scenario", week_file, "--log", path)
    assert (explained.code, bool(explained.out)) == (0, True)


def test_the_header_names_what_moves_the_number(
    call: Call, week_file: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, NOTHING)
    call("run", "week", "--model", model, "--scenario", week_file, "-o", tmp_path / "r")
    (path,) = (tmp_path / "r" / "traces").glob("*.jsonl")
    settings = read_trace(path, WeekEvent | Called).header.settings
    assert settings["setup"] == "single"
    assert settings["model_settings"]["script"]
    assert {len(digest) for digest in settings["prompts"].values()} == {64}


@pytest.mark.parametrize("entry", [{"fail": "connection refused"}, "rubbish", "", '{"action":'])
@pytest.mark.parametrize("setup", ["single", "ledger", "heartbeat", "heartbeat-60", "hierarchy"])
def test_what_never_answers_scores_nothing(
    call: Call, week_file: Path, tmp_path: Path, entry: Any, setup: str
) -> None:
    model = script(tmp_path, entry)
    called = call(
        "run", "week", "--model", model, "--setups", setup, "--scenario", week_file,
        "-o", tmp_path / "r", "--json",
    )  # fmt: skip
    assert called.code == 3
    got = row(called)
    assert (got["set_f1"], got["scored"], got["failed"]) == (0.0, 0, 1)
    lines = [line for line in called.err.splitlines() if line.startswith("incomplete:")]
    assert len(lines) == 1
    assert ("connection refused" if isinstance(entry, dict) else "not one valid act") in lines[0]


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9])
def test_a_cut_trace_goes_on(call: Call, week_file: Path, tmp_path: Path, cut: float) -> None:
    model = script(tmp_path, QUERY, NOTHING, "rubbish")
    args = ("run", "week", "--model", model, "--setups", "single,ledger", "--form", "list",
            "--scenario", week_file, "-o", tmp_path / "r", "--json")  # fmt: skip
    first = call(*args)
    traces = sorted((tmp_path / "r" / "traces").glob("*.jsonl"))
    for path in traces:
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * cut)])
    second = call(*args)
    assert second.code == first.code
    assert without_seconds(second.out) == without_seconds(first.out)
    assert sorted((tmp_path / "r" / "traces").iterdir()) == traces  # nothing was begun anew


def without_seconds(out: str) -> Any:
    rows = json.loads(out)["rows"]
    for got in rows:
        got["usage"].pop("seconds", None)
    return rows


def test_changed_settings_are_refused_with_the_difference(
    call: Call, week_file: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, NOTHING)
    args = ("run", "week", "--model", model, "--scenario", week_file, "-o", tmp_path / "r")
    assert call(*args).code == 0
    called = call(*args, "--form", "flags")
    assert called.code == 2
    assert "settings.form: list there, flags now" in called.err


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("--setups", "single"), "--setups needs a --model"),
        (("--model", "scripted:nowhere"), "nowhere"),
        (("--model", "gpt"), "there is no model"),
        (("--model", "MODEL", "--setups", "double"), "no setup 'double'"),
        (("--model", "MODEL", "--prompts", "nowhere"), "holds none of"),
    ],
)
def test_wrong_usage_is_one_line(
    call: Call, week_file: Path, tmp_path: Path, args: tuple[str, ...], problem: str
) -> None:
    model = script(tmp_path, NOTHING)
    given = [model if arg == "MODEL" else arg for arg in args]
    called = call("run", "week", *given, "--scenario", week_file, "-o", tmp_path / "r")
    assert called.code == 2
    assert problem in called.err
    assert called.err.count("\n") == 1
    assert not (tmp_path / "r").exists()


def test_prompts_of_ones_own_take_the_place_of_the_built_in_ones(
    call: Call, week_file: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "heartbeat.toml").write_text('offer = "Beat!"\nauto = "Each {minutes}."\n')
    model = script(tmp_path, NOTHING)
    call("run", "week", "--model", model, "--setups", "heartbeat-30", "--prompts", own,
         "--scenario", week_file, "-o", tmp_path / "r")  # fmt: skip
    (path,) = (tmp_path / "r" / "traces").glob("*.jsonl")
    calls = [e for e in read_trace(path, WeekEvent | Called).events if isinstance(e, Called)]
    assert calls[0].messages[0].content.endswith("Each 30.")
    (own / "heartbeat.toml").write_text('offer = "Beat!"\n')
    called = call("run", "week", "--model", model, "--prompts", own, "--scenario", week_file,
                  "-o", tmp_path / "s")  # fmt: skip
    assert (called.code, "differ in auto" in called.err) == (2, True)
    (own / "heartbeat.toml").write_text('offer = "Beat!"\nauto = "All {minutes}."\n')
    called = call("run", "week", "--model", model, "--setups", "heartbeat-30", "--prompts", own,
                  "--scenario", week_file, "-o", tmp_path / "r")  # fmt: skip
    assert (called.code, "prompts.heartbeat" in called.err) == (2, True)


def test_nudges_that_tell_more_are_labelled(call: Call, week_file: Path, tmp_path: Path) -> None:
    model = script(tmp_path, NOTHING)
    called = call("run", "week", "--model", model, "--setups", "single,heartbeat-60", "--nudge",
                  "informed", "--scenario", week_file, "-o", tmp_path / "r", "--json")  # fmt: skip
    labels = {got["setup"]: got["privilege"] for got in json.loads(called.out)["rows"]}
    assert labels == {"single": "", "heartbeat-60": "informed heartbeat"}


REPORT: dict[str, Any] = {"queries": [], "later": [], "must_not_select": []}


def test_votes_are_played_after_their_hierarchy_without_a_call(
    call: Call, week_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps([
        {"reply": REPORT | {"due": []}, "schema": "report"},
        {"reply": NOTHING, "schema": "reply"},
    ]))  # fmt: skip
    args = ("run", "week", "--model", f"scripted:{path}", "--setups", "majority,hierarchy,unanimous",
            "--scenario", week_file, "--workers", "3", "-o", tmp_path / "r", "--json")  # fmt: skip
    called = call(*args)
    assert called.code == 0, called.err
    got = {value["setup"]: value for value in json.loads(called.out)["rows"]}
    steps = sum(got["majority"]["counts"][f"exact_set_{k}_steps"] for k in ("match", "mismatch"))
    assert [got[name]["calls"] for name in ("hierarchy", "majority", "unanimous")] == [
        4 * steps,
        0,
        0,
    ]
    assert got["majority"]["scored"] == 1
    (vote,) = (
        path
        for path in (tmp_path / "r" / "traces").glob("*.jsonl")
        if b'"setup":"majority"' in path.read_bytes()
    )
    whole = vote.read_bytes()
    vote.write_bytes(whole[: len(whole) // 2])
    assert call(*args).code == 0
    assert vote.read_bytes().splitlines()[:-1] == whole.splitlines()[:-1]


def test_votes_over_a_dead_hierarchy_fail_too(call: Call, week_file: Path, tmp_path: Path) -> None:
    model = script(tmp_path, {"fail": "no route"})
    called = call("run", "week", "--model", model, "--setups", "hierarchy,majority",
                  "--scenario", week_file, "-o", tmp_path / "r", "--json")  # fmt: skip
    assert called.code == 3
    assert [(v["failed"], v["set_f1"]) for v in json.loads(called.out)["rows"]] == [(1, 0.0)] * 2


def test_votes_need_their_hierarchy(call: Call, week_file: Path, tmp_path: Path) -> None:
    model = script(tmp_path, NOTHING)
    called = call("run", "week", "--model", model, "--setups", "majority", "--scenario", week_file)
    assert (called.code, "name that too" in called.err) == (2, True)


def test_a_spent_budget_stops_the_run_and_it_goes_on(
    call: Call, week_file: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, QUERY, NOTHING)
    args = ("run", "week", "--model", model, "--scenario", week_file, "--json", "-o")
    whole = call(*args, tmp_path / "whole")
    budget = row(whole)["tokens"] // 3
    codes = []
    for _ in range(8):
        called = call(*args, tmp_path / "r", "--max-tokens-total", budget)
        codes.append(called.code)
        if called.code == 0:
            break
        assert called.err.count("stopped:") == 1
        assert called.out == ""
    assert codes[-1] == 0
    assert set(codes[:-1]) == {3}
    assert without_seconds(called.out) == without_seconds(whole.out)
    assert len(list((tmp_path / "r" / "traces").iterdir())) == 1


def test_the_papers_preset_is_all_eight_setups(call: Call, week_file: Path, tmp_path: Path) -> None:
    model = script(tmp_path, NOTHING)
    called = call("run", "week", "--model", model, "--preset", "paper", "--scenario", week_file,
                  "-o", tmp_path / "r", "--json")  # fmt: skip
    assert [value["setup"] for value in json.loads(called.out)["rows"]] == [
        "single", "ledger", "heartbeat", "heartbeat-60", "heartbeat-30", "hierarchy", "majority",
        "unanimous",
    ]  # fmt: skip
    assert call("run", "week", "--preset", "paper").code == 2


@pytest.mark.parametrize("form", ["list", "flags"])
def test_a_plan_says_what_a_run_takes(
    call: Call, week_file: Path, tmp_path: Path, form: str
) -> None:
    model = script(tmp_path, NOTHING)
    args = ("plan", "week", "--model", model, "--preset", "paper", "--scenario", week_file,
            "--form", form, "--repeats", "2", "--price", "1,0.1,4", "--speed", "70", "20")  # fmt: skip
    called = call(*args, "--json")
    assert called.code == 0, called.err
    plan = json.loads(called.out)
    rows = {value["setup"]: value for value in plan["rows"]}
    steps = rows["single"]["steps"]
    assert [rows[name]["calls"] for name in ("single", "ledger", "hierarchy", "majority")] == [
        2 * steps, 2 * steps, 5 * steps, 0,
    ]  # fmt: skip
    assert rows["ledger"]["prompt_tokens"] > rows["single"]["prompt_tokens"]
    assert rows["single"]["new_tokens"] < 0.3 * rows["single"]["prompt_tokens"]
    assert plan["total"]["episodes"] == 16
    assert plan["total"]["cost"] > 0
    assert plan["total"]["hours"] > 0
    assert "total" in call(*args).out


def test_a_plan_counts_what_a_run_then_takes(call: Call, week_file: Path, tmp_path: Path) -> None:
    model = script(tmp_path, NOTHING)
    args = ("week", "--model", model, "--setups", "single", "--scenario", week_file, "--json")
    (row_,) = json.loads(call("plan", *args, "--queries", "0").out)["rows"]
    got = row(call("run", *args, "-o", tmp_path / "r"))
    assert (row_["calls"], row_["prompt_tokens"] + row_["completion_tokens"]) == (
        got["calls"], got["tokens"],
    )  # fmt: skip


def test_lists_name_setups_and_models(call: Call) -> None:
    assert "heartbeat-30" in call("list", "setups").out
    assert "smollm2-135m" in call("list", "models").out
    assert call("fetch", "model", "nothing-of-the-kind").code == 2
    assert "check model" in call("check", "model", "--help").out


def test_the_suite_and_its_setups_load_no_model_library() -> None:
    code = (
        "import sys, actmem.week.suite, actmem.week.agents.votes, actmem.week.estimate;"
        "print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "actmem.week.agents.hierarchy" in loaded.stdout
    for name in ("openai", "xllamacpp", "numpy", "rich", "httpx"):
        assert name not in loaded.stdout.split()
