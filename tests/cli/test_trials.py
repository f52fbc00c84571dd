"""Trials as a user types them: models in setups, faults, kills, what is refused."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actmem.hashing import canonical
from actmem.models.tape import Called
from actmem.run.store import RunFolder
from actmem.trace import read_trace
from actmem.trials.play import Replied
from actmem.trials.released import released

Call = Callable[..., Any]

TRIALS = ("--trial", "A/shopping/time/033", "--trial", "B/shopping/event/053")
SETUPS = "base,reflexion,pm-prompt"  # those that need no weights of an embedder
SCRIPT = [
    {"schema": "base", "reply": {"action": "wait()"}},
    {"schema": "base", "reply": {"action": "intend('to wait')"}},
    {"schema": "reflexion", "reply": {"thought": "t", "reflection": "r", "action": "wait()"}},
]
SLOW = 0.02
"""Seconds that each scripted reply takes, so that a kill meets a run at work."""
KILLS = 6


def script(folder: Path, *entries: Any) -> str:
    path = folder / "script.json"
    path.write_text(json.dumps(entries or SCRIPT))
    return f"scripted:{path}"


def rows(called: Any) -> list[dict[str, Any]]:
    found = json.loads(called.out)["rows"]
    for row in found:
        row["usage"].pop("seconds", None)
    assert isinstance(found, list)
    return found


def test_models_and_floors_stand_in_one_table(call: Call, tmp_path: Path) -> None:
    model = script(tmp_path)
    args = ("run", "trials", *TRIALS, "--model", model, "--setups", SETUPS, "--agent", "oracle")
    called = call(*args, "-o", tmp_path / "r", "--json")
    assert called.code == 0, called.err
    got = rows(called)
    assert [row["setup"] for row in got] == ["", "base", "reflexion", "pm-prompt"]
    assert [row["accuracy"] for row in got] == [1.0, 0.0, 0.0, 0.0]
    assert [row["privilege"] for row in got] == ["trial", "", "", "intention"]
    for row in got[1:]:
        assert row["model"] == model
        assert row["calls"] >= 19
        assert row["tokens"] > 0
        assert row["invalid"] == 0
    assert rows(call(*args, "-o", tmp_path / "r", "--json")) == got
    assert rows(call("score", "run", tmp_path / "r", "--json")) == got
    table = call("score", "run", tmp_path / "r")
    assert f"reflexion {model}" in table.out
    assert "tokens" in table.out


def test_a_dead_endpoint_scores_nothing_and_exits_3(call: Call, tmp_path: Path) -> None:
    model = script(tmp_path, {"fail": "no route to host"})
    args = ("run", "trials", *TRIALS, "--model", model, "--setups", SETUPS)
    called = call(*args, "-o", tmp_path / "r", "--json")
    assert called.code == 3
    for row in rows(called):
        assert (row["planned"], row["scored"], row["failed"], row["accuracy"]) == (2, 0, 2, 0.0)
    assert "no route to host" in called.err
    assert called.err.count("incomplete:") == 3


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--setups", "base"), "needs a --model"),
        (("--model", "MODEL", "--setups", "single"), "no setup 'single'"),
        (("--model", "nowhere/x"), "there is no model"),
        (("--model", "MODEL", "--max-tokens", "0"), "--max-tokens"),
        (("--agent", "nobody"), "no agent 'nobody'"),
        (("--trial", "A/x"), "no trial 'A/x'"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_written(
    args: tuple[str, ...], said: str, call: Call, tmp_path: Path
) -> None:
    model = script(tmp_path)
    given = [model if arg == "MODEL" else arg for arg in args]
    called = call("run", "trials", *given, "-o", tmp_path / "r")
    assert called.code == 2
    assert said in called.err
    assert not (tmp_path / "r").exists()


def test_prompts_of_ones_own_take_the_place_of_the_built_in_ones(
    call: Call, tmp_path: Path
) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "pm-prompt.toml").write_text('reminder = "DO NOT FORGET: {intention}"')
    args = ("run", "trials", *TRIALS, "--model", script(tmp_path), "--setups", "pm-prompt")
    assert call(*args, "--prompts", folder, "-o", tmp_path / "r").code == 0
    for path in (tmp_path / "r" / "traces").iterdir():
        assert "DO NOT FORGET: " in path.read_text()
    changed = call(*args, "-o", tmp_path / "r")  # the built-in prompts are another run
    assert changed.code == 2
    assert "prompts.pm-prompt" in changed.err
    (folder / "single.toml").write_text("")
    refused = call(*args, "--prompts", folder, "-o", tmp_path / "s")
    assert refused.code == 2
    assert "is none of base.toml" in refused.err


def test_what_an_agent_prints_is_kept_from_stdout(
    call: Call, write_agent: Callable[..., str], tmp_path: Path
) -> None:
    agent = write_agent("print('noise'); return 'wait()'", top="print('loaded')")
    called = call("run", "trials", *TRIALS, "--agent", agent, "-o", tmp_path / "r", "--json")
    assert called.code == 0
    assert "noise" in called.err
    assert "loaded" in called.err
    assert json.loads(called.out)["suite"] == "trials"
    (episode, *_) = RunFolder.open(tmp_path / "r").manifest.episodes
    assert len(episode.settings["agent_file"]) == 64
    write_agent("return 'wait() '")
    changed = call("run", "trials", *TRIALS, "--agent", agent, "-o", tmp_path / "r")
    assert changed.code == 2
    assert "agent_file" in changed.err


def test_a_spent_budget_is_resumed(call: Call, tmp_path: Path) -> None:
    model = script(tmp_path)
    args = ("run", "trials", *TRIALS, "--model", model, "--setups", SETUPS)
    whole = rows(call(*args, "-o", tmp_path / "whole", "--json"))
    limited = (*args, "--max-tokens-total", 20_000, "-o", tmp_path / "cut", "--json")
    calls = [call(*limited)]
    assert calls[0].code == 3
    assert "tokens are spent" in calls[0].err
    while calls[-1].code == 3 and len(calls) < 20:
        calls.append(call(*limited))
    assert rows(calls[-1]) == whole


def test_a_plan_counts_without_a_call(call: Call, tmp_path: Path) -> None:
    dead = script(tmp_path, {"fail": "must not be called"})
    every = "base,reflexion,memory,reflexion-memory,pm-prompt"
    args = ("plan", "trials", *TRIALS, "--model", dead, "--setups", every)
    called = call(*args, "--json", "--speed", "100", "10")
    assert called.code == 0, called.err
    plan = json.loads(called.out)
    by = {row["setup"]: row for row in plan["rows"]}
    assert [*by] == every.split(",")
    assert all(row["calls"] == row["steps"] == 24 for row in by.values())
    assert by["pm-prompt"]["prompt_tokens"] > by["base"]["prompt_tokens"]
    assert by["reflexion"]["completion_tokens"] > by["base"]["completion_tokens"]
    assert by["memory"]["new_tokens"] > by["base"]["new_tokens"]
    assert plan["total"]["hours"] > 0
    assert "no model call" in call("plan", "trials", *TRIALS).err


def test_lists_name_what_both_suites_have(call: Call) -> None:
    setups = call("list", "setups").out
    assert all(name in setups for name in ("ledger", "reflexion-memory", "pm-prompt"))
    assert "[privileged: intention]" in setups
    assert "ongoing-only" in call("list", "agents").out


def test_fresh_trials_are_made_and_played(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "fresh.jsonl"
    made = call("make", "trials", "--seed", "3", "--subset", "B", "--count", "9", "-o", path)
    assert made.code == 0
    args = ("run", "trials", "--file", path, "--agent", "oracle", "-o", tmp_path / "r", "--json")
    (row,) = rows(call(*args))
    assert (row["planned"], row["accuracy"]) == (9, 1.0)


@pytest.mark.parametrize("given", [["--seed", "7"], ["--subset", "B"], ["--count", "9"]])
def test_fresh_trials_need_seed_and_subset(call: Call, tmp_path: Path, given: list[str]) -> None:
    called = call("make", "trials", *given, "-o", tmp_path / "fresh.jsonl")
    assert called.code == 2
    assert "fresh trials need --seed and --subset" in called.err
    assert not (tmp_path / "fresh.jsonl").exists()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"steps": 500}, "it has 500 steps, and its script is of another length"),
        ({"steps": 0}, "it has 0 steps"),
        ({"delay": 999}, "due at step"),
        ({"foo": 1}, "unknown field `foo`"),
        ({"entries": []}, "it has no ongoing goal"),
        ({"intended": {"name": "fly"}}, "is no fair trial"),
    ],
)
def test_trials_that_are_not_fair_are_refused(
    call: Call, tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    trial = next(t for t in released() if t.world == "shopping" and t.go)
    plain = json.loads(canonical(trial))
    inner = plain["setup"] if "entries" in changes else plain
    inner.update(changes)
    path = tmp_path / "odd.jsonl"
    path.write_text(json.dumps(plain))
    called = call("run", "trials", "--file", path, "--agent", "oracle", "-o", tmp_path / "r")
    assert called.code == 2
    assert f"{path}:1: " in called.err
    assert says in called.err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    "given",
    [["--embedder", "minilm"], ["--passage-tokens", "3"], ["--max-tokens", "5"], ["--prompts", "x"],
     ["--temperature", "1"], ["--max-tokens-total", "9"], ["--setups", "base"]],
)  # fmt: skip
def test_what_is_said_of_models_needs_one(call: Call, tmp_path: Path, given: list[str]) -> None:
    called = call("run", "trials", "--agent", "nop", *TRIALS, *given, "-o", tmp_path / "r")
    assert called.code == 2
    assert f"{given[0]} needs a --model" in called.err
    assert not (tmp_path / "r").exists()


def test_all_floors_print_a_table(call: Call, tmp_path: Path) -> None:
    called = call("run", "trials", "--subset", "A", "-o", tmp_path / "r")
    assert called.code == 0
    for name in ("nop", "ongoing-only", "always", "random", "keyword", "oracle"):
        assert f"\n{name} " in called.out


def lines(path: Path) -> list[Any]:
    """The events of a trace, without the seconds that calls took."""
    return [
        (event.dialogue, event.prompt, event.completion.text)
        if isinstance(event, Called)
        else event
        for event in read_trace(path, Replied | Called).events
    ]


def test_killed_at_random_moments_the_run_comes_to_the_same(tmp_path: Path) -> None:
    model = script(tmp_path, *({**entry, "seconds": SLOW} for entry in SCRIPT))
    args = [sys.executable, "-m", "actmem", "run", "trials", *TRIALS, "--model", model]
    args += ["--setups", SETUPS, "--workers", "2", "--json", "-o"]
    whole = subprocess.run([*args, str(tmp_path / "whole")], capture_output=True, check=True)
    chance, killed = random.Random(5), 0
    for _ in range(KILLS):
        process = subprocess.Popen(
            [*args, str(tmp_path / "cut")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        manifest = tmp_path / "cut" / "manifest.json"
        while not manifest.exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.1 + 0.4 * chance.random())
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    assert killed >= 1
    last = subprocess.run([*args, str(tmp_path / "cut")], capture_output=True, check=True)
    counts = [json.loads(out)["rows"] for out in (whole.stdout, last.stdout)]
    for row in (row for part in counts for row in part):
        row["usage"].pop("seconds", None)
    assert counts[0] == counts[1]
    traces = list((tmp_path / "cut" / "traces").iterdir())
    assert len(traces) == 6  # none was set aside
    for path in traces:
        assert lines(path) == lines(tmp_path / "whole" / "traces" / path.name)


def test_ctrl_c_says_how_to_go_on(spawn: Any, tmp_path: Path) -> None:
    model = script(tmp_path, *({**entry, "seconds": 0.5} for entry in SCRIPT))
    process = spawn("run", "trials", *TRIALS, "--model", model, "-o", tmp_path / "r")
    while not list((tmp_path / "r").glob("traces/*")) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"interrupted; resume with: actmem run trials --trial {TRIALS[1]}" in err


def test_an_endpoints_options_are_for_a_model_or_an_embedder_of_one(
    call: Call, tmp_path: Path
) -> None:
    model = script(tmp_path)
    args = ("plan", "trials", *TRIALS[:2], "--model", model, "--json")
    url = ("--base-url", "http://127.0.0.1:9/v1")
    assert call(*args, "--setups", "memory", "--embedder", "openai/e", *url).code == 0
    assert call(*args, "--embedder", "openai/e", "--key-env", "OTHER").code == 0
    for option in (url, ("--key-env", "OTHER")):
        refused = call(*args, *option)
        assert refused.code == 2
        assert f"{option[0]}: is for openai/NAME, not for {model}" in refused.err


def test_a_run_tells_tokens_and_cost(call: Call, tmp_path: Path) -> None:
    model = script(tmp_path)
    args = ("run", "trials", *TRIALS, "--model", model, "--agent", "nop", "--json")
    called = call(*args, "-o", tmp_path / "r", "--price", "2,0.5,8")
    assert called.code == 0, called.err
    assert "k tokens, cost " in called.err
    nop, priced = rows(called)
    usage = priced["usage"]
    new = usage["prompt_tokens"] - usage["cached_tokens"]
    expected = new * 2 + usage["cached_tokens"] * 0.5 + usage["completion_tokens"] * 8
    assert priced["cost"] == pytest.approx(expected / 1e6)
    assert nop["cost"] is None
    path = next((tmp_path / "r" / "traces").glob("*script*"))
    header = read_trace(path, Replied | Called).header
    assert header.settings["price"] == {"new": 2, "cached": 0.5, "written": 8}
    assert f"{priced['cost']:.4g}" in call("score", "run", tmp_path / "r").out
    assert rows(call(*args, "-o", tmp_path / "s"))[1]["cost"] is None
