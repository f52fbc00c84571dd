"""Cases to read: tasks that were missed, with what the agent had been shown and what it did.

A reader wants to see how a task is lost, not every task that was: three of a kind, from different
agents where there are several, each task once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from actmem.report.document import Case, Section
from actmem.run.plan import Episode
from actmem.week.agents import BUILT_IN
from actmem.week.explain import explain_record, explain_step
from actmem.week.obligations import WeekPlan
from actmem.week.records import Obligation, records
from actmem.week.replay import rows_of
from actmem.week.score import Row, align
from actmem.week.suite import WeekSuite

MOST = 3
"""Most cases of a kind."""
FAULTS = ("missed", "early", "stale", "after_cancel")


class _Lost(NamedTuple):
    """A task that was lost, and where."""

    agent: str
    unit: str
    plan: WeekPlan
    rows: Sequence[Row]
    record: Obligation

    @property
    def task(self) -> tuple[str, str, str]:
        return self.unit, self.record.day, self.record.task_id

    @property
    def cross_day(self) -> bool:
        (day,) = (day for day in self.plan.days if day.day.name == self.record.day)
        return day.timelines[self.record.task_id].task.cross_day


KINDS: dict[str, tuple[str, Callable[[_Lost], bool]]] = {
    "Missed across days": (
        "Tasks that were announced on an earlier day and not done on theirs.",
        lambda lost: lost.cross_day and lost.record.outcome != "after_cancel",
    ),
    "Missed after an update": (
        "Tasks that were cancelled, moved or changed, and that the agent did by the old word or "
        "not at all.",
        lambda lost: bool(lost.record.updates),
    ),
    "Missed without asking": (
        "Tasks whose cue came on a channel or by the clock, and the agent did not ask there.",
        lambda lost: lost.record.broken == "evidence",
    ),
}
"""The kinds of cases: what is said of them, and what belongs to one."""


def week_cases(suites: Sequence[WeekSuite], most: int = MOST) -> list[Section]:
    """Return a section for each kind of which there is a case, with up to ``most`` cases.

    Built-in agents without a model give cases only where nothing else was played.
    """
    agents = dict.fromkeys(agent for suite in suites for agent in suite.by_agent())
    chosen = [agent for agent in agents if agent not in BUILT_IN] or list(agents)
    lost = [list(_lost(suites, agent)) for agent in chosen]
    sections = []
    shown: set[tuple[str, str, str]] = set()
    for title, (text, belongs) in KINDS.items():
        groups = [[one for one in some if belongs(one)] for some in lost]
        picked = _in_turn(groups, shown, most)
        cases = [_case(f"{title} {number}", one) for number, one in enumerate(picked, start=1)]
        if cases:
            sections.append(Section(title=title, text=text, blocks=cases))
    return sections


def _lost(suites: Sequence[WeekSuite], agent: str) -> Iterator[_Lost]:
    """Yield the tasks that an agent lost at steps that it played."""
    for suite in suites:
        for episode in suite.by_agent().get(agent, ()):
            if events := suite.recorded(episode):
                yield from _lost_in(suite, episode, events)


def _lost_in(suite: WeekSuite, episode: Episode, events: Sequence[Any]) -> Iterator[_Lost]:
    plan = suite.unit(episode.unit)
    rows, missing, _ = align(plan, rows_of(plan, events))
    for record in records(plan, rows, len(rows) - missing):
        if record.outcome in FAULTS and record.broken != "played" and _step(record):
            yield _Lost(episode.agent, episode.unit, plan, rows, record)


def _in_turn(
    groups: Sequence[Sequence[_Lost]], shown: set[tuple[str, str, str]], most: int
) -> list[_Lost]:
    """Return up to ``most``, one of each group in turn, of tasks not yet ``shown``; adds them."""
    waiting = [iter(group) for group in groups]
    picked: list[_Lost] = []
    while waiting:
        for group in tuple(waiting):
            one = next((one for one in group if one.task not in shown), None)
            if one is None:
                waiting.remove(group)
            elif len(picked) == most:
                return picked
            else:
                shown.add(one.task)
                picked.append(one)
    return picked


def _step(record: Obligation) -> str:
    """Return the step to look at: of the wrong act, or the first at which the task was due."""
    if record.outcome in ("stale", "after_cancel"):
        return record.acted[-1]
    return next(iter((*record.available, *record.acted)), "")


def _case(name: str, lost: _Lost) -> Case:
    record = lost.record
    lines = [f"{lost.agent}, {lost.unit}, {record.day}", *map(str.strip, explain_record(record))]
    for update in record.updates:
        _, day, step = update.split(" ")
        scene = list(explain_step(lost.plan, step, None, day))[1]
        lines += [f"At {step}, the update:", scene]
    step = _step(record)
    lines += [
        f"At {step}:",
        *_at(record, list(explain_step(lost.plan, step, lost.rows, record.day))),
    ]
    return Case(name=name, title=record.label, lines=lines)


def _at(record: Obligation, explained: Sequence[str]) -> Iterator[str]:
    """Yield what is said of a step that is about the task: scene, channel, state, acts."""
    others = 0
    if record.source == "narrative":
        yield explained[1]
    for line in explained[2:]:
        words = line.split()
        if words[0] == f"[{record.source}]" or words[0] == record.task_id:
            yield line
        elif words[:2] == ["agent", "chose:"] and words[2] not in ("nothing", f"{record.task_id}:"):
            others += 1
        elif words[0] == "agent":
            yield line
    if others:
        yield f"  agent chose: {others} other{'s' if others > 1 else ''}"
