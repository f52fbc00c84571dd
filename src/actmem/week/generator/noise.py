"""What means nothing: lures in the menus, scenes and messages that no task waits for."""

from __future__ import annotations

from actmem.week.content.schema import (
    PROCESS_CHANNELS,
    SNAPSHOT_CHANNELS,
    VALUE_CHANNELS,
    Frame,
)
from actmem.week.generator.draft import DraftDay, WeekDraft, quiet
from actmem.week.generator.tasks import in_order, put_messages, unplayed
from actmem.week.scenario import ChannelEvent, Lure

EARLY = 0.6
"""Share of the matters on a busy channel that are over before a task's own message."""
RESERVE = 3
"""Frames on a channel that noise leaves for tasks and lures."""
SIBLINGS, OTHER_DAYS = 0.45, 0.15
"""Shares of the lures that are siblings of the day's tasks, and tasks of other days; the rest come
from matters that are not played at all."""


def add_scenes(week: WeekDraft, day: DraftDay, frames: int) -> None:
    """Play scenes of matters that no task waits for, cues and near misses alike."""
    for _ in range(frames):
        frame = week.pool.take(None, day.archetype.domains)
        due = day.free_step(1, day.last)
        week.show_near(day, frame, due, week.draw.below(3))
        if week.draw.chance(0.7):
            day.steps[due].parts.append(week.draw.pick(quiet(frame.id, "cues", 2)))


def add_messages(week: WeekDraft, day: DraftDay) -> None:
    """Let channels speak of matters that no task waits for, the busy ones above all.

    Their good news comes before and after a task's own, so that it can only be read.
    """
    for channel in week.channels:
        busy = channel in day.channels
        if channel in SNAPSHOT_CHANNELS:
            frames = 0 if busy or week.draw.chance(0.3) else 1
        else:
            frames = week.draw.between(2, 3) if busy else week.draw.below(2)
        for _ in range(frames):
            if week.pool.left(channel) <= RESERVE:
                break
            frame = week.pool.take(channel, day.archetype.domains)
            if channel in SNAPSHOT_CHANNELS:
                _run_through(week, day, frame)
            else:
                _chatter(week, day, channel, frame)


def _chatter(week: WeekDraft, day: DraftDay, channel: str, frame: Frame) -> None:
    """Put messages of a matter on a delta channel; most end in what it waits for."""
    texts = in_order(week, frame.near, week.draw.below(len(frame.near)))
    if not texts or week.draw.chance(0.8):
        texts.append(week.draw.pick(quiet(frame.id, "cues", 2)))
    dues = [p.due for p in day.planned if p.frame is not None and p.frame.channel == channel]
    last = max(dues) if dues and week.draw.chance(EARLY) else day.last
    for step, text in zip(
        sorted(week.draw.sample(range(last + 1), len(texts))), texts, strict=False
    ):
        day.say(step, channel, ChannelEvent(day.new_cue(), text))


def _run_through(week: WeekDraft, day: DraftDay, frame: Frame) -> None:
    """Let a snapshot channel take its course as if a task waited for it."""
    assert frame.channel in (*PROCESS_CHANNELS, *VALUE_CHANNELS)
    threshold = week.draw.pick(frame.thresholds) if frame.thresholds else None
    put_messages(week, day, frame, week.draw.between(3, day.last), day.new_cue(), threshold)


def add_lures(week: WeekDraft, day: DraftDay, number: int, used: set[str]) -> None:
    """Add ``number`` lures; ``used`` holds the texts that were lures before and is added to.

    They enter the menu at the same steps as the day's tasks do.
    """
    live = {planned.task.action_text for planned in day.planned}
    entries = [planned.told for planned in day.planned]
    texts = [
        text for text in (*week.standing, *week.series.get(day.number, ())) if text not in live
    ]
    waiting = _candidates(week, day, live)
    while len(texts) < number:
        if not waiting:
            waiting = list(unplayed(week, day).actions)
        text = waiting.pop(0)
        if text not in used and text not in texts and text not in live:
            texts.append(text)
            used.add(text)
    for text in texts[:number]:
        told = 0 if text in week.standing else week.draw.pick(entries)
        day.lures.append(Lure(day.new_id(), text, day.encoding(told)))
    day.lures = week.draw.shuffled(day.lures)


def _candidates(week: WeekDraft, day: DraftDay, live: set[str]) -> list[str]:
    """Return texts that a pattern could take for the day's tasks, in random order."""
    siblings = [
        action
        for planned in day.planned
        if planned.frame is not None
        for action in planned.frame.actions
        if action not in live
    ]
    others = [
        planned.task.action_text
        for other in week.days
        if other is not day
        for planned in other.planned
        if planned.kind not in ("routine", "series") and planned.task.action_text not in live
    ]
    number = len(day.planned)
    return week.draw.shuffled(
        week.draw.sample(siblings, round(number * SIBLINGS))
        + week.draw.sample(others, round(number * OTHER_DAYS))
    )
