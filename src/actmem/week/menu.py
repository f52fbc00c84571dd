"""What a step's menu holds, and under which handles.

Handles are anonymous and reshuffled each day. Two menu rules exist. ``persistent``: a lure enters
the menu as a task does and stays to the day's end; the menu is shown in the order of its handles.
``pmbench``: three lures are drawn anew at each step, with the released runtime's own shuffles.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple
from weakref import WeakKeyDictionary

from actmem.errors import InputError
from actmem.week.obligations import DayPlan, DayState, WeekPlan
from actmem.week.scenario import Day

PMBENCH_LURES = 3


class DayMenu(NamedTuple):
    """The handles of a day and its menu rule."""

    plan: DayPlan
    rule: str
    handles: dict[str, str]
    """Handle by task or lure id."""
    ids: dict[str, str]
    """Task or lure id by handle."""
    entries: dict[str, int]
    """Index of the step at which a lure enters a persistent menu, by lure id."""
    texts: dict[str, str]
    """Action text by lure id."""

    def at(self, step: int, state: DayState) -> list[tuple[str, str]]:
        """Return the menu as (handle, action text), given what was completed so far."""
        timelines = self.plan.timelines
        tasks = state.open(step)
        shown = {name: timelines[name].versions[step].action_text for name in tasks}
        if self.rule == "pmbench":
            return self._pmbench(step, shown)
        for name, entry in self.entries.items():
            if entry <= step:
                shown[name] = self.texts[name]
        handles = self.handles
        return [(handles[name], shown[name]) for name in handles if name in shown]

    def _pmbench(self, step: int, shown: dict[str, str]) -> list[tuple[str, str]]:
        day = self.plan.day
        ids = [*sorted(shown), *pmbench_lures(day, step)]
        Random(f"{day.name}:{day.steps[step].id}:menu").shuffle(ids)
        return [(self.handles[name], shown.get(name) or self.texts[name]) for name in ids]


_PREPARED: WeakKeyDictionary[WeekPlan, dict[int, DayMenu]] = WeakKeyDictionary()


def day_menu(week: WeekPlan, number: int) -> DayMenu:
    """Return the menu of a day, prepared once for each plan."""
    menus = _PREPARED.setdefault(week, {})
    if number not in menus:
        menus[number] = _prepare(week, number)
    return menus[number]


def _prepare(week: WeekPlan, number: int) -> DayMenu:
    plan = week.days[number]
    rule = week.scenario.menu
    ids = sorted([*plan.timelines, *(lure.id for lure in plan.day.lures)])
    if len(set(ids)) < len(ids):
        raise InputError(f"tasks and lures of {plan.day.name} share an id")
    handles = (
        pmbench_handles(plan.day)
        if rule == "pmbench"
        else _numbered(ids, f"{week.scenario.scenario_name}:{plan.day.name}:handles")
    )
    index = {step.id: number for number, step in enumerate(plan.day.steps)}
    entries = {}
    for lure in plan.day.lures:
        step_id = lure.encoding.removeprefix("step:")
        if lure.encoding != "start" and step_id not in index:
            raise InputError(f"lure {lure.id!r} starts at {step_id!r}, which is no step of its day")
        entries[lure.id] = 0 if lure.encoding == "start" else index[step_id]
    return DayMenu(
        plan=plan,
        rule=rule,
        handles=handles,
        ids={handle: name for name, handle in handles.items()},
        entries=entries,
        texts={lure.id: lure.action_text for lure in plan.day.lures},
    )


def pmbench_handles(day: Day) -> dict[str, str]:
    """Return the released runtime's handle for each task and lure id of a day."""
    ids = sorted([*(task.id for task in day.tasks), *(lure.id for lure in day.lures)])
    return _numbered(ids, f"{day.name}:handles")


def pmbench_lures(day: Day, step: int) -> list[str]:
    """Return the ids of the lures that the released runtime shows at a step."""
    catalogue = [lure.id for lure in day.lures]
    random = Random(f"{day.name}:{day.steps[step].id}:lures")
    return random.sample(catalogue, min(PMBENCH_LURES, len(catalogue)))


def _numbered(ids: list[str], seed: str) -> dict[str, str]:
    ids = list(ids)
    Random(seed).shuffle(ids)
    return {name: f"task_{number}" for number, name in enumerate(ids, start=1)}
