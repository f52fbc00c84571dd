"""What the pattern agent has been told: notes by day, folded into one plan for each action.

Notes are kept as they were read, since an action may enter the menu hours or days after the note
that speaks of it. At each step the notes of the day are folded anew, in the order of reading:
announcements bind an action to a trigger, later ones change it or call it off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from actmem.week.agents import patterns
from actmem.week.agents.patterns import WEEKDAYS, Trigger
from actmem.week.content.times import read
from actmem.week.content.words import content_words


@dataclass
class Plan:
    """What is known of one action today."""

    trigger: Trigger = field(default_factory=Trigger)
    text: str = ""
    """The words of the note beside the action, for the channels that it names."""
    cancelled: bool = False
    needs: str | None = None
    """The action that has to be done before."""
    daily: bool = False
    own: bool = False
    """True where only the action's own text tells when."""


class Note(NamedTuple):
    """A passage that was read: its sentences, and whether it can bind an action by itself."""

    sentences: tuple[str, ...]
    firm: bool
    """True for the day's opening lines and for what was noted for a named day."""
    daily: bool = False

    @property
    def text(self) -> str:
        """The whole passage."""
        return " ".join(self.sentences)


class Diary:
    """Notes of all days read so far."""

    def __init__(self) -> None:
        self._daily: list[Note] = []
        self._ahead: dict[str, list[Note]] = {}
        self._notes: list[Note] = []
        self._today = ""

    def open_day(self, day: str, opening: tuple[str, ...]) -> None:
        """Begin a day: what was noted for every day and for this one, then its opening lines."""
        self._today = day.lower()
        self._notes = [*self._daily, *self._ahead.pop(self._today, [])]
        lines = [_headless(opening[0])] if len(opening) == 1 else opening
        for line in lines:
            for passage in _joined([[part] for part in patterns.sentences(line)]):
                self._file(Note(tuple(passage), firm=True))

    def read(self, text: str, actions: list[str]) -> list[str]:
        """Read a vignette: file its notes, return the sentences that tell what happens."""
        scene = []
        for passage in _joined(patterns.passages(text)):
            note = Note(tuple(passage), firm=False)
            if self._is_note(note, actions):
                self._file(note)
            else:
                scene += passage
        return scene

    def plans(self, actions: list[str]) -> dict[str, Plan]:
        """Fold the day's notes into a plan for each action that they speak of."""
        plans: dict[str, Plan] = {}
        for note in self._notes:
            if any(patterns.mentions(sentence, actions) for sentence in note.sentences):
                _tell(note, actions, plans)
            elif not note.firm:
                _hint(note.text, plans)
        return plans

    def _is_note(self, note: Note, actions: list[str]) -> bool:
        text = note.text
        return bool(
            any(patterns.mentions(sentence, actions) for sentence in note.sentences)
            or patterns.days_of(text, self._today).named
            or read(text)
            or patterns.speaks_of_plans(text)
        )

    def _file(self, note: Note) -> None:
        """Put a note where its days are."""
        days = patterns.days_of(note.text, self._today)
        if days.daily:
            note = note._replace(daily=True, firm=True)
            self._daily.append(note)
            self._notes.append(note)
            return
        for day in WEEKDAYS:
            if day in days.named and day != self._today:
                self._ahead.setdefault(day, []).append(note._replace(firm=True))
        if not days.named or self._today in days.named:
            self._notes.append(note)


def _headless(line: str) -> str:
    """Drop the heading of an opening that is told in one line ("The plan for today: …")."""
    head, _, rest = line.partition(": ")
    days = patterns.days_of(head, "")
    return line if not rest or days.named or days.daily or read(head) else rest


def _joined(passages: list[list[str]]) -> list[list[str]]:
    """Join passages of which the later one only continues the earlier."""
    joined: list[list[str]] = []
    for passage in passages:
        if joined and _continues(joined[-1][-1], passage[0]):
            joined[-1] += passage
        else:
            joined.append(list(passage))
    return joined


def _continues(before: str, text: str) -> bool:
    """Say whether a sentence is about what the sentence before it was about."""
    lower = text.lower()
    if lower.startswith(("then ", "the same ")):
        return True
    if lower.startswith(("do it ", "it is ", "now ", "you are to ", "you should ", "you have to ")):
        return bool(read(before) or patterns.speaks_of_plans(before) or patterns.changes(before))
    named = patterns.days_of(text, "").named
    if patterns.days_of(before, "").named and named and not read(text):
        return len(patterns.tokens(text)) < 8
    return (
        not read(text)
        and patterns.orders(text)
        and lower.startswith(
            ("that ", "but ", "it ", "do not ", "don't ", "the order ", "if you ", "first")
        )
    )


def _tell(note: Note, actions: list[str], plans: dict[str, Plan]) -> None:
    """Apply a note that names actions."""
    last: str | None = None
    for sentence in note.sentences:
        found = patterns.mentions(sentence, actions)
        if not found:
            continue
        action, span = found[0]
        if last is not None and action != last:
            if patterns.orders(sentence):
                plans[last].needs = action
            continue
        if len(found) > 1 and patterns.orders(sentence):
            plans.setdefault(action, Plan()).needs = found[1][0]
        last = action
        plan = plans.setdefault(action, Plan())
        rest = f"{sentence[: span[0]]} {sentence[span[1] :]}"
        if not (patterns.trigger_of(rest) or patterns.calls_off(rest)):
            rest = note.text.replace(sentence[span[0] : span[1]], " ")
        _bind(plan, rest, note)


def _bind(plan: Plan, rest: str, note: Note) -> None:
    """Bind, change or cancel a plan by what a note says beside its action."""
    old = plan.trigger.at
    clause = patterns.condition_clause(rest)
    known = bool(plan.trigger)
    trigger = patterns.trigger_of(rest, without=old, clause=known)
    timed = trigger.at is not None or trigger.window is not None
    if patterns.calls_off(rest) and not timed and clause is None:
        plan.cancelled = True
        return
    if known:
        if not (timed or (clause is not None and patterns.changes(rest))):
            return
    elif not trigger or not (note.firm or timed or clause is not None):
        return
    plan.trigger, plan.text, plan.cancelled = trigger, clause if known and clause else rest, False
    plan.daily = note.daily


def _hint(text: str, plans: dict[str, Plan]) -> None:
    """Apply a note that means an action without naming it: by its time, or by its topic."""
    times = read(text)
    for plan in plans.values():
        at = plan.trigger.at
        held = plan.trigger.window or (at, at)
        if at in times or (plan.trigger.window and set(held) & set(times)):
            new = [minute for minute in times if minute not in held]
            if new:
                plan.trigger = Trigger(at=new[0])
            elif patterns.calls_off(text):
                plan.cancelled = True
            return
    if times or not patterns.speaks_of_plans(text):
        return
    target = _about(text, plans)
    if target is None:
        return
    clause = patterns.condition_clause(text)
    if clause is not None and patterns.changes(text):
        target.trigger = patterns.trigger_of(text, clause=True)
        target.text = clause
    elif patterns.calls_off(text):
        target.cancelled = True


def _about(text: str, plans: dict[str, Plan]) -> Plan | None:
    """Return the one plan that a text shares most words with."""
    words = content_words(text)
    shared = sorted(
        ((len(words & (plan.trigger.words | content_words(action))), action)
         for action, plan in plans.items() if not plan.cancelled),
        reverse=True,
    )  # fmt: skip
    if not shared or not shared[0][0] or (len(shared) > 1 and shared[0][0] == shared[1][0]):
        return None
    return plans[shared[0][1]]
