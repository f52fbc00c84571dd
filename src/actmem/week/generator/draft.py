"""A week in the making: days with steps that are still being filled.

Text parts are put to steps first and joined to vignettes last. Ids are drawn from one shuffled
sequence a day, so that neither their order nor their form tells a task from a lure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from actmem.week.content.bank import domains
from actmem.week.content.schema import Frame, verb_phrase
from actmem.week.content.shared import Archetype, phrases
from actmem.week.content.times import fitting
from actmem.week.content.words import content_words
from actmem.week.generator.draw import Draw
from actmem.week.scenario import CLOCK, ChannelEvent, Lure, Task, Update

DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SENTENCE = re.compile(r"(^|[.!?] )([a-z])")
CROWD = 2
"""Most narrative cues at one step."""
ELSEWHERE = 0.8
"""Share of the near misses that are played on a day before that of the cue."""


class Rejected(Exception):  # noqa: N818  (a draw, not an error)
    """Raised where a draw cannot become a week; the next one may."""


@dataclass
class DraftStep:
    """A step being filled."""

    time: int
    parts: list[str] = field(default_factory=list)
    """Sentences of the vignette, in no order yet."""
    cues: list[str] = field(default_factory=list)
    triggers: int = 0
    """Number of narrative cues of tasks, present or replaced, that the step shows."""
    updates: list[Update] = field(default_factory=list)
    events: dict[str, list[ChannelEvent]] = field(default_factory=dict)


@dataclass
class Planned:
    """A task with what the generator still needs to know of it."""

    task: Task
    kind: str
    """``routine``, ``narrative``, ``channel``, ``timed``, ``window``, ``cross_day`` or ``series``."""
    told: int
    """Step from which the agent knows of it: 0 for an opening or an earlier day."""
    due: int
    """Step at which it is due, by its last version."""
    do: str
    """Its action as a verb phrase."""
    frame: Frame | None = None
    touched: bool = False
    """True once an update or a dependency involves it."""


class DraftDay:
    """One day being filled."""

    def __init__(self, number: int, archetype: Archetype, times: Sequence[int], draw: Draw) -> None:
        self.number = number
        self.name = DAY_NAMES[number]
        self.archetype = archetype
        self.steps = [DraftStep(time) for time in times]
        self.planned: list[Planned] = []
        self.lures: list[Lure] = []
        self.agenda: list[str] = []
        self.reserved: set[str] = set()
        """Times at which a series runs on other days: a notice that names one means the series."""
        self.channels: set[str] = set()
        """Snapshot channels that a frame has taken for the day."""
        self._ids = [f"d{number + 1}_a{code:02d}" for code in draw.shuffled(range(10, 70))]
        self._events = 0
        self._draw = draw

    @property
    def last(self) -> int:
        """Index of the last step."""
        return len(self.steps) - 1

    def new_id(self) -> str:
        """Return a fresh id for a task or a lure."""
        return self._ids.pop()

    def new_cue(self) -> str:
        """Return a fresh id for a cue, a notice or a message."""
        self._events += 1
        return f"d{self.number + 1}_c{self._events:02d}"

    def step_id(self, step: int) -> str:
        """Return the id of a step."""
        return f"d{self.number + 1}_s{step + 1}"

    def encoding(self, told: int) -> str:
        """Return the encoding of a task that becomes known at step ``told``."""
        return "start" if told == 0 else f"step:{self.step_id(told)}"

    def times_taken(self) -> set[str]:
        """Return the times that no new task may take: reserved, or set for one, even if replaced."""
        times = self.reserved | {p.task.target_time for p in self.planned if p.task.target_time}
        times |= {u.new_target_time for s in self.steps for u in s.updates if u.new_target_time}
        return times

    def cue_step(self, low: int, high: int, avoid: Sequence[int] = ()) -> int:
        """Draw a step for a narrative cue: mostly one that has none yet."""
        fit = [s for s in range(max(low, 0), high + 1) if s <= self.last and s not in avoid]
        fit = [s for s in fit if self.steps[s].triggers < CROWD]
        empty = [s for s in fit if not self.steps[s].triggers]
        if not fit:
            raise Rejected(f"no step for a cue on {self.name}")
        return self._draw.pick(empty if empty and self._draw.chance(0.8) else fit)

    def free_step(self, low: int, high: int, avoid: Sequence[int] = ()) -> int:
        """Draw a step for a scene, a note or a notice: one of those with the fewest parts."""
        fit = [s for s in range(max(low, 0), min(high, self.last) + 1) if s not in avoid]
        if not fit:
            raise Rejected(f"no free step on {self.name}")
        least = min(len(self.steps[s].parts) for s in fit)
        return self._draw.pick([s for s in fit if len(self.steps[s].parts) <= least + 1])

    def show_cue(self, step: int, scene: str, cue: str) -> None:
        """Put a cue's scene into a step."""
        self.steps[step].parts.append(scene)
        self.steps[step].cues.append(cue)
        self.steps[step].triggers += 1

    def say(self, step: int, channel: str, event: ChannelEvent) -> None:
        """Put a message on a channel."""
        self.steps[step].events.setdefault(channel, []).append(event)


