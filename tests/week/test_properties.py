"""What holds for every week and every agent, illegal acts included.

Two sources of weeks: small ones drawn field by field, which use all that the format holds, also
where no generator would; and weeks of the generator. Agents act at random, and often wrongly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actmem.trace import Footer
from actmem.week.make import Knobs, Profile, make_week
from actmem.week.menu import day_menu
from actmem.week.obligations import DayState, Verdict, WeekPlan, prepare
from actmem.week.play import Refused, WeekEvent, play
from actmem.week.records import count_links, records
from actmem.week.replay import rows_of
from actmem.week.scenario import Step, Task, Update, minutes
from actmem.week.score import Score, align, score, tally
from actmem.week.world import Act, Observation, Query, SetHeartbeat, World

Build = Callable[..., WeekPlan]

CUES = ("a", "b", "c")
MINUTES = (0, 20, 45, 60, 75, 110, 130)
PROFILES: tuple[Profile, ...] = ("paper", "full")
LIMITED = settings(max_examples=60)


class Erratic:
    """Does anything at all, by a seed; keeps the menu of each step. ``next_step`` ends a step."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.menus: list[set[str]] = [set()]

    def next_step(self) -> None:
        self.menus.append(set())

    def decide(self, observation: Observation) -> Any:
        self.menus[-1] |= {item.handle for item in observation.menu}
        random = self._random
        draw = random.random()
        if draw < 0.25:
            return Query(random.choice([*observation.channels, "fax"]))
        if draw < 0.3:
            return SetHeartbeat(random.choice([30, 60, None, 45]))
        if draw < 0.4:
            return random.choice(
                [None, "act", Act("E"), Act("A", ("task_0",)), Act("A", ("x",) * 9)]
            )
        chosen = [item.handle for item in observation.menu if random.random() < 0.4][:8]
        random.shuffle(chosen)
        return Act(random.choice("ABC"), tuple(chosen))


def episode(
    plan: WeekPlan, seed: int, recorded: Sequence[WeekEvent] = ()
) -> tuple[Footer, list[WeekEvent], list[set[str]]]:
    """Play with ``Erratic``: the footer, what was written, the handles of each step's menu."""
    events: list[WeekEvent] = []
    agent = Erratic(seed)
    footer = play(agent, World(plan), events.append, recorded, agent.next_step)
    return footer, events, agent.menus


# Weeks

updates = st.fixed_dictionaries(
    {
        "task_id": st.sampled_from(["t0", "t1", "t2", "t3"]),
        "action": st.sampled_from(["cancel", "reschedule", "override", "ponder"]),
    },
    optional={
        "new_cue_id": st.sampled_from(CUES),
        "new_target_time": st.sampled_from(MINUTES).map(lambda m: f"{8 + m // 60:02}:{m % 60:02}"),
        "new_type": st.sampled_from(["event", "time", "time_check"]),
        "new_window_after": st.sampled_from([0, 15, 90]),
        "new_condition": st.builds(
            dict, op=st.sampled_from(["below", "above"]), threshold=st.sampled_from([1, 2])
        ),
        "target_day": st.sampled_from(["Monday", "Tuesday"]),
    },
)


@st.composite
def steps(draw: st.DrawFn) -> list[dict[str, Any]]:
    times = sorted(draw(st.sets(st.sampled_from(MINUTES), min_size=1, max_size=6)))
    cues = st.lists(st.sampled_from(CUES), max_size=2, unique=True)
    return [
        {
            "at": " ".join([f"{8 + m // 60:02}:{m % 60:02}", *draw(cues)]),
            "email": draw(cues),
            "price": [(name, draw(st.sampled_from([0, 1, 2, 3, None]))) for name in draw(cues)],
            "updates": draw(st.lists(updates, max_size=2)),
        }
        for m in times
    ]


