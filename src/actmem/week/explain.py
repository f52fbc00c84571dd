"""Why each task is or is not due, and what the agent saw and did, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from actmem.errors import InputError
from actmem.week.obligations import DayPlan, DayState, Verdict, WeekPlan
from actmem.week.records import Obligation, records
from actmem.week.score import Row

VERDICTS = {
    Verdict.HIT: "on time",
    Verdict.LATE: "late",
    Verdict.UNKNOWN: "false alarm: a lure",
    Verdict.INACTIVE: "false alarm: not active yet",
    Verdict.EARLY: "false alarm: not due now",
    Verdict.COMPLETED: "commission: done before",
    Verdict.BLOCKED: "dependency violation: its prerequisite is not done",
    Verdict.CANCELLED: "update violation: it is cancelled",
}

BROKEN = {
    "played": "the episode ended before its step",
    "prerequisite": "the task it depends on was not done in time",
    "evidence": "its condition came and was never seen",
    "action": "its condition was seen and nothing followed",
    "timing": "the act came at the wrong step",
    "update": "the act followed what an update had changed",
}


def explain_week(plan: WeekPlan, rows: Sequence[Row] | None) -> Iterator[str]:
    """Explain every step of the week."""
    for day in plan.days:
        for step in day.day.steps:
            yield from explain_step(plan, step.id, rows, day.day.name)
            yield ""


def explain_step(
    plan: WeekPlan, step_id: str, rows: Sequence[Row] | None, day_name: str | None = None
) -> Iterator[str]:
    """Explain one step: each task of its day, then what the agent did.

    ``rows`` are aligned; None plays the true due set, so that every task is seen at its best.
    """
    day, step, offset = _find(plan, step_id, day_name)
    state = DayState(day)
    for earlier in range(step):
        due = state.due(earlier)
        state.act(earlier, rows[offset + earlier].chosen if rows else due, due)
    shown = day.day.steps[step]
    yield f"{day.day.name} {shown.id} {shown.time}"
    yield f"  {shown.text}"
    for channel, events in shown.state_events.items():
        for event in events:
            yield f"  [{channel}] {event.text}"
    for update in shown.updates:
        where = f" of {update.target_day}" if update.target_day else ""
        yield f"  update: {update.action} {update.task_id}{where}"
    for name, line in day.timelines.items():
        version = line.versions[step]
        yield f"  {name} ({version.action_text}) {state.reason(step, name)}"
    if rows is not None:
        yield from _did(state, step, rows[offset + step])


def _did(state: DayState, step: int, row: Row) -> Iterator[str]:
    asked = ", ".join(f"{name} ({n})" if n > 1 else name for name, n in row.queries.items())
    yield f"  agent asked: {asked or 'nothing'}"
    if not row.chosen:
        yield "  agent chose: nothing"
    chosen = tuple(dict.fromkeys(row.chosen))
    for name, verdict in zip(chosen, state.act(step, chosen, state.due(step)), strict=True):
        yield f"  agent chose: {name}: {VERDICTS[verdict]}"


def explain_task(plan: WeekPlan, task_id: str, rows: Sequence[Row] | None) -> Iterator[str]:
    """Explain one task: how it stands at each step of its day, then its record."""
    days = [day for day in plan.days if task_id in day.timelines]
    if not days:
        raise InputError(f"no task {task_id!r} in {plan.scenario.scenario_name}")
    found = {(o.day, o.task_id): o for o in records(plan, rows)} if rows else {}
    for day in days:
        offset = sum(len(earlier.times) for earlier in plan.days[: day.number])
        state = DayState(day)
        yield f"{day.day.name}: {task_id}: {day.timelines[task_id].versions[-1].label}"
        for step, shown in enumerate(day.day.steps):
            due = state.due(step)
            yield f"  {shown.id} {shown.time} {state.reason(step, task_id)}"
            state.act(step, rows[offset + step].chosen if rows else due, due)
        if record := found.get((day.day.name, task_id)):
            yield from explain_record(record)


def explain_record(record: Obligation) -> Iterator[str]:
    """Explain what became of one obligation, and where it broke."""
    yield f"  announced: {record.announced}; active from {record.activated}; watch: {record.source}"
    for update in record.updates:
        yield f"  update: {update}"
    for name in ("available", "seen", "acted"):
        yield f"  {name}: {', '.join(getattr(record, name)) or 'never'}"
    yield f"  outcome: {record.outcome.replace('_', ' ')}"
    if record.late_steps:
        steps = "1 step" if record.late_steps == 1 else f"{record.late_steps} steps"
        yield f"  late by {steps}, {record.late_minutes} minutes"
    if record.broken:
        yield f"  first broken link: {record.broken}: {BROKEN[record.broken]}"


def _find(plan: WeekPlan, step_id: str, day_name: str | None) -> tuple[DayPlan, int, int]:
    """Return the day, the step's index, and the index in the week of the day's first step."""
    offset = 0
    for day in plan.days:
        for index, step in enumerate(day.day.steps):
            if step.id == step_id and day_name in (None, day.day.name):
                return day, index, offset
        offset += len(day.times)
    raise InputError(f"no step {step_id!r} in {plan.scenario.scenario_name}")
