"""What changes under way: cancels, overrides, reschedules, and one task that waits for another.

Notices stand in vignettes. A cue that an override or a cancel takes out of force still occurs, so
that an agent which holds on to the old plan shows it.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import convert
from msgspec.structs import replace

from actmem.week.content.schema import SNAPSHOT_CHANNELS
from actmem.week.generator.draft import DraftDay, Planned, Rejected, WeekDraft, quiet, shape
from actmem.week.generator.tasks import free_target, put_messages
from actmem.week.scenario import Update, clock_time, minutes

TOPIC = 0.4
"""Share of the notices that do not name the action."""


def choose(week: WeekDraft, fit: Callable[[DraftDay, Planned], bool]) -> tuple[DraftDay, Planned]:
    """Draw a task that no change involves yet and that fits."""
    found = [(d, p) for d in week.days for p in d.planned if not p.touched and fit(d, p)]
    if not found:
        raise Rejected("no task fits a change")
    return week.draw.pick(found)


def notice(day: DraftDay, step: int, text: str, update: Update, planned: Planned) -> None:
    """Put an update of ``planned`` and its notice into a step."""
    planned.touched = True
    cue = day.new_cue()
    day.steps[step].parts.append(text)
    day.steps[step].cues.append(cue)
    day.steps[step].updates.append(replace(update, cue_id=cue))


def notice_step(day: DraftDay, planned: Planned, before: int) -> int:
    """Draw a step for a notice after the task became known and before step ``before``."""
    return day.free_step(max(1, planned.told + 1), before - 1)


def _known_before(least: int) -> Callable[[DraftDay, Planned], bool]:
    return lambda _, p: p.due - max(1, p.told + 1) >= least


def cancel(week: WeekDraft, timed: bool) -> None:
    """Cancel a narrative or a timed task before it is due."""
    kinds = ("timed",) if timed else ("narrative", "cross_day")
    day, planned = choose(week, lambda d, p: p.kind in kinds and _known_before(1)(d, p))
    step = notice_step(day, planned, planned.due)
    shapes, draw = week.shapes, week.draw
    if not draw.chance(TOPIC):
        text = shape(draw.pick(shapes.cancel), do=planned.do)
    elif timed:
        text = shape(draw.pick(shapes.cancel_timed), old=_target(week, planned))
    else:
        assert planned.frame is not None
        text = shape(draw.pick(shapes.cancel_topic), topic=planned.frame.topic)
    notice(day, step, text, Update(task_id=planned.task.id, action="cancel"), planned)


def override(week: WeekDraft) -> None:
    """Give a narrative task another cue; the old one still occurs."""
    day, planned = choose(
        week, lambda d, p: p.kind == "narrative" and _known_before(1)(d, p) and p.due < d.last
    )
    step = notice_step(day, planned, planned.due)
    due = day.cue_step(step + 1, day.last, [planned.due])
    frame = week.pool.take(None, day.archetype.domains)
    clause = week.draw.pick(frame.when)
    cue = day.new_cue()
    day.show_cue(due, week.draw.pick(quiet(frame.id, "cues", 2)), cue)
    week.show_near(day, frame, due, 1)
    update = _revised(planned, clause, action="override", new_cue_id=cue)
    notice(day, step, _override_text(week, planned, clause), update, planned)
    planned.due = due


def _revised(planned: Planned, trigger: str, **fields: str) -> Update:
    """Return an update of ``planned`` that keeps its action and gives it another trigger."""
    action = planned.task.action_text
    return convert(
        {
            "task_id": planned.task.id,
            "new_label": f"{action} [{trigger}]",
            "new_action_text": action,
            **fields,
        },
        Update,
    )


def _override_text(week: WeekDraft, planned: Planned, clause: str) -> str:
    assert planned.frame is not None
    if week.draw.chance(TOPIC):
        pattern = week.draw.pick(week.shapes.override_topic)
        return shape(pattern, topic=planned.frame.topic, when=clause)
    return shape(week.draw.pick(week.shapes.override), do=planned.do, when=clause)


def override_channel(week: WeekDraft) -> None:
    """Give a task on a delta channel another message to wait for."""
    day, planned = choose(
        week,
        lambda d, p: (
            p.kind == "channel"
            and p.frame is not None
            and p.frame.channel not in SNAPSHOT_CHANNELS
            and _known_before(1)(d, p)
            and p.due < d.last
        ),
    )
    assert planned.frame is not None
    step = notice_step(day, planned, planned.due)
    due = day.free_step(max(step + 1, 3), day.last, [planned.due])
    frame = week.pool.take(planned.frame.channel, day.archetype.domains)
    cue = day.new_cue()
    put_messages(week, day, frame, due, cue, None)
    clause = week.draw.pick(frame.when)
    update = _revised(planned, clause, action="override", new_cue_id=cue)
    notice(day, step, _override_text(week, planned, clause), update, planned)
    planned.due = due


def reschedule(week: WeekDraft, times: int = 1) -> None:
    """Move a one-off to another time, ``times`` times; each notice comes before both its times."""
    day, planned = choose(
        week, lambda d, p: p.kind == "timed" and _known_before(1)(d, p) and p.due < d.last
    )
    moves: list[
        tuple[int, int]
    ] = []  # (step of the notice, step of the new time), drawn before any is put in
    told, held = planned.told, planned.due
    for number in range(times):
        step = day.free_step(max(1, told + 1), held - 1)
        held = free_target(week, day, step + times - number, day.last, [due for _, due in moves])
        moves.append((step, held))
        told = step
    for step, due in moves:
        minute = day.steps[due].time
        if week.draw.chance(TOPIC):
            pattern = week.draw.pick(week.shapes.reschedule_timed)
            text = shape(pattern, old=_target(week, planned), time=week.clock(minute))
        else:
            pattern = week.draw.pick(week.shapes.reschedule)
            text = shape(pattern, do=planned.do, time=week.clock(minute))
        time = clock_time(minute)
        update = _revised(planned, f"at {time}", action="reschedule", new_target_time=time)
        notice(day, step, text, update, planned)
        planned.due = due


def _target(week: WeekDraft, planned: Planned) -> str:
    """Return in words the time that holds for a timed task."""
    day = next(day for day in week.days if planned in day.planned)
    return week.clock(day.steps[planned.due].time)


def change_early(week: WeekDraft, cancelled: bool) -> None:
    """Cancel a cross-day task, or give it a time, on a day between its announcement and its own."""
    day, planned = choose(
        week, lambda _, p: p.kind == "cross_day" and (p.task.cross_day_offset or 0) > 1
    )
    between = week.days[day.number - week.draw.between(1, (planned.task.cross_day_offset or 2) - 1)]
    step = between.free_step(1, between.last)
    if cancelled:
        text = shape(week.draw.pick(week.shapes.cancel_early), day=day.name, do=planned.do)
        update = Update(task_id=planned.task.id, action="cancel", target_day=day.name)
    else:
        due = free_target(week, day, 1, day.last)
        time = clock_time(day.steps[due].time)
        text = shape(week.draw.pick(week.shapes.reschedule_early), day=day.name, do=planned.do,
                     time=week.clock(minutes(time)))  # fmt: skip
        update = _revised(planned, f"at {time}", action="reschedule", target_day=day.name,
                          new_type="time", new_target_time=time)  # fmt: skip
        planned.due = due
    notice(between, step, text, update, planned)


def depend(week: WeekDraft) -> None:
    """Let a task of the day wait for another that is due before it, and say so."""
    kinds = ("narrative", "channel", "timed")
    day, later = choose(
        week,
        lambda d, p: (
            p.kind in kinds
            and any(q.due < p.due and not q.touched and q.kind in kinds for q in d.planned)
        ),
    )
    first = week.draw.pick(
        [q for q in day.planned if q.due < later.due and not q.touched and q.kind in kinds]
    )
    told = max(first.told, later.told)
    if told >= later.due:
        raise Rejected("a dependency would be told too late")
    sentence = shape(week.draw.pick(week.shapes.dependency), first=first.do)
    _add_to_announcement(day, later, sentence)
    first.touched = later.touched = True
    later.task = replace(later.task, depends_on=first.task.id)


def _add_to_announcement(day: DraftDay, planned: Planned, sentence: str) -> None:
    """Put a sentence behind the announcement of a task, wherever that stands.

    An announcement in quotation marks ends at the closing one, any other at the end of its line.
    """
    lists = (day.agenda, *(step.parts for step in day.steps))
    for lines in lists:
        for position, line in enumerate(lines):
            start = line.lower().find(planned.do.lower())
            if start < 0:
                continue
            end = line.find('"', start)
            end = len(line) if end < 0 else end
            lines[position] = f"{line[:end]} {sentence}{line[end:]}"
            return
    raise Rejected("the announcement of a dependant task was not found")