@st.composite
def day(draw: st.DrawFn, name: str) -> dict[str, Any]:
    timeline = draw(steps())
    encoding = st.sampled_from(["start", *(f"step:{name}{n + 1}" for n in range(len(timeline)))])
    tasks: dict[str, Any] = {}
    for number in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["narrative", "mail", "value", "time", "window"]))
        task: dict[str, Any] = {"encoding": draw(encoding), "regular": draw(st.booleans())}
        if kind in ("time", "window"):
            minute = draw(st.sampled_from(MINUTES))
            task["target_time"] = f"{8 + minute // 60:02}:{minute % 60:02}"
            if kind == "window":
                task["window_before"] = draw(st.sampled_from([0, 20, 45]))
                task["window_after"] = draw(st.sampled_from([0, 20, 70]))
        elif kind == "value":
            op = draw(st.sampled_from(["below", "above"]))
            task |= {
                "cue_channel": "price",
                "condition": {"op": op, "threshold": draw(st.sampled_from([1, 2]))},
            }
        else:
            task["cue_id"] = draw(st.sampled_from(CUES))
            if kind == "mail":
                task["cue_channel"] = draw(st.sampled_from(["email", "price"]))
        if draw(st.integers(0, 3)) == 0:
            task["depends_on"] = f"t{draw(st.integers(0, 3))}"
        tasks[f"t{number}"] = task
    lures = {f"l{n}": draw(encoding) for n in range(draw(st.integers(0, 5)))}
    return {"tasks": tasks, "steps": timeline, "lures": lures}  # fmt: skip


@st.composite
def drawn_week(draw: st.DrawFn, build: Build) -> WeekPlan:
    return build(
        *[draw(day(name)) for name in ("mon", "tue")[: draw(st.integers(1, 2))]],
        channels={"price": "snapshot", "email": "delta"},
        menu=draw(st.sampled_from(["persistent", "pmbench"])),
        snapshot=draw(st.sampled_from(["current", "seen"])),
        clock_visible=draw(st.booleans()),
    )


@cache
def made_week(seed: int) -> WeekPlan:
    """Return a week of the generator, of one day or two, of either profile."""
    knobs = [Knobs(profile=profile, days=days) for profile in PROFILES for days in (1, 2)]
    return prepare(make_week(seed, knobs[seed % len(knobs)]))


made = st.integers(1, 8).map(made_week)
seeds = st.integers(0, 2**32)


@pytest.fixture(scope="module")
def any_week(build: Build) -> st.SearchStrategy[WeekPlan]:
    return drawn_week(build) | drawn_week(build) | made


# Properties


@LIMITED
@given(data=st.data(), seed=seeds)
def test_counts_add_up(
    any_week: st.SearchStrategy[WeekPlan], data: st.DataObject, seed: int
) -> None:
    plan = data.draw(any_week)
    _, events, _ = episode(plan, seed)
    rows = rows_of(plan, events)
    found = score(plan, rows)
    due = chosen = 0
    position = 0
    for day in plan.days:
        state = DayState(day)
        for step in range(len(day.times)):
            ids = rows[position].chosen
            due += len(state.due(step))
            chosen += len(ids)
            state.act(step, ids, state.due(step))
            position += 1
    summary = found.summary
    assert summary["set_tp"] + summary["set_fn"] == due
    assert summary["set_tp"] + summary["set_fp"] == summary["chosen_tasks"] == chosen
    assert summary["set_tp"] == summary["hit"]
    assert summary["set_fp"] == summary["late"] + summary["false_alarm"] + summary["commission"]
    assert_slices_add_up(found)
    told = records(plan, rows)
    outcomes = [record.outcome for record in told]
    gone = outcomes.count("withheld") + outcomes.count("after_cancel")
    assert outcomes.count("on_time") == summary["hit"]
    assert outcomes.count("late") == summary["late"]
    assert len(outcomes) - gone == summary["hit"] + summary["late"] + summary["miss"]
    links = count_links(told)
    assert links.hits_with_evidence + links.hits_without_evidence == summary["hit"]
    assert sum(links.late_steps.values()) == summary["late"]
    for record in told:
        assert set(record.seen) <= set(record.available)
        assert (record.outcome in ("on_time", "withheld")) == (record.broken == "")


def assert_slices_add_up(found: Score) -> None:
    for result in found.per_day.values():
        for groups in (result.by_regular, result.by_monitoring):
            for outcome in ("hit", "late", "miss"):
                assert sum(part[outcome] for part in groups.values()) == result.metrics[outcome]
        required = result.by_monitoring["proactive_monitoring_required"]
        for outcome in ("hit", "late", "miss", "total"):
            parts = result.by_monitoring_channel.values()
            assert sum(part[outcome] for part in parts) == required[outcome]


