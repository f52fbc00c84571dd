"""Cases to read: tasks that were missed, with what the agent had been shown and what it did.

A reader wants to see how a task is lost, not every task that was: three of a kind, from different
agents where there are several, each task once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from actmem.report.document import Case, Section
from actmem.run.plan import Episode
from actmem.week.agents import BUILT_IN
from actmem.week.explain import explain_record, explain_step
from actmem.week.obligations import WeekPlan
from actmem.week.records import Obligation
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
    "Missed for want of a look": (
        "Tasks whose cue came on a channel or by the clock, and the agent did not ask there.",
        lambda lost: lost.record.broken == "evidence",
    ),
}
"""The kinds of cases: what is said of them, and what belongs to one."""


def week_cases(suites: Sequence[WeekSuite], most: int = MOST) -> list[Section]:
    """Return a section for each kind of which there is a case, with up to ``most`` cases.

    Built-in agents without a model give cases only where nothing else was played.
    """
    lost = [list(_lost(suite, agent)) for suite in suites for agent in _agents(suite)]
    sections = []
    shown: set[tuple[str, str, str]] = set()
    for title, (text, belongs) in KINDS.items():
        cases = []
        for one in _in_turn([[one for one in some if belongs(one)] for some in lost]):
            if len(cases) < most and one.task not in shown:
                shown.add(one.task)
                cases.append(_case(f"{title} {len(cases) + 1}", one))
        if cases:
            sections.append(Section(title=title, text=text, blocks=cases))
    return sections


def _agents(suite: WeekSuite) -> list[str]:
    agents = list(dict.fromkeys(episode.agent for episode in suite.episodes))
    return [agent for agent in agents if agent not in BUILT_IN] or agents


def _lost(suite: WeekSuite, agent: str) -> Iterator[_Lost]:
    """Yield the tasks that an agent lost at steps that it played."""
    for episode in suite.episodes:
        if episode.agent == agent and (events := suite.recorded(episode)):
            plan = suite.plan(episode.unit)
            rows, missing, _ = align(plan, rows_of(plan, events))
            for record in suite.obligations(plan, rows, missing):
                if record.outcome in FAULTS and record.broken != "played" and _step(record):
                    yield _Lost(agent, episode.unit, plan, rows, record)


def _in_turn(groups: Sequence[Sequence[_Lost]]) -> Iterator[_Lost]:
    """Yield the first of each group, then the second of each, and so on."""
    for place in range(max(map(len, groups), default=0)):
        yield from (group[place] for group in groups if place < len(group))


def _step(record: Obligation) -> str:
    """Return the step to look at: the first at which the task was due, else the first act."""
    return next(iter((*record.available, *record.acted)), "")


def _case(name: str, lost: _Lost) -> Case:
    record, step = lost.record, _step(lost.record)
    lines = [f"{lost.agent}, {lost.unit}, {record.day}", *map(str.strip, explain_record(record))]
    explained = list(explain_step(lost.plan, step, lost.rows, record.day))
    lines.append(f"At {step}:")
    lines += [line for n, line in enumerate(explained) if n and _relevant(line.strip(), n, record)]
    return Case(name=name, title=record.label, lines=lines)


def _relevant(line: str, number: int, record: Obligation) -> bool:
    """Say whether a line that explains a step is about the task: the scene, its channel, its acts."""
    if number == 1:
        return record.source == "narrative"
    if line.startswith("["):
        return line.startswith(f"[{record.source}]")
    if line.startswith("update:"):
        return record.task_id in line.split()
    return line.startswith((f"{record.task_id} ", "agent "))
