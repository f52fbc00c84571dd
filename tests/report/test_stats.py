"""Intervals and p-values: against scipy, and against cases that can be counted by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats as scipy_stats

from actmem.report.stats import (
    Array,
    Interval,
    difference,
    holm,
    interval,
    levels,
    mean_ratio,
)


def counts(*weeks: tuple[float, float]) -> Array:
    """Return the parts of one member: a pair a week."""
    return np.array(weeks, dtype=float)[:, None, :]


def drawn_weeks(number: int, seed: int, share: float = 0.6) -> Array:
    chance = np.random.default_rng(seed)
    below = chance.integers(40, 90, number)
    above = chance.binomial(below, share)
    return counts(*zip(above, below, strict=True))


def test_a_mean_of_ratios_by_hand() -> None:
    two_models = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert mean_ratio(two_models) == pytest.approx((0.5 + 0.75) / 2)


def test_a_member_without_a_ratio_is_left_out_of_the_mean() -> None:
    assert mean_ratio(np.array([[1.0, 2.0], [0.0, 0.0]])) == 0.5
    assert np.isnan(mean_ratio(np.array([[0.0, 0.0]])))


def test_levels_widen_with_fewer_weeks() -> None:
    """By hand for 5 weeks: t(0.975; 4) = 2.776, times sqrt(5/4) = 3.104; Phi(-3.104) = 0.00095."""
    low, high = levels(5)
    assert low == pytest.approx(0.000954, abs=2e-6)
    assert low + high == pytest.approx(1)
    assert levels(3)[0] < low < levels(30)[0] < levels(100_000)[0]
    assert levels(100_000)[0] == pytest.approx(0.025, abs=1e-4)


@pytest.mark.parametrize("number", [5, 12, 40])
def test_an_interval_is_scipys_at_the_same_level(number: int) -> None:
    parts = drawn_weeks(number, seed=number)
    found = interval(parts)
    assert found is not None
    theirs = scipy_stats.bootstrap(
        (parts[:, 0, 0], parts[:, 0, 1]),
        lambda above, below, axis: above.sum(axis=axis) / below.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        confidence_level=1 - 2 * levels(number)[0],
        method="percentile",
        rng=np.random.default_rng(5),
    ).confidence_interval
    spread = theirs.high - theirs.low
    assert found.low == pytest.approx(theirs.low, abs=0.08 * spread)
    assert found.high == pytest.approx(theirs.high, abs=0.08 * spread)


def test_an_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    """Six weeks a time: 95 % with room for 400 trials; the plain percentile interval has 87 %."""
    held = 0
    for seed in range(400):
        found = interval(drawn_weeks(6, seed, share=0.4), draws=800)
        assert found is not None
        held += found.low <= 0.4 <= found.high
    assert 0.92 <= held / 400 <= 0.99


def test_the_interval_of_two_weeks_is_all_that_they_span() -> None:
    assert interval(counts((1, 10), (9, 10))) == Interval(0.1, 0.9)


def test_one_week_has_no_interval() -> None:
    assert interval(counts((1, 2))) is None


def test_equal_weeks_have_an_interval_of_no_width() -> None:
    assert interval(counts((3, 4), (3, 4), (3, 4))) == Interval(0.75, 0.75)


def test_an_interval_is_the_same_each_time() -> None:
    parts = drawn_weeks(7, 1)
    assert interval(parts) == interval(parts)
    assert interval(parts, seed=1) != interval(parts)


def test_no_interval_where_too_many_draws_have_no_value() -> None:
    assert interval(counts((0, 0), (0, 0), (1, 2))) is None  # 8 of 27 draws are undefined


def test_members_are_drawn_with_the_same_weeks() -> None:
    """What one model gains in a week the other loses: the mean never moves."""
    parts = np.array([[[0, 1], [1, 1]], [[1, 1], [0, 1]], [[0, 1], [1, 1]]], dtype=float)
    assert interval(parts) == Interval(0.5, 0.5)


def test_p_by_hand() -> None:
    """Three weeks, all won by the same: only that exchange and its mirror are as large: 2 of 8."""
    found = difference(counts((3, 4), (4, 4), (2, 4)), counts((1, 4), (2, 4), (1, 4)))
    assert found.value == pytest.approx(9 / 12 - 4 / 12)
    assert (found.p, found.exact, found.clusters) == (0.25, True, 3)


def test_nothing_between_equals() -> None:
    parts = drawn_weeks(6, 2)
    found = difference(parts, parts)
    assert (found.value, found.p, found.interval) == (0.0, 1.0, Interval(0.0, 0.0))


def test_one_week_gives_a_difference_and_no_more() -> None:
    found = difference(counts((3, 4)), counts((1, 4)))
    assert (found.value, found.interval, found.p) == (0.5, None, None)


def test_an_undefined_value_gives_no_difference() -> None:
    found = difference(counts((0, 0), (0, 0)), counts((1, 4), (2, 4)))
    assert (found.value, found.interval, found.p) == (None, None, None)


def test_a_single_agent_is_set_against_each_model() -> None:
    """Against two copies of itself an agent is against itself."""
    chance = np.random.default_rng(8)
    models = chance.integers(1, 9, (4, 2, 2)).astype(float)
    models[..., 1] += 9
    alone = drawn_weeks(4, 5)
    twice = np.concatenate([alone, alone], axis=1)
    assert difference(models, alone) == difference(models, twice)
    assert difference(alone, models) == difference(twice, models)
    assert difference(alone, twice).p == 1.0


def _ratio_gap(one: Array, two: Array, axis: int = -1) -> Array:
    return np.asarray(one.mean(axis=axis) - two.mean(axis=axis))


@pytest.mark.parametrize("number", [4, 9])
def test_exact_p_is_scipys(number: int) -> None:
    """With equal sums below the line, the pooled ratio is a mean, which scipy can exchange."""
    chance = np.random.default_rng(number)
    one, two = chance.integers(20, 45, number), chance.integers(15, 42, number)
    found = difference(counts(*((a, 50) for a in one)), counts(*((b, 50) for b in two)))
    theirs = scipy_stats.permutation_test(
        (one / 50, two / 50), _ratio_gap, permutation_type="samples", n_resamples=np.inf,
        vectorized=True,
    )  # fmt: skip
    assert found.exact
    assert found.p == pytest.approx(theirs.pvalue, abs=1e-12)
    assert found.value == pytest.approx(theirs.statistic)


def test_exact_p_is_that_of_going_through_all_exchanges() -> None:
    """Unequal weeks, two members: counted anew, exchange by exchange."""
    chance = np.random.default_rng(3)
    below = chance.integers(5, 50, (5, 2))
    one = np.stack([chance.binomial(below, 0.6), below], axis=-1).astype(float)
    two = np.stack([chance.binomial(below, 0.45), below], axis=-1).astype(float)
    seen = float(mean_ratio(one.sum(0)) - mean_ratio(two.sum(0)))
    as_large = 0
    for swaps in product([False, True], repeat=5):
        marked = np.array(swaps)[:, None, None]
        first, second = np.where(marked, two, one), np.where(marked, one, two)
        gap = float(mean_ratio(first.sum(0)) - mean_ratio(second.sum(0)))
        as_large += abs(gap) >= abs(seen) - 1e-12
    assert difference(one, two).p == as_large / 32


def test_drawn_p_is_near_the_exact_one_and_never_zero() -> None:
    one, two = drawn_weeks(10, 3, 0.62), drawn_weeks(10, 4, 0.58)
    exact, drawn = difference(one, two), difference(one, two, exact=10)
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.p == pytest.approx(exact.p, abs=0.02)
    far = difference(counts(*[(9, 10)] * 20), counts(*[(1, 10)] * 20), exact=10, draws=500)
    assert far.p == pytest.approx(1 / 501)


def test_p_of_twenty_weeks_is_drawn() -> None:
    assert not difference(drawn_weeks(20, 1), drawn_weeks(20, 2)).exact


def test_holm_by_hand() -> None:
    """0.01 x 4, 0.02 x 3, 0.03 x 2, 0.5 x 1, never falling: Holm's own steps."""
    assert holm([0.03, 0.01, 0.5, 0.02]) == pytest.approx([0.06, 0.04, 0.5, 0.06])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []
