"""Pooling: over planned episodes, by week, and nothing where there is nothing to divide by."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean, stdev
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actmem.week.obligations import WeekPlan
from actmem.week.records import Links, count_links, records
from actmem.week.results import Played, Rates, add, add_groups, add_links, rates, ratio, result
from actmem.week.score import METRICS, tally

Rows = Callable[..., list[Any]]
Build = Callable[..., WeekPlan]

NOTHING = dict.fromkeys(METRICS, 0)


@pytest.fixture(scope="module")
def plan(build: Build) -> WeekPlan:
    return build(
        {
            "steps": ["08:00 post_cue", "09:00 bread_cue", "10:00"],
            "tasks": {"post": {}, "bread": {}},
            "lures": {"paint": "start"},
        }
    )


def played(
    plan: WeekPlan,
    rows_for: Rows,
    chosen: dict[str, list[str]],
    unit: str = "one",
    status: Literal["complete", "failed", "missing"] = "complete",
    error: str = "",
) -> Played:
    rows = rows_for(plan, chosen)
    return Played(
        unit=unit, status=status, error=error, invalid=0, score=tally(plan, rows),
        links=count_links(records(plan, rows)),
    )  # fmt: skip


def test_rates_of_nothing_are_undefined() -> None:
    assert all(value is None for value in msgspec.structs.astuple(rates(NOTHING)))
    assert ratio(0, 0) is None
    assert ratio(0, 3) == 0.0
    empty = result("nobody", "", [])
    assert (empty.planned, empty.set_f1_mean, empty.set_f1_sd) == (0, None, None)


def test_rates_by_hand() -> None:
    found = rates(
        NOTHING
        | {"set_tp": 6, "set_fp": 2, "set_fn": 4, "hit": 6, "late": 1, "miss": 3}
        | {"chosen_tasks": 8, "cross_day_total": 4, "cross_day_hit": 1}
        | {"update_total": 5, "update_canceled": 1, "update_hit": 2}
        | {"exact_set_match_steps": 9, "exact_set_mismatch_steps": 3}
    )
    assert found == Rates(
        set_f1=12 / 18, precision=0.75, recall=0.6, hit_rate=0.6, late_rate=0.1, miss_rate=0.3,
        cross_day_hit_rate=0.25, update_hit_rate=0.5, exact_set_rate=0.75,
    )  # fmt: skip


@given(st.fixed_dictionaries({name: st.integers(0, 50) for name in ("set_tp", "set_fp", "set_fn")}))
def test_rates_are_fractions(counts: dict[str, int]) -> None:
    found = rates(NOTHING | counts)
    for value in (found.set_f1, found.recall):
        assert value is None or 0 <= value <= 1
    if counts["set_tp"] == 0 and found.set_f1 is not None:
        assert found.set_f1 == 0


def test_what_failed_or_is_missing_counts_with_empty_acts(plan: WeekPlan, rows_for: Rows) -> None:
    perfect = {"mon1": ["post"], "mon2": ["bread"]}
    whole = played(plan, rows_for, perfect)
    failed = played(plan, rows_for, {"mon1": ["post"]}, "two", "failed", "it broke")
    missing = played(plan, rows_for, {}, "three", "missing")
    found = result("x", "", [whole, failed, missing])
    assert (found.planned, found.scored, found.failed) == (3, 1, 1)
    assert not found.complete
    assert (found.counts["set_tp"], found.counts["set_fn"]) == (3, 3)
    assert found.rates.set_f1 == pytest.approx(6 / 9)
    assert found.errors == ("it broke",)
    assert result("x", "", [whole]).complete
    row = found.row()
    assert list(row)[:13] == [*found.head(), "set_f1"]
    assert row["set_f1"] == found.rates.set_f1
    assert row["counts"]["set_fn"] == 3


def test_the_spread_is_over_weeks_not_over_repeats(plan: WeekPlan, rows_for: Rows) -> None:
    all_of_it = {"mon1": ["post"], "mon2": ["bread"]}
    half = {"mon1": ["post"]}  # Set-F1 2/3
    one = [played(plan, rows_for, chosen, "one") for chosen in (all_of_it, half)]
    two = [played(plan, rows_for, chosen, "two") for chosen in (half, half)]
    found = result("x", "", [*one, *two])
    weekly = [6 / 7, 4 / 6]
    assert found.set_f1_mean == pytest.approx(fmean(weekly))
    assert found.set_f1_sd == pytest.approx(stdev(weekly))
    alone = result("x", "", one)
    assert alone.set_f1_mean == pytest.approx(6 / 7)
    assert alone.set_f1_sd is None  # one week has no spread, however often it is played


def test_a_week_in_which_nothing_was_due_or_done_has_no_f1(build: Build, rows_for: Rows) -> None:
    quiet = build({"steps": ["08:00"], "tasks": {"post": {}}})  # its cue never comes
    found = result("x", "", [played(quiet, rows_for, {}, "quiet")])
    assert found.rates.set_f1 is None
    assert found.set_f1_mean is None


def test_pooled_is_not_the_mean(plan: WeekPlan, rows_for: Rows) -> None:
    noisy = {"mon1": ["post", "paint"], "mon2": ["bread", "paint"], "mon3": ["paint"]}
    parts = [played(plan, rows_for, noisy, "one"), played(plan, rows_for, {}, "two")]
    found = result("x", "", parts)
    assert found.rates.set_f1 == pytest.approx(4 / (4 + 3 + 2))
    assert found.set_f1_mean == pytest.approx((4 / 7 + 0) / 2)


def test_adding() -> None:
    assert add(("a", "b"), []) == {"a": 0, "b": 0}
    assert add(("a",), [{"a": 1, "c": 2}, {"c": 3}]) == {"a": 1, "c": 5}
    assert add_groups([{"x": {"a": 1}}, {"x": {"a": 2}, "w": {"a": 5}}]) == {
        "w": {"a": 5},
        "x": {"a": 3},
    }
    one = Links(
        hits_with_evidence=1, hits_without_evidence=2, late_steps={"3": 1}, broken={"acted": 1}
    )
    total = add_links([one, one])
    assert (total.hits_with_evidence, total.hits_without_evidence) == (2, 4)
    assert total.late_steps == {"3": 2}
    two = msgspec.structs.replace(one, late_steps={"10": 1})
    assert list(add_links([two, one]).late_steps) == ["3", "10"]  # as numbers, not as words
    assert total.broken["acted"] == 2
