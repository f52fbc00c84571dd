"""The released set: its hash, its balance, its bounds."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from actmem.errors import ActMemError
from actmem.hashing import digest
from actmem.trials import released as module
from actmem.trials.audit import problem
from actmem.trials.builders.plot import DELAYS
from actmem.trials.make import make
from actmem.trials.released import SEED, SIZES
from actmem.trials.trial import WORLDS, Trial
from actmem.trials.worlds.scheduling import SchedulingSetup
from actmem.trials.worlds.shopping import ShoppingSetup

HASH = "4054e11cb78bd126b4d346533aac9dc210e7f921171e7ce381d1af1e37ada365"


def test_the_hash_of_version_1_is_pinned(trials: tuple[Trial, ...]) -> None:
    assert digest(trials) == HASH


def test_it_is_drawn_again_whatever_the_hash_seed() -> None:
    code = (
        "from actmem.hashing import digest; from actmem.trials.make import make;"
        f"print(digest([t for s, n in {SIZES}.items() for t in make({SEED}, s, n)]))"
    )
    for seed in ("1", "2"):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.stdout.strip() == HASH, done.stderr


@pytest.mark.parametrize("data", [None, b"", b"no json", b'{"id": 1}', b'{"id": "\xff"}'])
def test_a_damaged_file_is_told_in_one_line(
    data: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "released.jsonl"
    if data is not None:
        path.write_bytes(data)
    monkeypatch.setattr(module, "FILE", path)
    module.released.cache_clear()
    try:
        with pytest.raises(ActMemError, match=r"^the released trials .*reinstall actmem$"):
            module.released()
    finally:
        module.released.cache_clear()


def test_sizes_and_ids(trials: tuple[Trial, ...]) -> None:
    assert Counter(t.subset for t in trials) == SIZES
    assert len({t.id for t in trials}) == 234
    assert all(t.id.startswith(f"{t.subset}/{t.world}/{t.kind}/") for t in trials)


def test_cells_are_balanced_to_within_one(trials: tuple[Trial, ...]) -> None:
    for subset in SIZES:
        cells = Counter((t.world, t.kind) for t in trials if t.subset == subset)
        assert len(cells) == (8 if subset == "A" else 12)
        assert max(cells.values()) - min(cells.values()) <= 1
    assert Counter(t.kind for t in trials if t.subset == "A") == {"time": 40, "event": 40}


def test_a_fifth_of_b_and_c_is_no_go(trials: tuple[Trial, ...]) -> None:
    assert Counter(t.subset for t in trials if not t.go) == {"B": 16, "C": 15}


def test_delay_interference_and_wording_are_those_of_the_subset(trials: tuple[Trial, ...]) -> None:
    for trial in trials:
        low, high = DELAYS[trial.subset]
        assert 1 <= trial.delay <= high
        assert trial.delay < trial.steps
        if trial.subset != "A":
            assert trial.delay >= low
    wordings = {s: {t.specificity for t in trials if t.subset == s} for s in SIZES}
    assert wordings == {
        "A": {"exact"},
        "B": {"exact", "category"},
        "C": {"category", "paraphrase"},
    }
    assert {t.interference for t in trials if t.subset == "A"} == {"none"}
    assert {t.interference for t in trials if t.subset == "B"} == {"distractors"}


def test_a_quarter_of_c_has_the_same_action_in_the_ongoing_task(trials: tuple[Trial, ...]) -> None:
    for world in ("shopping", "scheduling"):
        hard = [t for t in trials if t.subset == "C" and t.world == world]
        assert 4 * sum(t.interference == "same-action" for t in hard) >= len(hard)


def test_same_action_means_that_open_goals_ask_for_the_intended_action(
    trials: tuple[Trial, ...],
) -> None:
    for trial in (t for t in trials if t.interference == "same-action"):
        args = trial.intended.args
        if isinstance(trial.setup, ShoppingSetup):
            asked = [(item,) for _, item in trial.setup.entries]
        else:
            assert isinstance(trial.setup, SchedulingSetup)
            asked = [call for _, _, call in trial.setup.requests]  # type: ignore[misc]
        assert asked.count(args) == 3  # type: ignore[arg-type]


def test_every_trial_passes_its_audit(trials: tuple[Trial, ...]) -> None:
    assert [(t.id, problem(t)) for t in trials if problem(t)] == []


@pytest.mark.parametrize("seed", [1, 7, 99])
def test_a_fixed_step_from_either_end_does_not_pay(seed: int) -> None:
    """The length of an episode is told, so that it must not tell when the intention is due."""
    for subset in SIZES:
        go = [t for t in make(seed, subset, SIZES[subset]) if t.go]
        ends = Counter(t.steps - t.delay for t in go).most_common(1)[0][1]
        starts = Counter(t.delay for t in go).most_common(1)[0][1]
        assert ends <= 0.2 * len(go)
        # A has four delays and B seven, no more.
        assert starts <= {"A": 0.3, "B": 0.25, "C": 0.2}[subset] * len(go)
        for world in WORLDS:
            own = [t for t in go if t.world == world]
            assert len({t.steps - t.delay for t in own}) >= 6


def test_fresh_trials_are_balanced_distinct_and_repeatable() -> None:
    once, again, other = (list(make(seed, "C", 60)) for seed in (7, 7, 8))
    assert once == again
    assert {t.intention for t in once} != {t.intention for t in other}
    assert max(Counter((t.world, t.kind) for t in once).values()) == 5
    assert sum(not t.go for t in once) == 12


def test_many_seeds_can_be_made() -> None:
    for seed in range(3, 8):
        for subset in SIZES:
            assert len(list(make(seed, subset, 48))) == 48
