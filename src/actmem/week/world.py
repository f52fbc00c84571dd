"""The world: one simulated week as a step function. No threads, no callbacks, no I/O.

At each step an agent may query channels and set its heartbeat, then acts once, which moves the week
on. What an agent sees is an ``Observation`` and nothing else: no ids, no times while the clock is
hidden, no labels, no due sets. An illegal action raises ``ActionError`` and leaves the world as it
was.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from actmem.errors import ActionError
from actmem.week.heartbeat import INTERVALS, Heartbeat, Nudge, nudge_text
from actmem.week.menu import DayMenu, day_menu
from actmem.week.obligations import DayState, WeekPlan
from actmem.week.scenario import CLOCK, Channel, ChannelEvent, clock_time

MAX_HANDLES = 8
"""Most handles in one act."""
MAX_QUERIES = 24
"""Most queries in one step; switching the heartbeat counts as one."""
SHOWN = 80
"""Most characters of a wrong value that an error repeats."""
NO_UPDATES = "(no updates)"
CHOICES = ("A", "B", "C")

Choice = Literal["A", "B", "C"]


class MenuItem(Struct, frozen=True):
    """One entry of the menu: an anonymous handle (``task_7``) and the action in words."""

    handle: str
    text: str


class Reply(Struct, frozen=True):
    """What a channel answered: one line, ``State [email]: …``."""

    channel: str
    text: str


class Observation(Struct, frozen=True, kw_only=True):
    """All that an agent sees at a step."""

    day: str
    """Name of the day."""
    first: bool
    """True at the day's first step."""
    opening: tuple[str, ...] = ()
    """The day's opening lines, at its first step only."""
    text: str
    """The vignette."""
    options: tuple[str, ...]
    """The texts of A, B and C."""
    menu: tuple[MenuItem, ...]
    channels: tuple[str, ...]
    """Names of the channels that can be queried."""
    time: str | None = None
    """``HH:MM`` where the clock is visible."""
    nudge: str | None = None
    replies: tuple[Reply, ...] = ()
    """Answers to the queries of this step so far."""
    error: str | None = None
    """Why the last action was refused."""


class Query(Struct, frozen=True, forbid_unknown_fields=True, tag="query"):
    """Ask a channel; the step goes on."""

    channel: str


class SetHeartbeat(Struct, frozen=True, forbid_unknown_fields=True, tag="set_heartbeat"):
    """Switch the heartbeat: every 30 or 60 minutes, or off with None; the step goes on."""

    minutes: int | None


class Act(Struct, frozen=True, forbid_unknown_fields=True, tag="act"):
    """Choose an ongoing option and the actions to do now; ends the step."""

    choice: str
    handles: tuple[str, ...] = ()


class Pass(Struct, frozen=True, forbid_unknown_fields=True, tag="pass"):
    """Give the step up: an empty act, marked invalid, for an agent that found no action."""


Decision = Query | SetHeartbeat | Act | Pass


class Place(NamedTuple):
    """Where the week stands: for the record, never for an agent."""

    day: str
    step_id: str


