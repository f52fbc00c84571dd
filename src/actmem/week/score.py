"""Scoring by replay: scenario and rows in, counts out. Nothing else is read.

The counts carry the names of the released PM-Bench evaluator (paper, section A.4) and equal its
own; ``clock_queries``, ``hidden_channel_queries`` and ``stale_acts`` are added. A row is one step as
it was played: it binds to (day, step id), and a row that does not fit is an error.

Set counts compare the chosen with the due set of each step: true positives, false positives, false
negatives. Task counts (hit, late, miss) follow each task through its day; cancelled tasks leave
every total.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from actmem.errors import InputError
from actmem.week.obligations import DayPlan, DayState, Timeline, Verdict, WeekPlan
from actmem.week.scenario import CLOCK

Tally = dict[str, int]

METRICS = (
    "hit", "late", "miss", "false_alarm", "commission", "wrong_content", "check_time_calls",
    "state_query_calls", "overkill_steps", "chosen_tasks", "dependency_violation",
    "cross_day_total", "cross_day_hit", "cross_day_late", "cross_day_miss", "update_total",
    "update_hit", "update_late", "update_miss", "update_violation", "update_canceled",
    "canceled_total", "exact_set_match_steps", "exact_set_mismatch_steps",
    "exact_set_match_reward", "set_tp", "set_fp", "set_fn", "clock_queries",
    "hidden_channel_queries", "stale_acts",
)  # fmt: skip
"""The counts of a day and of a week, in the order in which they are shown."""


class Row(NamedTuple):
    """One step as it was played."""

    day: str
    step_id: str
    chosen: tuple[str, ...] = ()
    """Canonical ids of tasks and lures, as chosen."""
    queries: dict[str, int] = {}  # noqa: RUF012  (never changed)
    """Number of queries by channel."""


class DayScore(Struct):
    """The counts of one day."""

    metrics: Tally
    by_type: dict[str, Tally]
    by_regular: dict[str, Tally]
    by_monitoring: dict[str, Tally]
    by_monitoring_channel: dict[str, Tally]
    state_query_calls_by_channel: Tally
    steps: int


class Score(Struct):
    """The counts of a week, in all and by day."""

    summary: Tally
    steps: int
    per_day: dict[str, DayScore]


def score(plan: WeekPlan, rows: Iterable[Row]) -> Score:
    """Score a whole week. Rows must be exactly the week's steps, in order."""
    aligned = align(plan, rows)
    if aligned.missing:
        raise InputError(
            f"{aligned.missing} of {len(aligned.rows)} steps have no row, "
            f"the first is {aligned.first_missing}"
        )
    return tally(plan, aligned.rows)


class Aligned(NamedTuple):
    """Rows put to the steps of a week, one a step."""

    rows: list[Row]
    """A step without a row has an empty one."""
    missing: int
    """Number of steps without a row."""
    first_missing: str
    """The first of them, as ``day step id``; empty for none."""


def align(plan: WeekPlan, rows: Iterable[Row]) -> Aligned:
    """Put each row to its step by (day, step id).

    Raises ``InputError`` for a row that names no step of the week, or stands twice or out of order.
    """
    aligned: list[Row] = []
    missing: list[str] = []
    steps = ((day.day.name, step.id) for day in plan.days for step in day.day.steps)
    for number, row in enumerate(rows, start=1):
        for place in steps:
            if place == (row.day, row.step_id):
                aligned.append(row)
                break
            aligned.append(Row(*place))
            missing.append(" ".join(place))
        else:
            raise InputError(_misfit(plan, row, number))
    for place in steps:
        aligned.append(Row(*place))
        missing.append(" ".join(place))
    return Aligned(aligned, len(missing), missing[0] if missing else "")


def _misfit(plan: WeekPlan, row: Row, number: int) -> str:
    known = any(
        row.day == day.day.name and row.step_id == step.id
        for day in plan.days
        for step in day.day.steps
    )
    where = f"row {number} ({row.day} {row.step_id})"
    if known:
        return f"{where} stands twice or out of order; rows have to be in the order of the week"
    return f"{where} is no step of {plan.scenario.scenario_name}; this is the log of another week"


def tally(plan: WeekPlan, rows: Sequence[Row]) -> Score:
    """Score aligned rows, one a step."""
    summary = dict.fromkeys(METRICS, 0)
    per_day = {}
    position = 0
    for day in plan.days:
        steps = len(day.times)
        result = _score_day(day, rows[position : position + steps])
        position += steps
        per_day[day.day.name] = result
        for name, count in result.metrics.items():
            summary[name] += count
    return Score(summary=summary, steps=position, per_day=per_day)


def _score_day(plan: DayPlan, rows: Sequence[Row]) -> DayScore:
    count = dict.fromkeys(METRICS, 0)
    channels: Tally = {}
    state = DayState(plan)
    for step, row in enumerate(rows):
        for channel, times in row.queries.items():
            channels[channel] = channels.get(channel, 0) + times
        _score_step(state, step, row.chosen, count)
    queries = sum(channels.values())
    clock = channels.get(CLOCK, 0)
    count["state_query_calls"] = queries
    count["check_time_calls"] = count["clock_queries"] = clock
    count["hidden_channel_queries"] = queries - clock
    matched = count["exact_set_match_steps"]
    count["exact_set_mismatch_steps"] = len(plan.times) - matched
    count["exact_set_match_reward"] = 2 * matched - len(plan.times)
    return _score_tasks(state, count, channels)