@LIMITED
@given(data=st.data(), seed=seeds)
def test_world_and_scorer_agree_on_what_is_done(
    any_week: st.SearchStrategy[WeekPlan], data: st.DataObject, seed: int
) -> None:
    """At each step the menu hides exactly what the scorer's fold holds for completed."""
    plan = data.draw(any_week)
    _, events, menus = episode(plan, seed)
    rows = rows_of(plan, events)
    position = 0
    for number, day in enumerate(plan.days):
        menu, state = day_menu(plan, number), DayState(day)
        for step in range(len(day.times)):
            shown = {menu.ids[handle] for handle in menus[position]}
            assert shown & set(day.timelines) == set(state.open(step))
            assert not shown & set(state.completed)
            state.act(step, rows[position].chosen, state.due(step))
            position += 1


@LIMITED
@given(data=st.data(), seed=seeds)
def test_replay_is_deterministic(
    any_week: st.SearchStrategy[WeekPlan], data: st.DataObject, seed: int
) -> None:
    plan = data.draw(any_week)
    footer, events, _ = episode(plan, seed)
    again, repeated, _ = episode(prepare(plan.scenario), seed)
    assert (again, repeated) == (footer, events)
    lines = [msgspec.json.encode(event) for event in events]
    read = [msgspec.json.decode(line, type=WeekEvent) for line in lines]
    assert read == events
    rows = rows_of(plan, events)
    assert score(plan, rows) == score(prepare(plan.scenario), rows_of(plan, read))
    assert records(plan, rows) == records(plan, rows_of(plan, read))


@LIMITED
@given(data=st.data(), seed=seeds)
def test_resuming_from_any_cut_gives_the_same_trace(
    any_week: st.SearchStrategy[WeekPlan], data: st.DataObject, seed: int
) -> None:
    plan = data.draw(any_week)
    footer, whole, _ = episode(plan, seed)
    cut = data.draw(st.integers(0, len(whole)))
    again, rest, _ = episode(plan, seed, whole[:cut])
    assert again == footer
    assert whole[:cut] + rest == whole


@LIMITED
@given(data=st.data(), seed=seeds)
def test_a_failed_episode_never_scores_more_than_what_was_played(
    any_week: st.SearchStrategy[WeekPlan], data: st.DataObject, seed: int
) -> None:
    """Steps that were not played count as empty acts: no true positive, no false one."""
    plan = data.draw(any_week)
    _, events, _ = episode(plan, seed)
    rows = rows_of(plan, events)
    cut = data.draw(st.integers(0, len(rows)))
    part = tally(plan, align(plan, rows[:cut]).rows).summary
    whole = tally(plan, rows).summary
    assert part["set_tp"] <= whole["set_tp"]
    assert part["set_fp"] <= whole["set_fp"]
    assert part["chosen_tasks"] == sum(len(set(row.chosen)) for row in rows[:cut])
    if cut == 0:
        assert part["set_tp"] == part["hit"] == part["late"] == 0


@LIMITED
@given(data=st.data(), seed=seeds)
def test_refusals_leave_the_score_alone(
    any_week: st.SearchStrategy[WeekPlan], data: st.DataObject, seed: int
) -> None:
    plan = data.draw(any_week)
    _, events, _ = episode(plan, seed)
    without = [event for event in events if not isinstance(event, Refused)]
    assert score(plan, rows_of(plan, events)) == score(plan, rows_of(plan, without))


# The fold against a plain reading of the rules


class Plain:
    """One task of a day, changed in place as the paper tells it (sections 3.1, A.4)."""

    def __init__(self, task: Task) -> None:
        self.type, self.cue, self.channel = str(task.type), task.cue_id, task.cue_channel
        self.condition = task.condition
        self.target, self.before, self.after = (
            task.target_time,
            task.window_before,
            task.window_after,
        )
        self.needs, self.encoding = task.depends_on, task.encoding
        self.active = self.done = self.cancelled = False
        self.seen: int | None = None

    def change(self, update: Update) -> None:
        if update.new_cue_id is not None:
            self.cue, self.condition = update.new_cue_id, None
        self.condition = update.new_condition or self.condition
        self.target = update.new_target_time or self.target
        self.type = update.new_type or self.type
        if update.new_window_after is not None:
            self.after = update.new_window_after
        if update.new_cue_id or update.new_target_time or update.new_condition:
            self.seen = None

    def past(self, step: Step) -> int | None:
        return None if self.target is None else minutes(step.time) - minutes(self.target)

    def met(self, step: Step, values: dict[str, Any]) -> bool:
        past = self.past(step)
        if self.type == "time":
            return past == 0
        if self.type == "time_check":
            return past is not None and -self.before <= past <= self.after
        if self.condition is not None:
            return self.seen is None and self.condition.holds(values.get(self.channel or ""))
        if self.channel is None:
            return self.cue in step.cues
        return self.cue in [event.id for event in step.state_events.get(self.channel, ())]

    def late(self, step: Step, index: int) -> bool:
        past = self.past(step)
        if self.type == "event":
            return self.seen is not None and self.seen == index - 1
        return past is not None and 0 < past <= 60 and (self.type == "time" or past > self.after)


