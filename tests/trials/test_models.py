"""Models on trials through the runner: resumed without a call, fail closed, everything recorded."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from actmem.errors import StoppedError
from actmem.hashing import digest
from actmem.models.budget import Budget, BudgetedChat
from actmem.models.chat import Chat, Completion, Message
from actmem.models.scripted import ScriptedChat
from actmem.models.structured import Schema
from actmem.models.tape import Called
from actmem.run.agent_suite import Cast
from actmem.run.execute import execute
from actmem.run.store import RunFolder
from actmem.trace import read_trace
from actmem.trials.agents.setups import SETUPS, SetupOptions, built_in
from actmem.trials.play import Replied
from actmem.trials.results import Result
from actmem.trials.suite import TrialsSuite, make_manifest, unit_files
from actmem.trials.trial import Trial

ACTIONS = ["wait()", "submit('done')", "intend('to wait')", "no call at all", "add_item('rice')"]
THOUGHTS = {"thought": "t", "reflection": "r"}
SCRIPT: list[Any] = [{"pick": "digest"}, "no object"]
SCRIPT += [{"schema": "base", "reply": {"action": action}} for action in ACTIONS]
SCRIPT += [{"schema": "reflexion", "reply": THOUGHTS | {"action": action}} for action in ACTIONS]
WAIT = {"reply": {"action": "wait()"}}


class Counting(ScriptedChat):
    """Counts the calls that reach it."""

    calls = 0

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        self.calls += 1
        return super().complete(messages, schema)


@pytest.fixture
def cast(embedder: Any) -> Callable[..., Cast[SetupOptions]]:
    def make(chat: Chat, *setups: str) -> Cast[SetupOptions]:
        options = SetupOptions(words=built_in(), characters=64, embedder=embedder)
        return Cast(setups or tuple(SETUPS), {"m": chat}, options)

    return make


def run(path: Path, trials: Sequence[Trial], cast: Cast[SetupOptions]) -> list[Result]:
    manifest = make_manifest(trials, [], cast=cast)
    folder = RunFolder.prepare(path, manifest, unit_files(trials))
    execute(folder, TrialsSuite(folder, None, cast))
    return TrialsSuite(folder).results()


def lines(path: Path) -> list[Any]:
    """The events of a trace, without the seconds that calls took."""
    return [
        (event.dialogue, event.prompt, event.completion.text)
        if isinstance(event, Called)
        else event
        for event in read_trace(path, Replied | Called).events
    ]


def shares(results: list[Result]) -> list[Any]:
    return [(r.agent, r.rates, r.usage.calls, r.tokens, r.invalid) for r in results]


def test_rows_say_setup_model_and_what_it_took(
    cast: Any, tmp_path: Path, small: list[Trial]
) -> None:
    results = run(tmp_path / "run", small, cast(ScriptedChat(SCRIPT)))
    assert [result.setup for result in results] == list(SETUPS)
    for result in results:
        row = result.row()
        assert row["model"] == "m"
        assert row["complete"]
        assert row["calls"] >= sum(trial.steps for trial in small)
        assert row["tokens"] > 0
        assert row["invalid"] == row["rates"]["malformed"]
        assert row["privilege"] == ("intention" if result.setup == "pm-prompt" else "")
        assert set(row["by_subset_type"]) == {f"{trial.subset} {trial.kind}" for trial in small}


@pytest.mark.parametrize("setup", SETUPS)
def test_a_run_cut_anywhere_comes_to_the_same_without_repeating_a_call(
    setup: str, cast: Any, tmp_path: Path, small: list[Trial]
) -> None:
    trial = small[:1]
    chat = Counting(SCRIPT)
    whole = run(tmp_path / "whole", trial, cast(chat, setup))
    (path,) = (tmp_path / "whole" / "traces").glob("*.jsonl")
    kept = path.read_bytes().splitlines(keepends=True)
    assert chat.calls == sum(b'"event":"model"' in line for line in kept)
    for cut in range(1, len(kept), 3):
        folder = tmp_path / f"cut-{cut}"
        shutil.copytree(tmp_path / "whole", folder)
        (other,) = (folder / "traces").glob("*.jsonl")
        other.write_bytes(b"".join(kept[:cut]) + kept[cut][:7])
        again = Counting(SCRIPT)
        assert shares(run(folder, trial, cast(again, setup))) == shares(whole)
        assert lines(other) == lines(path)
        assert again.calls == sum(b'"event":"model"' in line for line in kept[cut:])
        assert len(list((folder / "traces").iterdir())) == 1  # none was set aside


def test_a_record_of_other_prompts_starts_the_episode_anew(
    cast: Any, tmp_path: Path, small: list[Trial]
) -> None:
    trial = small[:1]
    whole = run(tmp_path / "run", trial, cast(ScriptedChat(SCRIPT), "base"))
    (path,) = (tmp_path / "run" / "traces").glob("*.jsonl")
    kept = path.read_text().splitlines(keepends=True)
    kept[1] = kept[1].replace('"prompt":"', '"prompt":"0')
    path.write_text("".join(kept[:4]))
    assert shares(run(tmp_path / "run", trial, cast(ScriptedChat(SCRIPT), "base"))) == shares(whole)
    assert len(list((tmp_path / "run" / "traces").iterdir())) == 2


@pytest.mark.parametrize("setup", SETUPS)
def test_a_dead_endpoint_scores_nothing_and_is_tried_again(
    setup: str, cast: Any, tmp_path: Path, trials: tuple[Trial, ...]
) -> None:
    chosen = [t for t in trials if not t.go][:2] + [t for t in trials if t.go][:1]
    dead = ScriptedChat([{"fail": "no route to host"}])
    (result,) = run(tmp_path / "run", chosen, cast(dead, setup))
    assert (result.planned, result.scored, result.failed) == (3, 0, 3)
    assert (result.rates.accuracy, result.complete) == (0.0, False)
    assert "no route to host" in result.errors[0]
    # The same name and settings, but alive: what failed is played anew.
    alive = ScriptedChat([{"fail": "no route to host"}])
    alive.complete = ScriptedChat(SCRIPT).complete  # type: ignore[method-assign]
    (result,) = run(tmp_path / "run", chosen, cast(alive, setup))
    assert result.complete


def test_a_model_that_dies_midway_passes_nothing(
    cast: Any, tmp_path: Path, trials: tuple[Trial, ...]
) -> None:
    chosen = [t for t in trials if not t.go][:3]  # for which silence is right
    dying = ScriptedChat([WAIT, WAIT, {"fail": "gone"}])
    (result,) = run(tmp_path / "run", chosen, cast(dying, "base"))
    assert (result.failed, result.rates.passed) == (3, 0)


def test_rubbish_throughout_is_a_failed_episode(
    cast: Any, tmp_path: Path, small: list[Trial]
) -> None:
    rubbish = ScriptedChat(["x" * 100_000, "__import__('os').abort()", "\x00", ""])
    results = run(tmp_path / "run", small, cast(rubbish))
    for result in results:
        assert (result.scored, result.failed) == (0, len(small))
        assert result.invalid == sum(trial.steps for trial in small)
        assert result.rates.passed == 0


def test_a_spent_budget_stops_and_the_next_goes_on(
    cast: Any, tmp_path: Path, small: list[Trial]
) -> None:
    whole = run(tmp_path / "whole", small, cast(ScriptedChat(SCRIPT)))
    stops = 0
    while True:
        chat = BudgetedChat(ScriptedChat(SCRIPT), Budget(60_000))
        try:
            results = run(tmp_path / "cut", small, cast(chat))
            break
        except StoppedError:
            stops += 1
    assert stops > 1
    assert shares(results) == shares(whole)


def test_the_record_names_what_moves_the_number(
    cast: Any, tmp_path: Path, small: list[Trial]
) -> None:
    played = cast(ScriptedChat(SCRIPT), "pm-prompt", "memory")
    run(tmp_path / "run", small[:1], played)
    (path,) = (tmp_path / "run" / "traces").glob("*pm-prompt*.jsonl")
    header = read_trace(path, Replied | Called).header
    manifest = RunFolder.open(tmp_path / "run").manifest
    assert header.privilege == "intention"
    for settings in (header.settings, manifest.settings):
        assert settings["passage_tokens"] == 200
        assert settings["embedder"] == {"model": "hashing"}
        assert settings["characters"] == 64
        assert set(settings["prompts"]) >= {"base", "memory", "reflexion", "pm-prompt", "dialogue"}
        assert {len(value) for value in settings["prompts"].values()} == {64}
    assert header.settings["model_settings"]["script"] == digest(SCRIPT)
    assert manifest.settings["models"]["m"]["script"] == digest(SCRIPT)