def _score_step(state: DayState, step: int, chosen: tuple[str, ...], count: Tally) -> None:
    """Add the set counts of one step and what each chosen id amounts to."""
    due = state.due(step)
    if not chosen:
        if due:
            count["set_fn"] += len(due)
        else:
            count["exact_set_match_steps"] += 1
        return
    if len(chosen) > 1:
        chosen = tuple(dict.fromkeys(chosen))
    hits = sum(name in due for name in chosen)
    wrong = len(chosen) - hits
    missed = len(due) - hits
    count["set_tp"] += hits
    count["set_fp"] += wrong
    count["set_fn"] += missed
    count["chosen_tasks"] += len(chosen)
    count["overkill_steps"] += wrong > missed
    if not wrong and not missed:
        count["exact_set_match_steps"] += 1
    for name, verdict in zip(chosen, state.act(step, chosen, due), strict=True):
        if verdict is not Verdict.HIT:
            _count_fault(state.plan.timelines.get(name), step, verdict, bool(due), count)


def _count_fault(
    timeline: Timeline | None, step: int, verdict: Verdict, due: bool, count: Tally
) -> None:
    """Count one chosen id that was not done on time, by the evaluator's taxonomy (A.4)."""
    if verdict is Verdict.COMPLETED:
        count["commission"] += 1
    elif verdict is not Verdict.LATE:
        count["false_alarm"] += 1
    count["wrong_content"] += due
    if verdict is Verdict.BLOCKED:
        count["dependency_violation"] += 1
    elif verdict is Verdict.CANCELLED:
        count["update_violation"] += 1
        count["stale_acts"] += 1
    elif verdict in (Verdict.EARLY, Verdict.LATE) and timeline is not None:
        count["update_violation"] += timeline.updated is not None and timeline.updated <= step
        count["stale_acts"] += step in timeline.stale


def _score_tasks(state: DayState, count: Tally, channels: Tally) -> DayScore:
    """Follow each task to the day's end and sort it into the slices."""
    by_type: dict[str, Tally] = {}
    by_regular = {name: _slice() for name in ("regular", "irregular")}
    by_monitoring = {
        name: _slice() for name in ("no_proactive_monitoring", "proactive_monitoring_required")
    }
    by_channel: dict[str, Tally] = {}
    last = len(state.plan.times) - 1
    for name, line in state.plan.timelines.items():
        done = state.completed.get(name)
        end = last if done is None else done[0]
        gone = None if done else state.cancelled(name)
        _count_type(line, end, gone, by_type)
        if gone is not None:
            count["canceled_total"] += line.cancelled is not None
            if line.given:
                count["update_total"] += 1
                count["update_canceled"] += 1
            continue
        outcome = "miss" if done is None else "hit" if done[1] is Verdict.HIT else "late"
        version = line.versions[end]
        slices = [
            by_type[version.type],
            by_regular["regular" if line.task.regular else "irregular"],
        ]
        source = version.source
        hidden = source is not None and source not in state.plan.visible
        slices.append(
            by_monitoring["proactive_monitoring_required" if hidden else "no_proactive_monitoring"]
        )
        if hidden and source is not None:
            slices.append(by_channel.setdefault(source, _slice()))
        for number, part in enumerate(slices):
            part[outcome] += 1
            part["total"] += number > 0  # the total of a type is counted apart
        count[outcome] += 1
        if line.task.cross_day:
            count["cross_day_total"] += 1
            count["cross_day_" + outcome] += 1
        if line.given:
            count["update_total"] += 1
            count["update_" + outcome] += 1
    return DayScore(
        metrics=count,
        by_type=by_type,
        by_regular=by_regular,
        by_monitoring=by_monitoring,
        by_monitoring_channel=by_channel,
        state_query_calls_by_channel=channels,
        steps=len(state.plan.times),
    )


def _slice() -> Tally:
    return {"hit": 0, "late": 0, "miss": 0, "total": 0}


def _count_type(line: Timeline, end: int, gone: int | None, by_type: dict[str, Tally]) -> None:
    """Count the task in the totals by type: declared, moved by updates, taken out by a cancel."""
    declared = line.task.type
    by_type.setdefault(declared, _slice())["total"] += 1
    held: str = declared
    for kind, at in _type_changes(line, end):
        if gone is not None and gone < at:
            break
        by_type[held]["total"] -= 1
        by_type.setdefault(kind, _slice())["total"] += 1
        held = kind
    if gone is not None:
        by_type[held]["total"] -= 1
        for kind, at in _type_changes(line, end):
            if at > gone:
                by_type[held]["total"] -= 1
                by_type.setdefault(kind, _slice())["total"] += 1
                held = kind


def _type_changes(line: Timeline, end: int) -> Iterator[tuple[str, int]]:
    """Yield (new type, step) for each update up to step ``end`` that changes the type."""
    held: str = line.task.type
    for step, version in enumerate(line.versions[: end + 1]):
        if version.type != held:
            held = version.type
            yield held, step