class Pool:
    """The frames of the bank in random order, each given out at most once a week."""

    def __init__(self, draw: Draw) -> None:
        self._by_channel: dict[str | None, list[tuple[str, Frame]]] = {}
        frames = [(domain.domain, frame) for domain in domains() for frame in domain.frames]
        for domain, frame in draw.shuffled(frames):
            self._by_channel.setdefault(frame.channel, []).append((domain, frame))

    def left(self, channel: str | None) -> int:
        """Return the number of unused frames on ``channel``."""
        return len(self._by_channel.get(channel, ()))

    def take(self, channel: str | None, wanted: Sequence[str]) -> Frame:
        """Give out an unused frame on ``channel`` (None: narrative), of a wanted domain if any."""
        unused = self._by_channel.get(channel, [])
        if not unused:
            raise Rejected(f"no frame left on {channel or 'the narrative'}")
        position = next((i for i, (domain, _) in enumerate(unused) if domain in wanted), 0)
        return unused.pop(position)[1]


class WeekDraft:
    """A week being filled: its days, what is drawn from, and which channels are on."""

    def __init__(self, draw: Draw, days: list[DraftDay], channels: Sequence[str]) -> None:
        self.draw = draw
        self.days = days
        self.channels = tuple(channel for channel in channels if channel != CLOCK)
        self.pool = Pool(draw)
        self.shapes = phrases()
        self.standing: list[str] = []
        """Action texts of routines that this week does not have; lures on every day."""
        self.series: dict[int, list[str]] = {}
        """Action texts that are lures on an excepted day, by day."""

    def tell(self, day: DraftDay, told: int, announcement: str) -> None:
        """Put an announcement into the day's opening, or into a vignette at step ``told``."""
        if told == 0:
            day.agenda.append(announcement)
        else:
            note = self.draw.pick(self.shapes.notes).replace("{text}", announcement)
            day.steps[told].parts.append(note)

    def show_near(self, day: DraftDay, frame: Frame, due: int, number: int) -> None:
        """Play near misses of ``frame``: at steps of its day before ``due``, or on earlier days.

        After the cue they would speak of a world in which it had not come; and if each cue had its
        near miss a few steps before it, one could wait for it.
        """
        used: list[int] = []
        others = self.days[: day.number]
        for scene in self.draw.sample(quiet(frame.id, "near", 2), number):
            if others and (len(used) == due or self.draw.chance(ELSEWHERE)):
                place = self.draw.pick(others)
                place.steps[place.free_step(0, place.last)].parts.append(scene)
            elif len(used) < due:
                step = day.free_step(0, due - 1, used)
                used.append(step)
                day.steps[step].parts.append(scene)

    def clock(self, minute: int) -> str:
        """Return a time in one of its forms."""
        return self.draw.pick(fitting(minute))(minute)

    def span(self, start: int, end: int) -> tuple[str, str]:
        """Return two times in one form that fits both."""
        form = self.draw.pick([form for form in fitting(start) if form in fitting(end)])
        return form(start), form(end)


@lru_cache(maxsize=1024)
def quiet(frame_id: str, kind: Literal["cues", "near"], least: int) -> tuple[str, ...]:
    """Return at least ``least`` cues or near misses of a frame: those that echo it the least.

    Cues are weighed by the words that they share with its announcements and near misses, near
    misses by those shared with the announcements. Whoever counts words then learns little.
    """
    frame = frames()[frame_id]
    words = told_words(frame_id)
    if kind == "cues":
        words = words.union(*map(content_words, frame.near))
    lines: tuple[str, ...] = getattr(frame, kind)
    shared = [len(content_words(line) & words) for line in lines]
    bar = sorted(shared)[min(least, len(lines)) - 1] if lines else 0
    return tuple(line for line, number in zip(lines, shared, strict=True) if number <= bar)


@lru_cache(maxsize=1024)
def told_words(frame_id: str) -> frozenset[str]:
    """Return the content words of all announcements of a frame."""
    frame = frames()[frame_id]
    return frozenset().union(*map(content_words, (*frame.announce, *frame.when, frame.topic)))


@lru_cache(maxsize=1)
def frames() -> dict[str, Frame]:
    """Return every frame of the bank by its id."""
    return {frame.id: frame for domain in domains() for frame in domain.frames}


def fill(frame: Frame, draw: Draw, threshold: int | None) -> tuple[str, str, str]:
    """Draw an action of ``frame`` and return (action, announcement, clause) that name it."""
    action = draw.pick(frame.actions)
    announcement = draw.pick(frame.announce).replace("{do}", verb_phrase(action))
    clause = draw.pick(frame.when)
    if threshold is not None:
        announcement = announcement.replace("{threshold}", str(threshold))
        clause = clause.replace("{threshold}", str(threshold))
    return action, announcement, clause


def shape(pattern: str, **slots: str) -> str:
    """Fill a shape; a slot that begins a sentence begins with a capital."""
    for name, value in slots.items():
        pattern = pattern.replace("{" + name + "}", value)
    return _SENTENCE.sub(lambda match: match.group(1) + match.group(2).upper(), pattern)
