"""What has to be done in a week: the tasks of each kind, with their cues, messages and times."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from actmem.week.content.schema import (
    PROCESS_CHANNELS,
    SNAPSHOT_CHANNELS,
    VALUE_CHANNELS,
    Frame,
    verb_phrase,
)
from actmem.week.content.shared import Routine
from actmem.week.generator.draft import DraftDay, Planned, Rejected, WeekDraft, fill, quiet, shape
from actmem.week.scenario import ChannelEvent, Condition, Task, clock_time, minutes

MIDDAY = 0.3
"""Share of the same-day tasks that are told in the middle of the day, not in its opening."""
OTHER_RUN = 0.6
"""Share of the tasks on process channels before which another process comes to its end."""
SERIES = 4
"""Days that a series spans, the excepted one included."""


def add_routines(week: WeekDraft, narrative: list[Routine], actions: list[str],
                 clock: list[tuple[str, str, int]]) -> None:  # fmt: skip
    """Add the four standing routines to every day; they are announced on the first.

    ``actions`` are those of the narrative routines; ``clock`` holds (action, announcement, minute).
    """
    for routine, action in zip(narrative, actions, strict=True):
        scenes = week.draw.shuffled(routine.cues)
        misses = week.draw.shuffled(routine.near)
        announcement = week.draw.pick(routine.announce).replace("{do}", verb_phrase(action))
        week.days[0].agenda.append(announcement)
        for day in week.days:
            low, high = minutes(routine.earliest), minutes(routine.latest)
            inside = [i for i, step in enumerate(day.steps) if low <= step.time <= high]
            due = week.draw.pick(inside)
            cue = day.new_cue()
            day.show_cue(due, scenes[day.number % len(scenes)], cue)
            near = day.free_step(0, day.last, [due])
            day.steps[near].parts.append(misses[day.number % len(misses)])
            task = Task(id=day.new_id(), label=f"{action} [{routine.id}]", action_text=action,
                        type="event", regular=True, cue_id=cue)  # fmt: skip
            day.planned.append(Planned(task, "routine", 0, due, verb_phrase(action)))
    for action, announcement, minute in clock:
        week.days[0].agenda.append(announcement)
        for day in week.days:
            due = next(i for i, step in enumerate(day.steps) if step.time == minute)
            task = Task(id=day.new_id(), label=f"{action} [at {clock_time(minute)}]",
                        action_text=action, type="time", regular=True,
                        target_time=clock_time(minute))  # fmt: skip
            day.planned.append(Planned(task, "routine", 0, due, verb_phrase(action)))


def told_at(week: WeekDraft, due: int) -> int:
    """Draw the step at which a same-day task becomes known: mostly 0, the opening.

    A step lies between it and ``due``, where a notice can stand.
    """
    return week.draw.between(1, due - 2) if due > 2 and week.draw.chance(MIDDAY) else 0


def add_narrative(week: WeekDraft, day: DraftDay) -> None:
    """Add a task with a cue in the narrative."""
    due = day.cue_step(1, day.last)
    told = told_at(week, due)
    frame = week.pool.take(None, day.archetype.domains)
    action, announcement, clause = fill(frame, week.draw, None)
    cue = day.new_cue()
    day.show_cue(due, week.draw.pick(quiet(frame.id, "cues", 2)), cue)
    week.show_near(day, frame, due, week.draw.between(1, 2))
    task = Task(id=day.new_id(), label=f"{action} [{clause}]", action_text=action, type="event",
                encoding=day.encoding(told), cue_id=cue)  # fmt: skip
    day.planned.append(Planned(task, "narrative", told, due, verb_phrase(action), frame))
    week.tell(day, told, announcement)


def add_cross_day(week: WeekDraft, day: DraftDay) -> None:
    """Add a task that a vignette announces one to three days before."""
    due = day.cue_step(1, day.last)
    frame = week.pool.take(None, day.archetype.domains)
    action, _, clause = fill(frame, week.draw, None)
    cue = day.new_cue()
    day.show_cue(due, week.draw.pick(quiet(frame.id, "cues", 2)), cue)
    week.show_near(day, frame, due, week.draw.between(1, 2))
    offset = week.draw.between(1, min(3, day.number))
    earlier = week.days[day.number - offset]
    announcement = shape(week.draw.pick(week.shapes.cross_day), day=day.name,
                         do=verb_phrase(action), when=clause)  # fmt: skip
    week.tell(earlier, earlier.free_step(1, earlier.last), announcement)
    task = Task(id=day.new_id(), label=f"{action} [{clause}]", action_text=action, type="event",
                cue_id=cue, cross_day=True, cross_day_offset=offset)  # fmt: skip
    day.planned.append(Planned(task, "cross_day", 0, due, verb_phrase(action), frame))


def add_channel(week: WeekDraft, day: DraftDay, channel: str, condition: bool) -> None:
    """Add a task whose cue is a message, with decoys before it; or a condition on a value."""
    if channel in SNAPSHOT_CHANNELS and channel in day.channels:
        raise Rejected(f"two tasks on {channel} on {day.name}")
    day.channels.add(channel)
    frame = week.pool.take(channel, day.archetype.domains)
    threshold = week.draw.pick(frame.thresholds) if frame.thresholds else None
    start = 0
    other_run = channel in PROCESS_CHANNELS and week.draw.chance(OTHER_RUN)
    if other_run and day.last >= 6:  # a shorter day has no room for both
        start = 3  # something else comes to its end on the channel before
        put_messages(
            week, day, week.pool.take(channel, day.archetype.domains), 2, day.new_cue(), None
        )
    due = week.draw.between(start + 3, day.last)
    told = told_at(week, due)
    action, announcement, clause = fill(frame, week.draw, threshold)
    cue = day.new_cue()
    put_messages(week, day, frame, due, cue, threshold, start)
    task = Task(id=day.new_id(), label=f"{action} [{clause}]", action_text=action, type="event",
                encoding=day.encoding(told), cue_channel=channel,
                cue_id=None if condition else cue,
                condition=Condition(frame.op or "below", threshold or 0) if condition else None,
                )  # fmt: skip
    if condition and told:  # it must not hold already when the task becomes known
        task = replace(task, encoding="start")
        told = 0
    day.planned.append(Planned(task, "channel", told, due, verb_phrase(action), frame))
    week.tell(day, told, announcement)


def put_messages(
    week: WeekDraft, day: DraftDay, frame: Frame, due: int, cue: str, threshold: int | None,
    start: int = 0,
) -> None:  # fmt: skip
    """Put a cue on its channel at step ``due``, with two or more decoys from ``start`` on."""
    channel = frame.channel
    assert channel is not None
    draw = week.draw
    value = channel in VALUE_CHANNELS
    most = min(due - start, 5 if value else len(frame.near))
    if most < 2:
        raise Rejected("no room for decoys")
    places = sorted(draw.sample(range(start, due), draw.between(min(3, most), most)))
    if value:
        assert threshold is not None
        sign = -1 if frame.op == "below" else 1
        for place, text in zip(places, _texts(week, frame.cues, len(places)), strict=True):
            unmet = threshold - sign * draw.between(1, max(2, threshold // 4))
            day.say(place, channel, _reading(day.new_cue(), text, unmet))
        met = threshold + sign * draw.between(1, max(2, threshold // 6))
        day.say(due, channel, _reading(cue, draw.pick(frame.cues), met))
        return
    phase = "in_progress" if channel in PROCESS_CHANNELS else ""
    for place, text in zip(places, in_order(week, frame.near, len(places)), strict=True):
        meta = {"phase": phase} if phase else {}
        day.say(place, channel, ChannelEvent(day.new_cue(), text, None, {**meta}))
    meta = {"phase": "complete"} if phase else {}
    day.say(due, channel, ChannelEvent(cue, draw.pick(quiet(frame.id, "cues", 2)), None, {**meta}))


def in_order(week: WeekDraft, lines: tuple[str, ...], number: int) -> list[str]:
    """Draw ``number`` different lines and keep their order, which is that of the events."""
    return [lines[position] for position in sorted(week.draw.sample(range(len(lines)), number))]


def _texts(week: WeekDraft, lines: tuple[str, ...], number: int) -> list[str]:
    """Draw ``number`` lines, the same one again only where there are too few."""
    drawn = week.draw.shuffled(lines)
    return [drawn[position % len(drawn)] for position in range(number)]


def _reading(name: str, text: str, value: int) -> ChannelEvent:
    return ChannelEvent(name, text.replace("{value}", str(value)), value, {"currency": "USD"})


def unplayed(week: WeekDraft, day: DraftDay) -> Frame:
    """Draw a frame whose matter is not played, for the sake of its actions."""
    stocked = [channel for channel in week.channels if week.pool.left(channel)]
    narrative = not stocked or week.draw.chance(0.6)
    return week.pool.take(None if narrative else week.draw.pick(stocked), day.archetype.domains)


def any_action(week: WeekDraft, day: DraftDay) -> tuple[Frame, str]:
    """Draw a frame and one of its actions, to be done at a clock time."""
    frame = unplayed(week, day)
    return frame, week.draw.pick(frame.actions)


def free_target(
    week: WeekDraft, day: DraftDay, low: int, high: int, avoid: Sequence[int] = ()
) -> int:
    """Draw a step whose time is no target of the day yet, and that is not one to avoid."""
    taken = day.times_taken()
    fit = [
        s
        for s in range(max(low, 0), min(high, day.last) + 1)
        if s not in avoid and clock_time(day.steps[s].time) not in taken
    ]
    if not fit:
        raise Rejected(f"no free time on {day.name}")
    return week.draw.pick(fit)


def add_timed(week: WeekDraft, day: DraftDay) -> None:
    """Add a one-off at a clock time."""
    due = free_target(week, day, 3, day.last - 1)
    told = told_at(week, due)
    minute = day.steps[due].time
    frame, action = any_action(week, day)
    task = Task(id=day.new_id(), label=f"{action} [at {clock_time(minute)}]", action_text=action,
                type="time", encoding=day.encoding(told),
                target_time=clock_time(minute))  # fmt: skip
    day.planned.append(Planned(task, "timed", told, due, verb_phrase(action), frame))
    week.tell(day, told, shape(week.draw.pick(week.shapes.timed), do=verb_phrase(action),
                               time=week.clock(minute)))  # fmt: skip


def add_window(week: WeekDraft, day: DraftDay) -> None:
    """Add a task that can be done from one time to another; one or two steps lie between."""
    due = free_target(week, day, 1, day.last)
    told = told_at(week, due)
    minute = day.steps[due].time
    before, after = 5 * week.draw.between(1, 4), 5 * week.draw.between(1, 5)
    inside = [s for s in day.steps if minute - before <= s.time <= minute + after]
    edges = [s for s in inside if s.time in (minute - before, minute + after)]
    if len(inside) > 2 or edges or day.steps[max(told, due - 1)].time >= minute - before:
        raise Rejected("a window does not fit")
    frame, action = any_action(week, day)
    task = Task(id=day.new_id(), label=f"{action} [around {clock_time(minute)}]",
                action_text=action, type="time_check", encoding=day.encoding(told),
                target_time=clock_time(minute), window_before=before,
                window_after=after)  # fmt: skip
    day.planned.append(Planned(task, "window", told, due, verb_phrase(action), frame))
    first, last = week.span(minute - before, minute + after)
    week.tell(day, told, shape(week.draw.pick(week.shapes.window), do=verb_phrase(action),
                               time=first,
                               until=last))  # fmt: skip


def add_series(week: WeekDraft) -> None:
    """Add the same action at the same time on several days, one of them excepted.

    It is announced once, on the first day; on the excepted day the action is a lure.
    """
    if len(week.days) <= SERIES:
        raise Rejected("the week is too short for a series")
    first = week.draw.between(1, len(week.days) - SERIES)
    days = week.days[first : first + SERIES]
    excepted = week.draw.pick(days[1:-1])
    minute = _common_minute(week, days)
    frame, action = any_action(week, days[0])
    for day in days:
        if day is excepted:
            week.series.setdefault(day.number, []).append(action)
            continue
        due = next(i for i, step in enumerate(day.steps) if step.time == minute)
        task = Task(id=day.new_id(), label=f"{action} [at {clock_time(minute)}, series]",
                    action_text=action, type="time", target_time=clock_time(minute),
                    cross_day=True, cross_day_offset=day.number)  # fmt: skip
        planned = Planned(task, "series", 0, due, verb_phrase(action), frame, touched=True)
        day.planned.append(planned)
    for day in week.days:
        day.reserved.add(clock_time(minute))
    told = week.days[0].free_step(1, week.days[0].last)
    week.tell(week.days[0], told, shape(week.draw.pick(week.shapes.recurrence),
              do=verb_phrase(action), time=week.clock(minute), first=days[0].name,
              last=days[-1].name, **{"except": excepted.name}))  # fmt: skip


def _common_minute(week: WeekDraft, days: list[DraftDay]) -> int:
    """Return the minute of the series: days were laid out with a step at it."""
    common = [
        step.time
        for step in days[0].steps
        if all(any(step.time == other.time for other in day.steps) for day in days)
    ]
    free = [
        minute for minute in common if all(clock_time(minute) not in d.times_taken() for d in days)
    ]
    if not free:
        raise Rejected("no time that the days of a series share")
    return week.draw.pick(free)
