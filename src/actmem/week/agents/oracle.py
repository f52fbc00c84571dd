"""The ceiling: asks the channels that matter and plays the true due set. Privileged."""

from __future__ import annotations

from actmem.week.menu import day_menu
from actmem.week.obligations import DayState, WeekPlan
from actmem.week.world import MAX_HANDLES, Act, Observation, Query


class Oracle:
    """Folds the obligations themselves; queries the source of each due task, then acts."""

    deterministic = True

    def __init__(self, plan: WeekPlan) -> None:
        self._plan = plan
        self._day = -1
        self._step = -1
        self._state: DayState
        self._due: list[str]

    def decide(self, observation: Observation) -> Query | Act:
        """Query what is still unseen of the due tasks' sources, then choose the due handles."""
        if not observation.replies and observation.error is None:
            self._move_on(observation.first)
        asked = {reply.channel for reply in observation.replies}
        versions = [self._state.plan.timelines[name].versions[self._step] for name in self._due]
        for version in versions:
            if version.source and version.source not in asked | self._state.plan.visible:
                return Query(version.source)
        return Act("A", tuple(self._handles[name] for name in self._due))

    def _move_on(self, first: bool) -> None:
        if self._step >= 0:
            self._state.act(self._step, self._due, self._due)  # it was taken, since a step follows
        self._step += 1
        if first:
            self._day, self._step = self._day + 1, 0
            self._state = DayState(self._plan.days[self._day])
            self._handles = day_menu(self._plan, self._day).handles
        self._due = self._state.due(self._step)[:MAX_HANDLES]