class World:
    """One week being played."""

    def __init__(self, plan: WeekPlan, nudge: Nudge = "channels") -> None:
        self._plan = plan
        self._nudge_kind: Nudge = nudge
        self._heartbeat = Heartbeat()
        self._channels = tuple(plan.scenario.state_channels)
        self._day = -1
        self._step = 0
        self._queries = 0
        self._state: DayState
        self._menu: DayMenu
        self._read: dict[str, int] = {}  # delta: steps read so far; seen snapshots: step seen
        self._observation: Observation | None = None

    @property
    def place(self) -> Place:
        """Day and step id of the present step."""
        plan = self._plan.days[self._day]
        return Place(plan.day.name, plan.day.steps[self._step].id)

    def reset(self) -> Observation:
        """Begin the week at its first step."""
        self._heartbeat = Heartbeat()
        self._start_day(0)
        return self._observe()

    def query(self, channel: str) -> Observation:
        """Answer a query: the present observation with the reply added."""
        observation = self._present()
        if channel not in self._channels:
            raise ActionError(
                "channel", f"{_quoted(channel)} is none of {', '.join(self._channels)}"
            )
        self._count_query("channel")
        reply = Reply(channel, f"State [{channel}]: {self._answer(channel)}")
        return self._show(
            msgspec.structs.replace(observation, replies=(*observation.replies, reply))
        )

    def set_heartbeat(self, minutes: int | None) -> Observation:
        """Switch the heartbeat on (30 or 60) or off (None)."""
        observation = self._present()
        if minutes is not None and (type(minutes) is not int or minutes not in INTERVALS):
            raise ActionError(
                "heartbeat_minutes", f"{_quoted(minutes)} is neither 30 nor 60 nor off"
            )
        self._count_query("heartbeat_minutes")
        self._heartbeat.set(minutes, self._time)
        return self._show(observation)

    def act(self, choice: str, handles: tuple[str, ...] = ()) -> Observation | None:
        """End the step with an ongoing choice and handles of the menu; None ends the week."""
        observation = self._present()
        if choice not in CHOICES:
            raise ActionError("choice", f"{_quoted(choice)} is none of A, B, C")
        if len(handles) > MAX_HANDLES:
            raise ActionError("task_ids", f"{len(handles)} handles, at most {MAX_HANDLES}")
        menu = {item.handle for item in observation.menu}
        for position, handle in enumerate(handles):
            if handle not in menu:
                raise ActionError("task_ids", f"{_quoted(handle)} is not in the menu")
            if handle in handles[:position]:
                raise ActionError("task_ids", f"{_quoted(handle)} stands there twice")
        return self._advance(tuple(self._menu.ids[handle] for handle in handles))

    def refuse(self, error: str) -> Observation:
        """Return the present observation with the reason why an action was refused."""
        return msgspec.structs.replace(self._present(), error=error)

    def skip(self) -> Observation | None:
        """End the step with an empty act, in place of one that was never valid."""
        self._present()
        return self._advance(())

    def _advance(self, chosen: tuple[str, ...]) -> Observation | None:
        self._state.act(self._step, chosen, self._state.due(self._step))
        self._step += 1
        self._queries = 0
        if self._step == len(self._plan.days[self._day].times):
            if self._day + 1 == len(self._plan.days):
                self._observation = None
                return None
            self._start_day(self._day + 1)
        return self._observe()

    def _count_query(self, field: str) -> None:
        if self._queries >= MAX_QUERIES:
            raise ActionError(field, f"at most {MAX_QUERIES} queries in one step; act now")
        self._queries += 1

    def _present(self) -> Observation:
        if self._observation is None:
            raise ActionError("action", "the week has not begun or is over")
        return self._observation

    @property
    def _time(self) -> int:
        return self._plan.days[self._day].times[self._step]

    def _start_day(self, number: int) -> None:
        self._day, self._step, self._queries = number, 0, 0
        self._state = DayState(self._plan.days[number])
        self._menu = day_menu(self._plan, number)
        self._read = {}
        self._heartbeat.start_day(self._time)

    def _observe(self) -> Observation:
        day = self._plan.days[self._day].day
        step = day.steps[self._step]
        first = self._step == 0
        return self._show(
            Observation(
                day=day.name,
                first=first,
                opening=day.start_instructions if first else (),
                text=step.text,
                options=step.options,
                menu=tuple(MenuItem(*item) for item in self._menu.at(self._step, self._state)),
                channels=self._channels,
                time=step.time if self._plan.scenario.time_visible else None,
                nudge=self._nudge() if self._heartbeat.beat(self._time) else None,
            )
        )

    def _show(self, observation: Observation) -> Observation:
        self._observation = observation
        return observation

    def _nudge(self) -> str:
        open_tasks = [
            self._state.plan.timelines[name].versions[self._step]
            for name in self._state.open(self._step)
            if not self._state.cancelled_by(self._step, name)
        ]
        channels: tuple[str, ...] = self._channels
        if self._nudge_kind == "informed":
            sources = {version.source for version in open_tasks}
            channels = tuple(name for name in channels if name in sources)
        return nudge_text(self._nudge_kind, channels, [version.label for version in open_tasks])

    def _answer(self, name: str) -> str:
        plan = self._plan.days[self._day]
        if name == CLOCK:
            return f"Time {clock_time(self._time)} | Stopwatch: {self._time - plan.times[0]} min"
        channel = self._plan.scenario.state_channels[name]
        if channel.mode == "delta":
            start = self._read.get(name, 0)
            self._read[name] = self._step + 1
            events = [
                event.text
                for step in plan.day.steps[start : self._step + 1]
                for event in step.state_events.get(name, ())
            ]
            return " | ".join(events) or NO_UPDATES
        event = self._status(name, channel)
        return NO_UPDATES if event is None else event.text

    def _status(self, name: str, channel: Channel) -> ChannelEvent | None:
        """Return what a snapshot shows, by the scenario's rule."""
        steps = self._plan.days[self._day].day.steps
        if self._plan.scenario.snapshot == "seen":
            if steps[self._step].state_events.get(name):
                self._read[name] = self._step
            step = self._read.get(name)
            return channel.default_item if step is None else steps[step].state_events[name][-1]
        for step in range(self._step, -1, -1):
            if events := steps[step].state_events.get(name):
                return events[-1]
        return channel.default_item


def _quoted(value: object) -> str:
    """Return the value as Python writes it, cut to a length that an error line can hold."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
