"""The standard set: regenerated from seeds, equal to its pins, and large enough in every slice."""

from __future__ import annotations

from collections import Counter

import pytest

from actmem.errors import InputError
from actmem.week.check import check
from actmem.week.content.schema import CHANNELS
from actmem.week.scenario import Scenario
from actmem.week.standard import pinned, standard_weeks


@pytest.fixture(scope="module")
def weeks() -> list[Scenario]:
    return standard_weeks(11)


def test_the_set_comes_out_as_pinned(weeks: list[Scenario]) -> None:
    assert [week.digest for week in weeks] == [entry.digest for entry in pinned()]
    assert [entry.profile for entry in pinned()] == ["full"] * 10 + ["paper"]


def test_its_weeks_are_sound(weeks: list[Scenario]) -> None:
    assert [violation for week in weeks for violation in check(week)] == []


def test_every_slice_holds_twenty_items_over_the_ten_full_weeks(weeks: list[Scenario]) -> None:
    full = weeks[:10]
    tasks = [task for week in full for day in week.days for task in day.tasks]
    ids = {
        (week.scenario_name, task.id): task
        for week in full
        for day in week.days
        for task in day.tasks
    }
    updates = [
        (week.scenario_name, day.name, update)
        for week in full
        for day in week.days
        for step in day.steps
        for update in step.updates
    ]
    slices = Counter(f"update {update.action}" for *_, update in updates)
    slices["cross-day"] = sum(task.cross_day for task in tasks)
    slices["time-check"] = sum(task.type == "time_check" for task in tasks)
    slices["dependency"] = sum(task.depends_on is not None for task in tasks)
    slices["channel update"] = sum(
        ids[name, u.task_id].cue_channel is not None for name, _, u in updates
    )
    slices["early update"] = sum(u.target_day not in (None, day) for _, day, u in updates)
    assert len(slices) == 8
    assert min(slices.values()) >= 20, slices
    channels = Counter(task.cue_channel for task in tasks if task.cue_channel)
    assert set(channels) == set(CHANNELS)
    assert min(channels.values()) >= 10, channels


def test_more_weeks_than_the_set_has_are_refused() -> None:
    with pytest.raises(InputError, match="--seed"):
        standard_weeks(12)
