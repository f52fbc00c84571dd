from __future__ import annotations

import math
from random import Random

import pytest

from actmem.errors import InputError
from actmem.mem2act.compare import compare, interval
from actmem.mem2act.score import CallScore


def scores(values: list[float]) -> dict[str, CallScore]:
    return {f"t{i:03}": CallScore(f1=value) for i, value in enumerate(values)}


def noise(seed: int, number: int) -> list[float]:
    chance = Random(seed)
    return [chance.random() for _ in range(number)]


def test_pairs_show_a_difference_that_tasks_would_hide() -> None:
    base = noise(1, 60)
    found = compare(scores([value + 0.02 for value in base]), scores(base), "f1")
    assert found.mean == pytest.approx(0.02)
    assert found.low == pytest.approx(0.02)
    assert found.p < 0.001


def test_equal_systems_do_not_differ() -> None:
    base = scores(noise(1, 60))
    found = compare(base, base, "f1")
    assert (found.mean, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_the_interval_agrees_with_the_normal_one() -> None:
    values = noise(3, 400)
    found = interval(scores(values), "f1")
    mean = math.fsum(values) / 400
    error = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / 400 / 400)
    assert found.mean == pytest.approx(mean)
    assert found.low == pytest.approx(mean - 1.96 * error, abs=0.1 * error)
    assert found.high == pytest.approx(mean + 1.96 * error, abs=0.1 * error)


def test_a_difference_by_chance_is_seldom_called_one() -> None:
    below = sum(
        compare(scores(noise(2 * i, 50)), scores(noise(2 * i + 1, 50)), "f1", draws=1000).p < 0.05
        for i in range(200)
    )
    assert 1 <= below <= 24  # about 10 are expected


def test_the_draws_are_seeded() -> None:
    one, two = scores(noise(1, 30)), scores(noise(2, 30))
    assert compare(one, two, "f1", seed=5) == compare(one, two, "f1", seed=5)
    assert compare(one, two, "f1", seed=5) != compare(one, two, "f1", seed=6)


def test_only_the_same_tasks_are_compared() -> None:
    with pytest.raises(InputError, match="did not answer the same tasks"):
        compare(scores([1.0]), scores([1.0, 0.0]), "f1")
    with pytest.raises(InputError, match="no tasks"):
        interval({}, "f1")
