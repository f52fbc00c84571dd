"""Scoring by replay: scenario and rows in, counts out. Nothing else is read.

The counts carry the names of the released PM-Bench evaluator (paper, section A.4) and equal its
own; ``clock_queries``, ``hidden_channel_queries`` and ``stale_acts`` are added. A row is one step as
it was played: it binds to (day, step id), and a row that does not fit is an error.

Set counts compare the chosen with the due set of each step: true positives, false positives, false
negatives. Task counts (hit, late, miss) follow each task through its day; cancelled tasks leave
every total.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from actmem.errors import InputError
from actmem.week.obligations import HIT, DayPlan, DayState, Verdict, WeekPlan
from actmem.week.scenario import CLOCK
from actmem.week.timeline import Timeline, Version

SCORER = 1
"""Version of the scorer; a change that may move a count of an old trace raises it."""

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
    for row in rows:
        for channel, times in row.queries.items():
            channels[channel] = channels.get(channel, 0) + times
    _score_steps(state, rows, count)
    queries = sum(channels.values())
    clock = channels.get(CLOCK, 0)
    count["state_query_calls"] = queries
    count["check_time_calls"] = count["clock_queries"] = clock
    count["hidden_channel_queries"] = queries - clock
    matched = count["exact_set_match_steps"]
    count["exact_set_mismatch_steps"] = len(plan.times) - matched
    count["exact_set_match_reward"] = 2 * matched - len(plan.times)
    return _score_tasks(state, count, channels)


def _score_steps(state: DayState, rows: Sequence[Row], count: Tally) -> None:
    """Add the set counts of a day's steps and what each chosen id amounts to."""
    hits = wrong = missed = exact = 0
    for step, row in enumerate(rows):
        due = state.due(step)
        chosen = row.chosen
        if not chosen:
            missed += len(due)
            exact += not due
            continue
        if len(chosen) > 1:
            chosen = tuple(dict.fromkeys(chosen))
        verdicts = state.act(step, chosen, due)
        right = verdicts.count(HIT)
        hits += right
        missed += len(due) - right
        if right == len(chosen):
            exact += right == len(due)
            continue
        wrong += len(chosen) - right
        count["overkill_steps"] += len(chosen) > len(due)
        for name, verdict in zip(chosen, verdicts, strict=True):
            if verdict is not HIT:
                _count_fault(state.plan.timelines.get(name), step, verdict, bool(due), count)
    count["set_tp"], count["set_fp"], count["set_fn"] = hits, wrong, missed
    count["chosen_tasks"] = hits + wrong
    count["exact_set_match_steps"] = exact


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
    slices = _Slices(state.plan)
    completed, cancellable = state.completed, state.plan.cancellable
    for name, line in state.plan.timelines.items():
        done = completed.get(name)
        gone = state.cancelled(name) if done is None and name in cancellable else None
        if line.given:
            count["update_total"] += 1
        if gone is not None:
            count["canceled_total"] += line.cancelled is not None
            count["update_canceled"] += bool(line.given)
            slices.leave(line, gone)
            continue
        if done is None:
            end, outcome = -1, "miss"
        else:
            end, outcome = done[0], "hit" if done[1] is HIT else "late"
        slices.add(line, end, outcome)
        if line.task.cross_day:
            count["cross_day_total"] += 1
            count["cross_day_" + outcome] += 1
        if line.given:
            count["update_" + outcome] += 1
    return slices.result(count, channels)


class _Slices:
    """The tallies of a day by type, regularity and monitoring.

    A tally's total is the number of its tasks, but for types: there it follows the declared type,
    moves with updates that change it, and is taken out by a cancel.
    """

    def __init__(self, plan: DayPlan) -> None:
        self._plan = plan
        self.by_type: dict[str, Tally] = {}
        self.by_regular = {"regular": _slice(), "irregular": _slice()}
        self.by_monitoring = {
            "no_proactive_monitoring": _slice(),
            "proactive_monitoring_required": _slice(),
        }
        self.by_channel: dict[str, Tally] = {}
        self._known: dict[tuple[str, str | None, bool], list[Tally]] = {}

    def add(self, line: Timeline, end: int, outcome: str) -> None:
        """Count a task that was not cancelled, by the version that holds at step ``end``.

        ``end`` is the step of its completion, or -1, the day's last step.
        """
        version = line.versions[end]
        key = (version.type, version.channel, line.task.regular)
        parts = self._known.get(key)
        if parts is None:
            parts = self._known[key] = self._parts(version, line.task.regular)
        for part in parts:
            part[outcome] += 1
        if line.given:
            self._follow_type(line, end, None)
        else:
            parts[0]["total"] += 1

    def leave(self, line: Timeline, gone: int) -> None:
        """Take out a task that was cancelled at step ``gone``; its type may still change."""
        self._follow_type(line, -1, gone)

    def _parts(self, version: Version, regular: bool) -> list[Tally]:
        source = version.source
        hidden = source is not None and source not in self._plan.visible
        parts = [
            self._of_type(version.type),
            self.by_regular["regular" if regular else "irregular"],
            self.by_monitoring[
                "proactive_monitoring_required" if hidden else "no_proactive_monitoring"
            ],
        ]
        if hidden and source is not None:
            parts.append(self.by_channel.setdefault(source, _slice()))
        return parts

    def _of_type(self, name: str) -> Tally:
        if name not in self.by_type:
            self.by_type[name] = _slice()
        return self.by_type[name]

    def _follow_type(self, line: Timeline, end: int, gone: int | None) -> None:
        """Count the task in the total of the type that it has come to by step ``end``."""
        self._of_type(line.task.type)
        last = line.task.type
        for version in line.versions[: end + 1 or None]:
            if version.type != last:
                last = version.type
                self._of_type(last)
        self._of_type(last)["total"] += 1
        if gone is not None:
            self._of_type(line.versions[gone].type)["total"] -= 1

    def result(self, count: Tally, channels: Tally) -> DayScore:
        """Return the day's score."""
        for part in self.by_regular.values():
            for outcome in OUTCOMES:
                count[outcome] += part[outcome]
        for groups in (self.by_regular, self.by_monitoring, self.by_channel):
            for part in groups.values():
                part["total"] = part["hit"] + part["late"] + part["miss"]
        return DayScore(
            metrics=count,
            by_type=self.by_type,
            by_regular=self.by_regular,
            by_monitoring=self.by_monitoring,
            by_monitoring_channel=self.by_channel,
            state_query_calls_by_channel=channels,
            steps=len(self._plan.times),
        )


OUTCOMES = ("hit", "late", "miss")


def _slice() -> Tally:
    return {"hit": 0, "late": 0, "miss": 0, "total": 0}
