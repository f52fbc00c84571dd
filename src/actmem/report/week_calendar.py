"""A calendar of one played week: what was due at each step, what the agent saw, what it did.

Marks are counted as the scorer counts: a ``hit``, ``late`` or ``miss`` is a task of those totals,
``false`` an act that was neither on time nor late, ``query`` a query, ``invalid`` an empty act that
stands in for none. ``open`` alone is no count: a step at which a task was due and left undone
though its end came elsewhere. A miss stands at the last step at which the task was due.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from actmem.report.document import Calendar, Moment
from actmem.run.plan import Episode
from actmem.week.agents import BUILT_IN
from actmem.week.explain import VERDICTS
from actmem.week.menu import day_menu
from actmem.week.obligations import HIT, DayPlan, DayState, Verdict, WeekPlan
from actmem.week.play import Acted, Asked, Refused
from actmem.week.records import Link, Obligation, records
from actmem.week.replay import rows_of
from actmem.week.score import Row, align
from actmem.week.suite import WeekSuite

MOST = 8
"""Most calendars of a report."""
MARKS = 4_500
"""Marks after which no further calendar is drawn: a page stays small."""
SHOWN = 160
"""Most characters of a channel's reply."""
MISSED = ("missed", "early", "stale")
"""The outcomes that the scorer counts as a miss."""
Mark = tuple[str, str]
WHY: dict[Link, str] = {
    "": "",
    "played": "not played",
    "prerequisite": "the task before it was not done",
    "evidence": "not seen",
    "action": "seen",
    "timing": "done at the wrong step",
    "update": "done by the old word",
}
"""Where a miss broke, in few words; ``actmem explain`` has more."""


def week_calendars(suites: Sequence[WeekSuite], most: int = MOST) -> list[Calendar]:
    """Return a calendar for each agent's first week that has begun.

    Agents of one's own and models come first; built-in agents without a model are drawn only where
    there is nothing else.
    """
    first: dict[str, tuple[WeekSuite, Episode]] = {}
    for suite in suites:
        for agent, episodes in suite.by_agent().items():
            begun = [episode for episode in episodes if suite.recorded(episode)]
            if begun:
                first.setdefault(agent, (suite, begun[0]))
    chosen = [agent for agent in first if agent not in BUILT_IN] or list(first)
    calendars: list[Calendar] = []
    marks = 0
    for agent in chosen[:most]:
        if marks < MARKS:
            calendars.append(week_calendar(*first[agent]))
            marks += sum(len(moment.marks) for moment in calendars[-1].moments)
    return calendars


def week_calendar(suite: WeekSuite, episode: Episode) -> Calendar:
    """Return the calendar of one episode; steps that were not played show what was due at them."""
    plan = suite.unit(episode.unit)
    events = suite.recorded(episode)
    rows, missing, _ = align(plan, rows_of(plan, events))
    known = {(o.day, o.task_id): o for o in records(plan, rows, len(rows) - missing)}
    moments: list[Moment] = []
    for day in plan.days:
        own = rows[len(moments) : len(moments) + len(day.times)]
        moments += _day(_Day(plan, day, own, known, _asides(day, events)))
    repeat = f", repeat {episode.repeat + 1}" if episode.repeat else ""
    return Calendar(
        name=f"calendar {episode.id}",
        title=f"{episode.agent}: {episode.unit}{repeat}",
        moments=moments,
        note=f"The last {missing} of {len(rows)} steps were not played." if missing else "",
    )


class _Day(NamedTuple):
    """All that is known of a day as it was played."""

    week: WeekPlan
    plan: DayPlan
    rows: Sequence[Row]
    records: dict[tuple[str, str], Obligation]
    asides: dict[str, list[Mark]]
    """By step id, what is no act: queries and steps given up."""


def _asides(day: DayPlan, events: Sequence[Any]) -> dict[str, list[Mark]]:
    marks: dict[str, list[Mark]] = {}
    refused: dict[str, str] = {}
    for event in events:
        if getattr(event, "day", None) != day.day.name:
            continue
        found = marks.setdefault(event.step_id, [])
        if isinstance(event, Asked):
            found.append(("query", f"{event.channel}\n{_cut(event.reply)}"))
        elif isinstance(event, Refused):
            refused[event.step_id] = event.error
        elif isinstance(event, Acted) and not event.valid:
            found.append(
                ("invalid", f"no valid action\n{_cut(refused.get(event.step_id, ''))}".strip())
            )
    return marks


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def _day(day: _Day) -> Iterator[Moment]:
    state = DayState(day.plan)
    lures = day_menu(day.week, day.plan.number).texts
    for step, (shown, row) in enumerate(zip(day.plan.day.steps, day.rows, strict=True)):
        due = state.due(step)
        chosen = tuple(dict.fromkeys(row.chosen))
        marks = []
        for name, verdict in zip(chosen, state.act(step, chosen, due), strict=True):
            marks.append(_act(day, step, name, verdict, lures.get(name, name)))
        done = {name for name, (at, verdict) in state.completed.items() if at == step}
        marks += _undone(day, step, due, done)
        yield Moment(
            day=day.plan.day.name,
            time=shown.time,
            step=shown.id,
            marks=[*marks, *day.asides.get(shown.id, ())],
        )


def _act(day: _Day, step: int, name: str, verdict: Verdict, lure: str) -> Mark:
    """Return the mark of one chosen task or lure."""
    line = day.plan.timelines.get(name)
    text = line.versions[step].action_text if line else lure
    if line is None or verdict not in (HIT, Verdict.LATE):
        return "false", f"{text}\n{VERDICTS[verdict].removeprefix('false alarm: ')}"
    record = day.records[day.plan.day.name, name]
    if verdict is HIT:
        return "hit", f"{text}\n{_seen(record, day.plan.steps[step])}"
    steps = "1 step" if record.late_steps == 1 else f"{record.late_steps} steps"
    return "late", f"{text}\nlate by {steps}, {record.late_minutes} minutes"


def _undone(day: _Day, step: int, due: Sequence[str], done: set[str]) -> Iterator[Mark]:
    """Yield a mark for each task that was due at a step, or missed, and not done there."""
    step_id, last = day.plan.steps[step], len(day.plan.steps) - 1
    for name, line in day.plan.timelines.items():
        record = day.records[day.plan.day.name, name]
        text = line.versions[step].action_text
        final = record.available[-1] if record.available else day.plan.steps[last]
        if record.outcome in MISSED and step_id == final:
            where = f" {_source(record)}" if record.broken in ("evidence", "action") else ""
            yield "miss", f"{text}\n{WHY[record.broken]}{where}"
        elif name in due and name not in done:
            yield "open", f"{text}\n{_seen(record, step_id)}"


def _seen(record: Obligation, step_id: str) -> str:
    """Say whether the agent saw at a step that the task was due."""
    return f"{'seen' if step_id in record.seen else 'not seen'} {_source(record)}"


def _source(record: Obligation) -> str:
    known = {"narrative": "in the narrative", "clock": "on the clock"}
    return known.get(record.source, f"on {record.source}")
