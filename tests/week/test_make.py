"""The generator: same seed, same bytes; what a week holds; knobs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest
from msgspec import structs

from actmem.errors import InputError
from actmem.week.check import check
from actmem.week.content.schema import SNAPSHOT_CHANNELS
from actmem.week.make import Knobs, make_week, make_weeks
from actmem.week.obligations import DayState, Verdict, prepare
from actmem.week.paper import paper
from actmem.week.scenario import Scenario, dump, minutes
from actmem.week.stats import stats

PAPER = Knobs(profile="paper")
FULL = Knobs(profile="full")


@pytest.mark.parametrize("knobs", [PAPER, FULL])
def test_same_seed_same_bytes_in_another_process(knobs: Knobs) -> None:
    code = (
        "import sys; from actmem.week.make import Knobs, make_week; from actmem.week.scenario import dump;"
        f"sys.stdout.buffer.write(dump(make_week(5, Knobs(profile={knobs.profile!r}))))"
    )
    other = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": "7"},
    ).stdout
    assert other == dump(make_week(5, knobs))


def test_seeds_differ_and_follow_one_another() -> None:
    weeks = list(make_weeks(3, 2, PAPER))
    assert [week.scenario_name for week in weeks] == ["paper-3", "paper-4"]
    assert weeks[0].digest != weeks[1].digest
    assert weeks[1].digest == make_week(4, PAPER).digest


@pytest.mark.parametrize("seed", range(1, 13))
def test_a_paper_week_holds_what_the_paper_describes(seed: int) -> None:
    week = make_week(seed, PAPER)
    row, published = stats(week), paper().table_1
    for name in (
        "Days", "Event-based tasks", "Time-based tasks", "Regular tasks", "Channel-triggered tasks",
        "Cross-day tasks", "Update events (total)", "Cancel / Override / Reschedule",
        "State channels",
    ):  # fmt: skip
        assert row[name] == published[name], name
    assert len({day.archetype for day in week.days}) == 7
    for day in week.days:
        assert 10 <= len(day.steps) <= 13
        assert 10 <= len(day.lures) <= 12
        assert all(7 * 60 <= minutes(step.time) <= 22 * 60 for step in day.steps)
        kinds = Counter(
            "routine"
            if t.regular
            else "channel"
            if t.cue_channel
            else "cross"
            if t.cross_day
            else t.type
            for t in day.tasks
        )
        assert kinds["routine"] == 4
        assert 2 <= kinds["event"] <= 4
        assert 1 <= kinds["time"] <= 2
        assert 1 <= kinds["channel"] <= 3


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_full_week_adds_what_the_release_never_uses(seed: int) -> None:
    week = make_week(seed, FULL)
    tasks = [task for day in week.days for task in day.tasks]
    updates = [(day, u) for day in week.days for step in day.steps for u in step.updates]
    by_id = {task.id: task for task in tasks}
    assert sum(task.depends_on is not None for task in tasks) == 3
    assert sum(task.type == "time_check" for task in tasks) == 4
    assert sum(task.condition is not None for task in tasks) == 3
    assert sum(by_id[u.task_id].cue_channel is not None for _, u in updates) == 3
    assert sum(u.target_day not in (None, day.name) for day, u in updates) == 2
    assert sorted(Counter(u.task_id for _, u in updates).values())[-3:] == [1, 2, 2]
    for day in week.days:
        assert abs(len(day.lures) - len(day.tasks)) <= 1


@pytest.mark.parametrize("knobs", [PAPER, FULL])
def test_channel_tasks_have_decoys_before_them(knobs: Knobs) -> None:
    week = make_week(2, knobs)
    for day in prepare(week).days:
        for line in day.timelines.values():
            channel = line.task.cue_channel
            if channel is None or line.given:
                continue
            first = min(line.met)
            before = [e for s in day.day.steps[:first] for e in s.state_events.get(channel, ())]
            assert len(before) >= 2


@pytest.mark.parametrize("knobs", [PAPER, FULL])
def test_no_text_tells_a_task_from_a_lure_by_kind(knobs: Knobs) -> None:
    tasks: set[str] = set()
    lures: set[str] = set()
    for week in make_weeks(1, 12, knobs):
        for day in week.days:
            live = {task.action_text for task in day.tasks}
            texts = {lure.action_text for lure in day.lures}
            assert not live & texts
            assert {i.id for i in day.tasks}.isdisjoint(i.id for i in day.lures)
            tasks |= live
            lures |= texts
    assert len(tasks & lures) > len(tasks) / 3


def _perfect(week: Scenario) -> list[Verdict]:
    verdicts = []
    for day in prepare(week).days:
        state = DayState(day)
        for step in range(len(day.times)):
            due = state.due(step)
            verdicts += state.act(step, due, due)
        assert all(n in state.completed or state.cancelled(n) is not None for n in day.timelines)
    return verdicts


@pytest.mark.parametrize("knobs", [PAPER, FULL])
def test_perfect_play_does_everything_on_time_on_200_seeds(knobs: Knobs) -> None:
    for week in make_weeks(1000, 200, knobs):
        assert set(_perfect(week)) == {Verdict.HIT}


def test_fewer_days_and_channels() -> None:
    week = make_week(1, Knobs(days=2, channels=("email", "laundry_status")))
    assert [day.name for day in week.days] == ["Monday", "Tuesday"]
    assert set(week.state_channels) == {"clock", "email", "laundry_status"}
    assert not check(week)
    assert week.generator is not None
    assert week.generator.settings == {"days": 2, "channels": "email,laundry_status"}


@pytest.mark.parametrize("seed", [1, 5, 9, 17])
def test_the_sparsest_weeks_come_out(seed: int) -> None:
    """Their days are so short that a channel has no room for two runs of messages."""
    assert not check(make_week(seed, Knobs(days=7, density=0.5)))


def test_density_scales_a_week() -> None:
    sparse, dense = (
        len([t for d in make_week(1, Knobs(profile="paper", density=x)).days for t in d.tasks])
        for x in (0.6, 1.3)
    )
    assert sparse < 70 < 90 < dense


@pytest.mark.parametrize(
    "knobs",
    [Knobs(days=0), Knobs(days=8), Knobs(density=3.0), Knobs(channels=("fax",)),
     Knobs(dependencies=200)],
)  # fmt: skip
def test_knobs_out_of_range_are_one_line(knobs: Knobs) -> None:
    with pytest.raises(InputError) as error:
        make_week(1, knobs)
    assert "\n" not in str(error.value)


def test_snapshot_channels_have_a_state_before_anything_happens() -> None:
    week = make_week(1, PAPER)
    for name in SNAPSHOT_CHANNELS:
        assert week.state_channels[name].default_item is not None


def test_a_week_survives_its_file() -> None:
    from actmem.files import decode

    week = make_week(9, FULL)
    assert structs.asdict(decode(dump(week), Scenario, "file")) == structs.asdict(week)
