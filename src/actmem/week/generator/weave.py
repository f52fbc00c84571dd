"""From quotas to days: the order in which a week is filled, and how a day is written out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from actmem.week.content.bank import domains
from actmem.week.content.schema import VALUE_CHANNELS, verb_phrase
from actmem.week.content.shared import archetypes, routines
from actmem.week.content.words import content_words
from actmem.week.generator import changes, noise, tasks
from actmem.week.generator.draft import DraftDay, Rejected, WeekDraft, shape, told_words
from actmem.week.generator.draw import Draw
from actmem.week.generator.schedule import FIVE, GRID, NOON, routine_times, step_times
from actmem.week.scenario import Day, Step, clock_time

TRIES = 12
"""Draws for one task or change before the whole week is rejected."""
STANDING = 4
"""Routines of other weeks that stand in every menu as lures."""


@dataclass(frozen=True)
class Quotas:
    """How many of each kind a week of seven days holds."""

    narrative: int = 21
    channel: int = 15
    """Tasks on channels, those with value conditions included."""
    timed: int = 12
    cross_day: int = 7
    cancels: int = 2
    overrides: int = 3
    reschedules: int = 6
    dependencies: int = 0
    time_checks: int = 0
    channel_updates: int = 0
    early_updates: int = 0
    second_updates: int = 0
    """Of the reschedules, those that are followed by another."""
    recurrences: int = 0
    conditions: int = 0


def weave(
    draw: Draw, quotas: Quotas, days: int, density: float, channels: tuple[str, ...],
    lures: tuple[int, int] | None,
) -> tuple[Day, ...]:  # fmt: skip
    """Draw the days of a week, or raise ``Rejected``.

    ``lures`` are the fewest and most a day; None takes as many as the day has tasks.
    """
    week = _lay_out(draw, quotas, days, density, channels)
    _add_tasks(week, quotas)
    _add_changes(week, quotas)
    used: set[str] = set()
    for day in week.days:
        noise.add_scenes(week, day, draw.between(1, 2))
        noise.add_messages(week, day)
        number = draw.between(*lures) if lures else len(day.planned) + draw.between(-1, 1)
        noise.add_lures(week, day, number, used)
    return _Writer(week).days()


def _lay_out(
    draw: Draw, quotas: Quotas, days: int, density: float, channels: tuple[str, ...]
) -> WeekDraft:
    """Draw archetypes, routines and step times, and put the routines in."""
    bank = routines()
    narrative = draw.sample(bank.narrative, 2)
    clock = draw.sample(bank.clock_actions, 2)
    minutes = routine_times(draw)
    shared = list(minutes)
    if quotas.recurrences:
        shared.append(draw.between((NOON + 60) // GRID, (FIVE - 30) // GRID) * GRID)
    drafts = []
    for number, archetype in enumerate(draw.sample(archetypes(), days)):
        steps = round(draw.between(*archetype.steps) * density)
        times = step_times(archetype, steps, shared, narrative, draw)
        drafts.append(DraftDay(number, archetype, times, draw))
    week = WeekDraft(draw, drafts, channels)
    actions = [draw.pick(routine.actions) for routine in narrative]
    announced = [
        (
            action,
            shape(draw.pick(bank.clock_announce), do=verb_phrase(action), time=week.clock(minute)),
            minute,
        )
        for action, minute in zip(clock, minutes, strict=True)
    ]
    tasks.add_routines(week, narrative, actions, announced)
    rest = [action for action in bank.clock_actions if action not in clock]
    rest += [a for r in bank.narrative for a in r.actions if a not in actions]
    week.standing = draw.sample(rest, STANDING)
    return week


def _add_tasks(week: WeekDraft, quotas: Quotas) -> None:
    draw, days = week.draw, week.days
    for _ in range(quotas.recurrences):
        tasks.add_series(week)
    places = [day for day in days if day.number > 0]
    for number in draw.spread(quotas.cross_day, len(places), 0, 3) if places else ():
        day = places.pop(0)
        for _ in range(number):
            _try(lambda day=day: tasks.add_cross_day(week, day))  # type: ignore[misc]
    values = [name for name in week.channels if name in VALUE_CHANNELS]
    others = [name for name in week.channels if name not in VALUE_CHANNELS]
    wanted = _channel_plan(draw, quotas, values, others) if week.channels else []
    for day, number in zip(days, draw.spread(len(wanted), len(days), 1, 3), strict=True):
        for channel, condition in _for_day(wanted, number):
            _try(lambda d=day, c=channel, x=condition: tasks.add_channel(week, d, c, x))  # type: ignore[misc]
    plans: list[tuple[int, int, int, Callable[[WeekDraft, DraftDay], None]]] = [
        (quotas.narrative, 2, 4, tasks.add_narrative),
        (quotas.timed, 1, 2, tasks.add_timed),
        (quotas.time_checks, 0, 1, tasks.add_window),
    ]
    for total, low, high, add in plans:
        for day, number in zip(days, draw.spread(total, len(days), min(low, total // len(days)), high),
                               strict=True):  # fmt: skip
            for _ in range(number):
                _try(lambda day=day, add=add: add(week, day))  # type: ignore[misc]


def _channel_plan(
    draw: Draw, quotas: Quotas, values: list[str], others: list[str]
) -> list[tuple[str, bool]]:
    """Return (channel, by condition) for each channel task: all channels about as often."""
    conditions = min(quotas.conditions, quotas.channel) if values else 0
    plan = [(values[number % len(values)], True) for number in range(conditions)]
    rest = quotas.channel - conditions
    cycle = draw.shuffled([*others, *(v for v in values if not conditions or not others)])
    plan += [(cycle[number % len(cycle)], False) for number in range(rest)] if cycle else []
    return draw.shuffled(plan)


def _for_day(wanted: list[tuple[str, bool]], number: int) -> list[tuple[str, bool]]:
    """Take ``number`` entries off ``wanted``, each on another channel.

    The channels that are left most often go first, so that none is left for one day alone.
    """
    taken: list[tuple[str, bool]] = []
    for _ in range(number):
        left = Counter(channel for channel, _ in wanted)
        fit = [entry for entry in wanted if entry[0] not in {channel for channel, _ in taken}]
        if not fit:
            raise Rejected("too many tasks on one channel")
        entry = max(fit, key=lambda entry: left[entry[0]])
        wanted.remove(entry)
        taken.append(entry)
    return taken


def _add_changes(week: WeekDraft, quotas: Quotas) -> None:
    for number in range(quotas.early_updates):
        _try(lambda number=number: changes.change_early(week, number % 2 == 0))  # type: ignore[misc]
    for _ in range(quotas.second_updates):
        _try(lambda: changes.reschedule(week, 2))
    for _ in range(max(0, quotas.reschedules - quotas.second_updates)):
        _try(lambda: changes.reschedule(week))
    for number in range(quotas.cancels):
        _try(lambda number=number: changes.cancel(week, timed=number % 2 == 1))  # type: ignore[misc]
    for _ in range(quotas.overrides):
        _try(lambda: changes.override(week))
    for _ in range(quotas.channel_updates):
        _try(lambda: changes.override_channel(week))
    for _ in range(quotas.dependencies):
        _try(lambda: changes.depend(week))


def _try(step: Callable[[], None]) -> None:
    """Take a step of the draw, again where it does not fit, up to ``TRIES`` times."""
    for number in range(TRIES):
        try:
            step()
        except Rejected:
            if number == TRIES - 1:
                raise
        else:
            return


@lru_cache(maxsize=1)
def fillers_by_word() -> dict[str, list[str]]:
    """Return the fillers of all domains by the content words that they hold."""
    found: dict[str, list[str]] = {}
    for domain in domains():
        for filler in domain.fillers:
            for word in sorted(content_words(filler)):
                found.setdefault(word, []).append(filler)
    return found


class _Writer:
    """Writes the days out: vignettes from parts and fillers, options, openings."""

    def __init__(self, week: WeekDraft) -> None:
        self._week = week
        self._draw = week.draw
        by_domain = {domain.domain: domain for domain in domains()}
        self._fillers = {name: self._draw.shuffled(d.fillers) for name, d in by_domain.items()}
        self._options = {name: self._draw.shuffled(d.options) for name, d in by_domain.items()}

    def days(self) -> tuple[Day, ...]:
        """Return the days of the week."""
        return tuple(self._day(day) for day in self._week.days)

    def _day(self, day: DraftDay) -> Day:
        return Day(
            name=day.name,
            archetype=day.archetype.name,
            start_instructions=self._opening(day),
            tasks=tuple(sorted((p.task for p in day.planned), key=lambda task: task.id)),
            lures=tuple(sorted(day.lures, key=lambda lure: lure.id)),
            steps=tuple(self._step(day, index) for index in range(len(day.steps))),
        )

    def _step(self, day: DraftDay, index: int) -> Step:
        step = day.steps[index]
        parts = list(step.parts)
        while len(parts) < 2 or (len(parts) == 2 and self._draw.chance(0.4)):
            parts.append(self._echo(day) or self._next(self._fillers, day))
        return Step(
            id=day.step_id(index),
            time=clock_time(step.time),
            text=" ".join(self._draw.shuffled(parts)),
            options=tuple(o.strip() for o in self._next(self._options, day).split("|")),
            cues=tuple(step.cues),
            updates=tuple(step.updates),
            state_events={name: tuple(events) for name, events in sorted(step.events.items())},
        )

    def _echo(self, day: DraftDay) -> str | None:
        """Return an unused filler that shares a word with a task that waits for a scene.

        Such fillers mean nothing, so that one word in common means nothing either.
        """
        waiting = [p.frame for p in day.planned if p.frame is not None and p.frame.channel is None]
        if not waiting:
            return None
        for word in self._draw.shuffled(sorted(told_words(self._draw.pick(waiting).id))):
            for filler in self._draw.shuffled(fillers_by_word().get(word, ())):
                for lines in self._fillers.values():
                    if filler in lines:
                        lines.remove(filler)
                        return filler
        return None

    def _next(self, lines: dict[str, list[str]], day: DraftDay) -> str:
        """Take the next unused line of one of the day's domains, of any domain when they are out."""
        names = [name for name in day.archetype.domains if lines.get(name)]
        names = names or [name for name in lines if lines[name]]
        if not names:
            raise Rejected("the bank has too few fillers")
        return lines[self._draw.pick(names)].pop()

    def _opening(self, day: DraftDay) -> tuple[str, ...]:
        """Return the agenda as a list or as running text, with what stands before and after it."""
        lines = self._draw.shuffled(day.agenda)
        if not lines:
            return ()
        before, _, after = self._draw.pick(self._week.shapes.openings).partition("{list}")
        form = self._draw.below(4)
        if form == 0:
            lines = [f"- {line}" for line in lines]
        elif form == 1:
            lines = [f"{number}) {line}" for number, line in enumerate(lines, 1)]
        parts = [part for part in (before.strip(), *lines, after.strip()) if part]
        return tuple(parts) if form < 3 else (" ".join(parts),)
