"""What the suite must show: ceiling, floors, necessity, and that words alone do not pass it."""

import time
from collections.abc import Callable

import pytest

from actmem.trials.agents.agent import play
from actmem.trials.agents.floors import FLOORS, floor
from actmem.trials.make import make
from actmem.trials.score import score
from actmem.trials.stats import Pair
from actmem.trials.trial import Trial

Outcome = Callable[[str], tuple[Pair, ...]]


def share(pairs: list[Pair], of: Callable[[Pair], bool]) -> float:
    return sum(map(of, pairs)) / len(pairs)


def passed(pair: Pair) -> bool:
    return pair[1].passed


@pytest.mark.parametrize("subset", ["A", "B", "C"])
def test_the_oracle_passes_everything(subset: str, outcome: Outcome) -> None:
    assert all(r.passed for t, r in outcome("oracle") if t.subset == subset)


def test_ongoing_play_alone_passes_exactly_the_no_go_trials(outcome: Outcome) -> None:
    assert all(result.passed == (not trial.go) for trial, result in outcome("ongoing-only"))


def test_nop_passes_nothing(outcome: Outcome) -> None:
    assert not any(map(passed, outcome("nop")))


def test_always_acting_passes_nothing_and_is_always_a_false_alarm_where_nothing_is_due(
    outcome: Outcome,
) -> None:
    assert not any(map(passed, outcome("always")))
    assert all(result.false_alarm for trial, result in outcome("always") if not trial.go)


@pytest.mark.parametrize("name", [name for name in FLOORS if name != "nop"])
def test_all_floors_but_nop_meet_every_ongoing_goal(name: str, outcome: Outcome) -> None:
    assert all(result.ongoing == 1.0 for _, result in outcome(name))


def test_keyword_solves_the_plain_time_trials_and_subset_a(outcome: Outcome) -> None:
    plain = [p for p in outcome("keyword") if p[0].kind == "time" and p[0].specificity == "exact"]
    assert all(result.passed for trial, result in plain if trial.go)
    assert all(result.passed for trial, result in outcome("keyword") if trial.subset == "A")


def _keyword(pairs: list[Pair], subset: str) -> tuple[float, float]:
    of = [p for p in pairs if p[0].subset == subset]
    go = [p for p in of if p[0].go and p[0].kind != "time"]
    no_go = [p for p in of if not p[0].go]
    return share(go, passed), share(no_go, lambda p: p[1].false_alarm)


def test_keyword_fails_where_words_must_be_understood(outcome: Outcome) -> None:
    pairs = list(outcome("keyword"))
    assert _keyword(pairs, "B")[0] <= 0.5
    accuracy, alarms = _keyword(pairs, "C")
    assert accuracy <= 0.2
    assert alarms >= 0.3


@pytest.mark.parametrize(("subset", "most"), [("B", 0.5), ("C", 0.2)])
def test_keyword_fails_on_fresh_trials_too(subset: str, most: float) -> None:
    fresh = [t for seed in (11, 12, 13) for t in make(seed, subset, 60)]  # type: ignore[arg-type]
    pairs = [(t, score(t, play(t, floor("keyword", t)))) for t in fresh]
    accuracy, alarms = _keyword(pairs, subset)
    assert accuracy <= most
    assert alarms >= 0.3


@pytest.mark.parametrize("name", ["keyword", "ongoing-only", "nop"])
def test_without_the_intentions_text_no_go_trial_is_passed(
    name: str, trials: tuple[Trial, ...]
) -> None:
    for trial in trials:
        if trial.go:
            replies = play(trial, floor(name, trial), intention=False)
            assert not score(trial, replies).passed, trial.id


def test_ten_thousand_trials_by_the_oracle_take_less_than_twenty_seconds(
    trials: tuple[Trial, ...],
) -> None:
    started = time.perf_counter()
    for trial in trials * 4:
        assert score(trial, play(trial, floor("oracle", trial))).passed
    assert (time.perf_counter() - started) * 10_000 / (
        4 * len(trials)
    ) <= 80  # four times the bar: other work may share the machine
