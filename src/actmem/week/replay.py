"""From what was recorded to what is scored: rows, and the evidence that an agent had.

Replies follow from the scenario and from which channels were asked at which step, so evidence is
derived alike for our traces and for run logs that hold only numbers of queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from actmem.errors import InputError
from actmem.week.menu import day_menu
from actmem.week.obligations import DayPlan, WeekPlan
from actmem.week.play import Acted, Asked, WeekEvent
from actmem.week.scenario import CLOCK, ChannelEvent
from actmem.week.score import Row
from actmem.week.timeline import Version


def rows_of(plan: WeekPlan, events: Iterable[WeekEvent]) -> list[Row]:
    """Return a row for each act of a trace, its handles turned to canonical ids.

    Raises ``InputError`` for a handle that the day does not have.
    """
    ids = {day.day.name: day_menu(plan, day.number).ids for day in plan.days}
    rows = []
    queries: dict[str, int] = {}
    for event in events:
        if isinstance(event, Asked):
            queries[event.channel] = queries.get(event.channel, 0) + 1
        elif isinstance(event, Acted):
            known = ids.get(event.day, {})
            unknown = [handle for handle in event.handles if handle not in known]
            if unknown:
                raise InputError(
                    f"{event.day} {event.step_id}: no handle {unknown[0]!r} on that day"
                )
            chosen = tuple(known[handle] for handle in event.handles)
            rows.append(Row(event.day, event.step_id, chosen, queries))
            queries = {}
    return rows


class Evidence:
    """What an agent could have seen of the conditions of one day, step by step."""

    def __init__(self, week: WeekPlan, plan: DayPlan, rows: Sequence[Row]) -> None:
        self._week = week
        self._plan = plan
        self._rows = rows
        self._shown: dict[str, list[Sequence[ChannelEvent]]] = {}

    def seen(self, version: Version, step: int) -> bool:
        """Say whether the agent saw at ``step`` that the version's condition is met there.

        The narrative is always seen; the clock counts where it was asked or is visible; a channel
        counts where a reply of this step showed the cue, or a value that meets the condition.
        """
        source = version.source
        if source is None or source in self._plan.visible:
            return True
        if not self._rows[step].queries.get(source):
            return False
        if source == CLOCK:
            return True
        if source not in self._shown:
            self._shown[source] = self._replies(source)
        events = self._shown[source][step]
        if version.condition is not None:
            return any(version.condition.holds(event.value) for event in events)
        return any(event.id == version.cue for event in events)

    def _replies(self, name: str) -> list[Sequence[ChannelEvent]]:
        """Return the events that a channel's replies showed, per step; none where not asked."""
        channel = self._week.scenario.state_channels.get(name)
        happened = [step.state_events.get(name, ()) for step in self._plan.day.steps]
        delta = channel is not None and channel.mode == "delta"
        current = self._week.scenario.snapshot == "current"
        status = channel.default_item if channel is not None else None
        replies: list[Sequence[ChannelEvent]] = []
        read = 0
        for step, events in enumerate(happened):
            asked = self._rows[step].queries.get(name)
            if events and (current or asked):
                status = events[-1]
            if not asked:
                replies.append(())
            elif delta:
                replies.append([event for part in happened[read : step + 1] for event in part])
                read = step + 1
            else:
                replies.append(() if status is None else (status,))
        return replies