class PlainDay:
    """A day played step by step, by the plain reading."""

    def __init__(self, plan: WeekPlan, number: int) -> None:
        self.day = plan.scenario.days[number]
        self.tasks = {task.id: Plain(task) for task in self.day.tasks}
        self.values: dict[str, Any] = {}
        for earlier in plan.scenario.days[:number]:
            for step in earlier.steps:
                for update in step.updates:
                    if update.target_day == self.day.name:
                        self.update(update)

    def update(self, update: Update) -> None:
        task = self.tasks.get(update.task_id)
        if task is None or task.done:
            return
        if update.action == "cancel":
            self.cancel(update.task_id)
        elif update.action in ("reschedule", "override"):
            task.change(update)

    def cancel(self, name: str) -> None:
        if not self.tasks[name].cancelled and not self.tasks[name].done:
            self.tasks[name].cancelled = True
            for other, task in self.tasks.items():
                if task.needs == name:
                    self.cancel(other)

    def begin(self, index: int) -> set[str]:
        """Apply what a step brings and return its due set."""
        step = self.day.steps[index]
        for channel, events in step.state_events.items():
            for event in events:
                self.values[channel] = event.value
        for update in step.updates:
            if update.target_day in (None, self.day.name):
                self.update(update)
        due = set()
        for name, task in self.tasks.items():
            task.active = task.active or task.encoding in ("start", f"step:{step.id}")
            if task.active and task.met(step, self.values):
                if task.seen is None:
                    task.seen = index
                if not (task.done or task.cancelled or self.blocked(task)):
                    due.add(name)
        return due

    def blocked(self, task: Plain) -> bool:
        return task.needs is not None and not (
            task.needs in self.tasks and self.tasks[task.needs].done
        )

    def act(self, index: int, name: str, due: set[str]) -> Verdict:
        task = self.tasks.get(name)
        if task is None:
            return Verdict.UNKNOWN
        if task.done:
            return Verdict.COMPLETED
        if self.blocked(task):
            return Verdict.BLOCKED
        if task.cancelled:
            return Verdict.CANCELLED
        if not task.active:
            return Verdict.INACTIVE
        if name in due or task.late(self.day.steps[index], index):
            task.done = True
            return Verdict.HIT if name in due else Verdict.LATE
        return Verdict.EARLY


@settings(max_examples=250)
@given(data=st.data(), seed=seeds)
def test_the_fold_agrees_with_a_plain_reading(
    any_week: st.SearchStrategy[WeekPlan], data: st.DataObject, seed: int
) -> None:
    plan = data.draw(any_week)
    random = Random(seed)
    for number, day in enumerate(plan.days):
        plain, state = PlainDay(plan, number), DayState(day)
        names = [*day.timelines, *(lure.id for lure in day.day.lures), "nonsense"]
        for step in range(len(day.times)):
            due = state.due(step)
            assert set(due) == plain.begin(step)
            for name in day.timelines:
                assert state.reason(step, name).startswith("due:") == (name in due)
            assert set(state.open(step)) == {
                name for name, task in plain.tasks.items() if task.active and not task.done
            }
            chosen = [*(name for name in due if random.random() < 0.5)]
            chosen += [name for name in names if name not in chosen and random.random() < 0.15]
            random.shuffle(chosen)
            ours = state.act(step, chosen, due)
            assert ours == [plain.act(step, name, set(due)) for name in chosen]
            for name, task in plain.tasks.items():
                assert state.cancelled_by(step, name) == (task.cancelled and not task.done)
