"""Whether a week is fair: the invariants of the paper's section A.3, then perfect play.

``check`` returns every violation with its place. The generator rejects what this code rejects, and
``actmem check week`` lists it for any file, imported ones included.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from actmem.errors import InputError
from actmem.week.content.schema import PROCESS_CHANNELS, verb_phrase
from actmem.week.content.times import forms, read
from actmem.week.obligations import DayPlan, DayState, Verdict, WeekPlan, prepare
from actmem.week.scenario import CLOCK, Scenario, clock_time, minutes
from actmem.week.timeline import CHANGES, Given, Timeline, Version
from actmem.week.world import MAX_HANDLES

FOLLOWS = {
    "idle": ("idle", "complete"),
    "in_progress": ("idle", "in_progress", "complete"),
    "complete": ("in_progress",),
}
"""The stages of a process, each with those that it may follow."""


class Violation(NamedTuple):
    """One broken rule: its name, where, and what is wrong."""

    rule: str
    where: str
    message: str


def check(scenario: Scenario) -> list[Violation]:
    """Return all violations; an empty list means that the week is sound and can be solved."""
    found = [*unique_ids(scenario), *channels_known(scenario), *monotonic_times(scenario)]
    if found:
        return found  # the other rules need a week that can be laid out
    try:
        plan = prepare(scenario)
    except InputError as error:
        return [Violation("structure", scenario.scenario_name, str(error))]
    for rule in RULES:
        found += rule(plan)
    return found or list(perfect_play(plan))


def unique_ids(scenario: Scenario) -> Iterator[Violation]:
    """Yield step, task and lure ids that stand twice, over the whole week where they have to."""
    steps = Counter(step.id for day in scenario.days for step in day.steps)
    names = Counter(day.name for day in scenario.days)
    for kind, counter in (("step", steps), ("day", names)):
        for name, number in counter.items():
            if number > 1:
                yield Violation(
                    "unique ids", scenario.scenario_name, f"{kind} {name!r} stands {number} times"
                )
    for day in scenario.days:
        tasks = Counter(task.id for task in day.tasks)
        lures = Counter(lure.id for lure in day.lures)
        for kind, counter in (("task", tasks), ("lure", lures)):
            for name, number in counter.items():
                if number > 1:
                    yield Violation(
                        "unique ids", day.name, f"{kind} {name!r} stands {number} times"
                    )
        for name in tasks:
            if name in lures:
                yield Violation("unique ids", f"{day.name} {name}", "is both a task and a lure")


def channels_known(scenario: Scenario) -> Iterator[Violation]:
    """Yield channels that tasks or events name and the scenario does not have."""
    known = scenario.state_channels
    for day in scenario.days:
        for task in day.tasks:
            if task.cue_channel is not None and task.cue_channel not in known:
                where = f"{day.name} task {task.id}"
                yield Violation("realizable cues", where, f"no channel {task.cue_channel!r}")
        for step in day.steps:
            for name in step.state_events:
                if name not in known:
                    yield Violation(
                        "realizable cues", f"{day.name} {step.id}", f"no channel {name!r}"
                    )


def monotonic_times(scenario: Scenario) -> Iterator[Violation]:
    """Yield steps that are not later than the one before."""
    for day in scenario.days:
        for one, two in zip(day.steps, day.steps[1:], strict=False):
            if minutes(two.time) <= minutes(one.time):
                message = f"{two.time} does not come after {one.time}"
                yield Violation("monotonic times", f"{day.name} {two.id}", message)


def realizable_conditions(plan: WeekPlan) -> Iterator[Violation]:
    """Yield versions of tasks whose cue never occurs, or whose time or window holds no step."""
    for day in plan.days:
        for name, line in day.timelines.items():
            where = f"{day.day.name} task {name}"
            for version, start in _versions(line):
                if message := _unrealizable(plan, day, version, start):
                    yield Violation("realizable conditions", where, message)


def _versions(line: Timeline) -> Iterator[tuple[Version, int]]:
    """Yield each version that holds while the task is active, with its first step."""
    for step, version in enumerate(line.versions):
        if line.cancelled is not None and line.cancelled <= step:
            return
        if step == 0 or version is not line.versions[step - 1]:
            yield version, step


def _unrealizable(plan: WeekPlan, day: DayPlan, version: Version, start: int) -> str:
    if version.type == "event":
        if version.condition is None and version.cue is None:
            return "has neither a cue nor a condition"
        if version.condition is not None:
            channel = plan.scenario.state_channels.get(version.channel or "")
            if channel is None or channel.mode != "snapshot":
                return "has a value condition that is not on a snapshot channel"
            return ""
        steps = day.day.steps
        if version.channel is None:
            found = any(version.cue in step.cues for step in steps)
        else:
            found = any(
                event.id == version.cue
                for step in steps
                for event in step.state_events.get(version.channel, ())
            )
        return "" if found else f"its cue {version.cue!r} does not occur"
    if version.target is None:
        return "has no target time"
    low = version.target - (version.before if version.type == "time_check" else 0)
    high = version.target + (version.after if version.type == "time_check" else 0)
    if any(low <= time <= high for time in day.times):
        return ""
    kind = "window" if version.type == "time_check" else "time"
    return f"no step lies at its {kind} ({clock_time(version.target)})"


def valid_updates(plan: WeekPlan) -> Iterator[Violation]:
    """Yield updates of unknown, cancelled or done tasks, and moves backward in time."""
    scenario = plan.scenario
    ids = {day.day.name: set(day.timelines) for day in plan.days}
    order = {day.day.name: day.number for day in plan.days}
    for day in scenario.days:
        for step in day.steps:
            for update in step.updates:
                where = f"{day.name} {step.id} update of {update.task_id}"
                target = update.target_day or day.name
                if update.task_id not in ids.get(target, ()):
                    yield Violation("valid updates", where, f"{target} has no such task")
                elif order[target] < order[day.name]:
                    yield Violation("valid updates", where, f"{target} has gone by")
                elif update.action not in (*CHANGES, "cancel"):
                    yield Violation("valid updates", where, f"unknown action {update.action!r}")
                if update.cue_id is not None and update.cue_id not in step.cues:
                    yield Violation(
                        "valid updates", where, f"its notice {update.cue_id!r} is not shown"
                    )
    for day_plan in plan.days:
        for name, line in day_plan.timelines.items():
            for position, given in enumerate(line.given):
                where = f"{given.day} {given.announced} update of {name}"
                for message in _misplaced(day_plan, line, given, position):
                    yield Violation("valid updates", where, message)


def _misplaced(day: DayPlan, line: Timeline, given: Given, position: int) -> Iterator[str]:
    """Yield what is wrong with the moment of one update of a known task."""
    earlier = [other.update.action for other in line.given[:position]]
    if "cancel" in earlier:
        yield "the task is cancelled already"
    if given.step < line.start:
        yield "comes before the task is known"
    if any(step < given.step for step in line.met):
        yield "comes when perfect play has done the task already"
    target = given.update.new_target_time
    if (
        target is not None
        and given.day == day.day.name
        and minutes(target) <= day.times[given.step]
    ):
        yield f"moves the task back to {target}, when the notice comes at {clock_time(day.times[given.step])}"
    version = line.versions[given.step]
    cue_gone = version.type == "event" and version.condition is None and given.update.new_cue_id
    if cue_gone and not any(step >= given.step for step in line.met):
        yield "the revised cue does not occur after it"


def stale_instructions(plan: WeekPlan) -> Iterator[Violation]:
    """Yield openings and vignettes that tell of a task after it was cancelled."""
    for day in plan.days:
        for name, line in day.timelines.items():
            cancel = next((g for g in line.given if g.update.action == "cancel"), None)
            if cancel is None:
                continue
            phrase = verb_phrase(line.task.action_text).casefold()
            order = [d.day.name for d in plan.days]
            for later in plan.days[order.index(cancel.day) : day.number + 1]:
                if later.day.name != cancel.day:
                    for text in later.day.start_instructions:
                        if phrase in text.casefold():
                            where = f"{later.day.name} opening"
                            yield Violation(
                                "stale instructions", where, f"tells of {name}, which is cancelled"
                            )
                after = later.day.name != cancel.day
                for step in later.day.steps:
                    if after and phrase in step.text.casefold():
                        where = f"{later.day.name} {step.id}"
                        yield Violation(
                            "stale instructions", where, f"tells of {name}, which is cancelled"
                        )
                    after = after or step.id == cancel.announced


def hidden_time(plan: WeekPlan) -> Iterator[Violation]:
    """Yield vignettes that give the present time away while the clock is hidden.

    A time that an instruction sets is no reading; one that equals the step's own time is.
    """
    if plan.scenario.time_visible:
        return
    for day in plan.days:
        for step, time in zip(day.day.steps, day.times, strict=True):
            text = step.text.casefold()
            named = any(form in text for form in forms(time)) and time in read(text)
            if named or _NOW.search(text):
                where = f"{day.day.name} {step.id}"
                yield Violation(
                    "hidden time", where, f"the text tells the time, {clock_time(time)}"
                )


_NOW = re.compile(
    r"\b(it is|it's|clock (?:says|shows|strikes|reads)|watch (?:says|shows|reads)) (?:now |already )?"
    r"\d{1,2}[:.]\d{2}\b",
    re.IGNORECASE,
)


def cross_day_exposure(plan: WeekPlan) -> Iterator[Violation]:
    """Yield cross-day tasks that no earlier day can have announced, or that their own day tells of."""
    for day in plan.days:
        for name, line in day.timelines.items():
            task = line.task
            if not task.cross_day:
                continue
            where = f"{day.day.name} task {name}"
            offset = task.cross_day_offset
            if offset is None or offset > day.number:
                yield Violation("cross-day exposure", where, "was not announced on an earlier day")
                continue
            phrase = verb_phrase(task.action_text).casefold()
            earlier = plan.days[day.number - offset].day
            told = [*earlier.start_instructions, *(step.text for step in earlier.steps)]
            if not any(phrase in text.casefold() for text in told):
                message = f"{earlier.name} does not tell of it"
                yield Violation("cross-day exposure", where, message)
            if any(phrase in text.casefold() for text in day.day.start_instructions):
                yield Violation("cross-day exposure", where, "is announced again on the day itself")


def dependencies(plan: WeekPlan) -> Iterator[Violation]:
    """Yield prerequisites that do not exist on the day, and cycles."""
    for day in plan.days:
        for name, needed in day.needs.items():
            where = f"{day.day.name} task {name}"
            if needed not in day.timelines:
                yield Violation(
                    "dependencies", where, f"needs {needed!r}, which the day does not have"
                )
                continue
            seen = [name]
            while needed in day.needs and needed not in seen:
                seen.append(needed)
                needed = day.needs[needed]
            if needed in seen:
                yield Violation("dependencies", where, f"a cycle: {' → '.join([*seen, needed])}")


def process_stages(plan: WeekPlan) -> Iterator[Violation]:
    """Yield stages of process channels that come out of order within a day.

    A day begins idle; nothing is complete that was not in progress; after a completion another
    process may begin.
    """
    for day in plan.days:
        for channel in PROCESS_CHANNELS:
            stage = "idle"
            for step in day.day.steps:
                for event in step.state_events.get(channel, ()):
                    phase = event.meta.get("phase")
                    where = f"{day.day.name} {step.id} {channel}"
                    if phase not in FOLLOWS:
                        message = f"{event.id} has the phase {phase!r}"
                        yield Violation("process stages", where, message)
                        continue
                    if stage not in FOLLOWS[str(phase)]:
                        yield Violation("process stages", where, f"{phase} comes after {stage}")
                    stage = str(phase)


def solvable_acts(plan: WeekPlan) -> Iterator[Violation]:
    """Yield tasks on times where there is no clock, and steps with more due than one act holds."""
    for day in plan.days:
        for step, due in enumerate(day.due):
            if len(due) > MAX_HANDLES:
                where = f"{day.day.name} {day.day.steps[step].id}"
                yield Violation(
                    "solvable acts", where, f"{len(due)} tasks are due, one act holds {MAX_HANDLES}"
                )
        for name, line in day.timelines.items():
            timed = any(version.type != "event" for version in line.versions)
            if timed and CLOCK not in plan.scenario.state_channels:
                yield Violation(
                    "solvable acts",
                    f"{day.day.name} task {name}",
                    "is timed, and there is no clock",
                )


RULES = (
    realizable_conditions,
    valid_updates,
    stale_instructions,
    hidden_time,
    cross_day_exposure,
    dependencies,
    process_stages,
    solvable_acts,
)
"""The rules for a week that can be laid out, in the order in which they are reported."""


def perfect_play(plan: WeekPlan) -> Iterator[Violation]:
    """Yield tasks that are neither cancelled nor done on time when every due action is chosen."""
    for day in plan.days:
        state = DayState(day)
        for step in range(len(day.times)):
            due = state.due(step)
            state.act(step, due, due)
        for name in day.timelines:
            done = state.completed.get(name)
            if done is None and state.cancelled(name) is None:
                where = f"{day.day.name} task {name}"
                yield Violation("perfect play", where, "is never due under perfect play")
            elif done is not None and done[1] is not Verdict.HIT:
                yield Violation("perfect play", f"{day.day.name} task {name}", "is done late")
