"""The report of trials, from floors under other names: what they pass is known by hand."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import msgspec
import pytest

from actmem.errors import InputError
from actmem.report.text import plain
from actmem.report.trials import (
    errors_table,
    pairs_table,
    reminder_table,
    subsets_table,
    trials_comparison,
    trials_report,
    types_table,
)
from actmem.report.trials_data import TrialsData, TrialsEntry
from actmem.run.execute import execute
from actmem.run.store import RunFolder
from actmem.trials.agents.floors import FLOORS
from actmem.trials.play import Replied, play
from actmem.trials.released import released
from actmem.trials.results import Played, result
from actmem.trials.score import score
from actmem.trials.stats import wilson
from actmem.trials.suite import TrialsSuite, make_manifest, unit_files
from actmem.trials.trial import Trial

from .conftest import cells, named


@cache
def some_trials() -> tuple[Trial, ...]:
    """Return four trials of A and eight of C."""
    found = list(released())
    hard = [trial for trial in found if trial.subset == "C"]
    return (*[trial for trial in found if trial.subset == "A"][:4], *hard[:4], *hard[-4:])


@cache
def played(floor: str) -> tuple[Played, ...]:
    episodes = []
    for trial in some_trials():
        events: list[Replied] = []
        agent = FLOORS[floor](trial, random.Random(1))
        footer = play(agent, trial, (), events.append)  # type: ignore[arg-type]
        judged = score(trial, [e.text for e in events], [e.step for e in events])
        episodes.append(Played(trial=trial, status=footer.status, error="", result=judged))
    return tuple(episodes)


def entry(agent: str, floor: str, *, setup: str = "", model: str = "") -> TrialsEntry:
    episodes = played(floor)
    one = result(agent, "", episodes, setup=setup, model=model)
    return TrialsEntry(one, episodes, "run", "here", {})


@pytest.fixture
def data() -> TrialsData:
    """The model m passes all with the reminder, nothing without."""
    return TrialsData(
        (
            entry("base m", "nop", setup="base", model="m"),
            entry("pm-prompt m", "oracle", setup="pm-prompt", model="m"),
        ),
        (),
        {},
    )


def test_table_1_by_hand(data: TrialsData) -> None:
    table = subsets_table(data)
    told, base = cells(table, agent="pm-prompt m"), cells(table, agent="base m")
    assert [told[name].value for name in ("A", "C", "accuracy")] == [1.0, 1.0, 1.0]
    assert [base[name].value for name in ("A", "C", "accuracy")] == [0.0, 0.0, 0.0]
    assert (told["A"].low, told["A"].high) == wilson(4, 4)
    assert (told["accuracy"].best, base["accuracy"].best) == (True, False)
    published = cells(table, agent="reflexion o4-mini-high")
    assert (published["from"].value, published["A"].value) == ("published", 0.963)
    assert "no-go trials are ours alone" in table.note


def test_table_2_is_the_gain_of_the_reminder_on_c(data: TrialsData) -> None:
    """Eight trials of C, all won: of 256 exchanges two are as large."""
    row = cells(reminder_table(data), model="m")
    assert (row["base"].value, row["pm_prompt"].value, row["gain"].value) == (0.0, 1.0, 1.0)
    assert row["p"].value == pytest.approx(2 / 2**8)
    published = cells(reminder_table(data), model="GPT-4o")
    assert published["gain"].value == pytest.approx(0.041)
    alone = TrialsData(data.entries[:1], (), {})
    assert {r[1].value for r in reminder_table(alone).rows} == {"published"}


def test_pairs_are_over_trials(data: TrialsData) -> None:
    row = cells(pairs_table(data.entries), one="base m", two="pm-prompt m")
    assert row["difference"].value == -1.0
    assert row["p"].value == pytest.approx(2 / 2**12)


def test_errors_and_types_on_c(data: TrialsData) -> None:
    base = cells(errors_table(data), agent="base m")
    assert (base["miss_rate"].value, base["false_alarm_rate"].value) == (1.0, 0.0)
    kinds = {f"C_{trial.kind}" for trial in some_trials() if trial.subset == "C"}
    told = cells(types_table(data), agent="pm-prompt m")
    assert kinds <= set(told)
    assert {told[kind].value for kind in kinds} == {1.0}


def test_an_unfinished_entry_is_neither_best_nor_compared(data: TrialsData) -> None:
    base, told = data.entries
    cut = (msgspec.structs.replace(told.played[0], status="missing"), *told.played[1:])
    one = result("pm-prompt m", "", cut, setup="pm-prompt", model="m")
    broken = told._replace(result=one, played=cut)
    found = TrialsData((base, broken), (), {})
    assert cells(subsets_table(found), agent="pm-prompt m")["scored"].note == "INCOMPLETE"
    assert not cells(subsets_table(found), agent="pm-prompt m")["accuracy"].best
    assert pairs_table(found.entries).rows == []
    row = cells(reminder_table(found), model="m")
    assert (row["model"].note, row["p"].value) == ("INCOMPLETE", None)


def run(path: Path, agents: list[str], trials: tuple[Trial, ...]) -> RunFolder:
    folder = RunFolder.prepare(path, make_manifest(trials, agents), unit_files(trials))
    execute(folder, TrialsSuite(folder))
    return folder


def test_a_run_is_reported_with_the_floors_that_it_lacks(tmp_path: Path) -> None:
    folder = run(tmp_path / "one", ["oracle", "keyword"], some_trials())
    report = trials_report([folder])
    table = named(report, "subsets")
    assert cells(table, agent="oracle")["from"].value == "run"
    assert cells(table, agent="nop")["from"].value == "played now"
    scored = {one.agent: one for one in TrialsSuite(folder).results()}
    for agent, one in scored.items():
        assert cells(table, agent=agent)["accuracy"].value == one.rates.accuracy
    assert report.incomplete == []
    assert plain(report)["facts"]["trials"] == "12"
    assert named(trials_comparison([folder]), "differences").rows


def test_other_trials_are_refused(tmp_path: Path) -> None:
    one = run(tmp_path / "one", ["nop"], some_trials()[:2])
    two = run(tmp_path / "two", ["nop"], some_trials()[1:3])
    with pytest.raises(InputError, match="plays other trials than"):
        trials_report([one, two])
