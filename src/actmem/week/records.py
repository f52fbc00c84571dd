"""The story of each obligation, and where it broke.

A task is carried out in a chain: it is announced, becomes active, may be updated; its condition
comes; the agent sees it; the agent acts. A record tells how far the chain held. The first broken
link says what to work on: an agent that never saw the cue needs monitoring, one that saw it and did
nothing needs memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from actmem.week.obligations import DayPlan, DayState, Verdict, WeekPlan
from actmem.week.replay import Evidence
from actmem.week.score import Row
from actmem.week.timeline import Timeline

Link = Literal["", "played", "prerequisite", "evidence", "action", "timing", "update"]
"""The first broken link. Empty: none. ``played``: the step was never played. ``prerequisite``: the
task before it was not done. ``evidence``: the condition came and was not seen. ``action``: it was
seen, and nothing followed. ``timing``: the act came too early or late. ``update``: the act followed
the old condition, or came after a cancel."""
LINKS: tuple[Link, ...] = ("played", "prerequisite", "evidence", "action", "timing", "update")

Outcome = Literal["on_time", "late", "early", "stale", "after_cancel", "missed", "withheld"]
"""What became of the obligation. ``missed``: never done, be it that every act came too late to count.
``withheld`` is the right thing to do with a cancelled task."""


class Obligation(Struct, frozen=True, kw_only=True):
    """The record of one task. Steps are ids; empty strings and tuples stand for never."""

    day: str
    task_id: str
    label: str
    """As it last held."""
    source: str
    """What had to be watched: ``narrative``, ``clock`` or a channel."""
    announced: str
    """Where the agent was told: the name of a day (its opening) or a step."""
    activated: str
    updates: tuple[str, ...] = ()
    """``action step`` for each update that names the task; the step tells where the notice stood."""
    available: tuple[str, ...] = ()
    """Steps at which the condition was met, the task not cancelled, until it was completed."""
    seen: tuple[str, ...] = ()
    """Those of them at which the agent saw it."""
    acted: tuple[str, ...] = ()
    """Steps at which the agent chose the task."""
    outcome: Outcome
    late_steps: int = 0
    """Steps between the last step at which it was due and the act, for a late act."""
    late_minutes: int = 0
    broken: Link = ""


def records(plan: WeekPlan, rows: Sequence[Row], played: int | None = None) -> list[Obligation]:
    """Return a record for every task of the week, from aligned rows.

    ``played`` is the number of steps that were really played; the rest are empty acts.
    """
    result: list[Obligation] = []
    position = 0
    left = len(rows) if played is None else played
    for day in plan.days:
        steps = len(day.times)
        result += _day_records(plan, day, rows[position : position + steps], left - position)
        position += steps
    return result


def _day_records(
    week: WeekPlan, plan: DayPlan, rows: Sequence[Row], played: int
) -> Iterable[Obligation]:
    evidence = Evidence(week, plan, rows)
    state = DayState(plan)
    acted: dict[str, list[int]] = {}
    opened: dict[str, int] = {}  # step from which a prerequisite no longer stands in the way
    for step, row in enumerate(rows):
        if not row.chosen:
            continue
        chosen = tuple(dict.fromkeys(row.chosen))
        before = len(state.completed)
        for name, verdict in zip(chosen, state.act(step, chosen, state.due(step)), strict=True):
            if verdict is not Verdict.UNKNOWN:
                acted.setdefault(name, []).append(step)
        if plan.needs and len(state.completed) > before:
            for name, needed in plan.needs.items():
                if needed in state.completed:
                    opened.setdefault(name, step + 1)
    for name, line in plan.timelines.items():
        first = opened.get(name, len(rows)) if name in plan.needs else 0
        yield _record(week, line, state, evidence, acted.get(name, ()), first, played)


def _record(
    week: WeekPlan,
    line: Timeline,
    state: DayState,
    evidence: Evidence,
    acts: Sequence[int],
    opened: int,
    played: int,
) -> Obligation:
    plan = state.plan
    name = line.task.id
    step_id = plan.steps.__getitem__
    gone = state.cancelled(name)
    done = state.completed.get(name)
    end = done[0] if done else len(plan.steps) - 1 if gone is None else gone - 1
    met = [step for step in sorted(line.met) if step <= end]
    seen = [step for step in met if step < played and evidence.seen(line.versions[step], step)]
    outcome = _outcome(line, done, gone, acts)
    due = end
    if outcome == "late":  # the last step at which it was due
        due = max((step for step in met if step < end), default=end)
    version = line.versions[max(end, 0)]
    return Obligation(
        day=plan.day.name,
        task_id=name,
        label=version.label,
        source=version.source or "narrative",
        announced=_announced(week, plan, line),
        activated=plan.steps[line.start],
        updates=_updates(line) if line.given else (),
        available=tuple(map(step_id, met)),
        seen=tuple(map(step_id, seen)),
        acted=tuple(map(step_id, acts)),
        outcome=outcome,
        late_steps=end - due,
        late_minutes=plan.times[end] - plan.times[due],
        broken=_broken(outcome, met, seen, bool(acts), opened, played),
    )


def _updates(line: Timeline) -> tuple[str, ...]:
    return tuple(f"{g.update.action} {g.day} {g.announced}" for g in line.given)


def _outcome(
    line: Timeline,
    done: tuple[int, Verdict] | None,
    gone: int | None,
    acts: Sequence[int],
) -> Outcome:
    if done is not None:
        return "on_time" if done[1] is Verdict.HIT else "late"
    if gone is not None:
        return "after_cancel" if any(step >= gone for step in acts) else "withheld"
    if any(step in line.stale for step in acts):
        return "stale"
    last = max(line.met, default=len(line.versions))
    return "early" if any(step <= last for step in acts) else "missed"


def _broken(
    outcome: Outcome, met: list[int], seen: list[int], acted: bool, opened: int, played: int
) -> Link:
    """Return the first link that did not hold."""
    if outcome in ("on_time", "withheld"):
        return ""
    if outcome in ("after_cancel", "stale"):
        return "update"
    if met and all(step >= played for step in met):
        return "played"
    if met and all(step < opened for step in met):
        return "prerequisite"
    if met and not seen:
        return "evidence"
    return "timing" if acted else "action"


def _announced(week: WeekPlan, plan: DayPlan, line: Timeline) -> str:
    """Return where the agent was told of the task."""
    task = line.task
    if task.cross_day and task.cross_day_offset is not None:
        return week.days[max(0, plan.number - task.cross_day_offset)].day.name
    if task.encoding != "start":
        return f"{plan.day.name} {task.encoding.removeprefix('step:')}"
    return week.days[0].day.name if task.regular else plan.day.name


class Links(Struct, frozen=True, kw_only=True):
    """Counts over the obligations of one or more episodes."""

    hits_with_evidence: int
    hits_without_evidence: int
    """On time though the condition was never seen: a guess, or knowledge from elsewhere."""
    late_steps: dict[str, int]
    """Number of late acts by lateness in steps."""
    broken: dict[str, int]
    """Number of obligations by first broken link."""


def count_links(obligations: Iterable[Obligation]) -> Links:
    """Count what the records tell."""
    late: Counter[int] = Counter()
    broken: dict[str, int] = dict.fromkeys(LINKS, 0)
    with_evidence = without = 0
    for record in obligations:
        if record.outcome == "on_time":
            if record.acted[-1] in record.seen:
                with_evidence += 1
            else:
                without += 1
        if record.outcome == "late":
            late[record.late_steps] += 1
        if record.broken:
            broken[record.broken] += 1
    return Links(
        hits_with_evidence=with_evidence,
        hits_without_evidence=without,
        late_steps={str(steps): late[steps] for steps in sorted(late)},
        broken=broken,
    )
