"""An agent played under observation: what it is shown, how long it takes, what it holds."""

from __future__ import annotations

import gc
import queue
import threading
import time
import types
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from actmem.errors import ActionError, DivergedError, StoppedError
from actmem.models.tape import Called, Tape
from actmem.run.agents import close_agent
from actmem.run.raised import describe
from actmem.trace import Event, Footer
from actmem.week.agents import Agent
from actmem.week.heartbeat import Nudge
from actmem.week.obligations import DayPlan, DayState, WeekPlan
from actmem.week.play import play
from actmem.week.scenario import Record
from actmem.week.world import Decision, Observation, World

CLAIMS = ("deterministic", "restores")
"""What an agent may claim with class attributes of these names."""
_HIDDEN_TYPES = (World, WeekPlan, DayPlan, DayState, Record)
_TICK = 0.05
_GRACE = 1.0
"""Seconds beyond the limit before a decision is given up: a program's own limit comes first."""


class Candidate(Struct, frozen=True, kw_only=True):
    """An agent to be checked."""

    make: Callable[[int, WeekPlan, Tape], Agent]
    """Called once a week with the seed, the plan (for a privileged agent) and the episode's tape."""
    claims: frozenset[str] = frozenset()
    """What it claims beyond its own attributes."""
    privilege: str = ""
    nudge: Nudge = "channels"


class Take(Struct, kw_only=True):
    """One play of one week."""

    footer: Footer | None = None
    """None where the play was stopped: at the end of a record, or by the time limit."""
    problem: str = ""
    """Why it was stopped against its will."""
    events: list[Event] = []
    shown: list[str] = []
    """What the agent was shown, as JSON."""
    slowest: float = 0.0
    """Seconds that the slowest decision took."""
    claims: frozenset[str] = frozenset()
    held: str = ""
    """The type of a hidden object that the agent holds."""
    since: float | None = None
    """When the decision that is awaited was asked for."""


class _Watched:
    """An agent under observation: what it sees, and how long it takes."""

    def __init__(self, agent: Agent, take: Take) -> None:
        self._agent = agent
        self._take = take

    def decide(self, observation: Observation) -> Decision:
        """Let the agent decide, and keep what it was shown."""
        take = self._take
        take.shown.append(msgspec.json.encode(observation).decode())
        take.since = started = time.monotonic()
        try:
            return self._agent.decide(observation)
        finally:
            take.since = None
            take.slowest = max(take.slowest, time.monotonic() - started)


class Refusing(World):
    """A world that refuses, once each, the first action of some steps and the act of others."""

    def __init__(self, plan: WeekPlan, nudge: Nudge) -> None:
        super().__init__(plan, nudge)
        self._number = 0
        self._refused = -1
        self.refusals = 0

    def query(self, channel: str) -> Observation:
        """Refuse, or answer as the world does."""
        self._refuse(0)
        return super().query(channel)

    def set_heartbeat(self, minutes: int | None) -> Observation:
        """Refuse, or switch as the world does."""
        self._refuse(0)
        return super().set_heartbeat(minutes)

    def act(self, choice: str, handles: tuple[str, ...] = ()) -> Observation | None:
        """Refuse, or go on as the world does."""
        self._refuse(0, 1)
        return super().act(choice, handles)

    def _refuse(self, *kinds: int) -> None:
        if self._number % 3 in kinds and self._refused < self._number:
            self._refused = self._number
            self.refusals += 1
            raise ActionError("action", "is not taken this time; decide again")

    def _advance(self, chosen: tuple[str, ...]) -> Observation | None:
        self._number += 1
        return super()._advance(chosen)


def observe(
    candidate: Candidate,
    plan: WeekPlan,
    world: World,
    seed: int,
    seconds: float,
    recorded: Sequence[Any] | None = None,
) -> Take:
    """Play a week in a worker thread, as the runner does; with a record, to the record's end only."""
    take = Take()
    done: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

    def write(event: Event) -> None:
        if recorded is not None:
            raise StoppedError("the record has ended")
        take.events.append(event)

    def work() -> None:
        try:
            _perform(candidate, plan, world, seed, take, write, recorded or ())
        except BaseException as error:  # handed to the thread that waits
            done.put(error)
        else:
            done.put(None)

    threading.Thread(target=work, daemon=True).start()
    while True:
        try:
            error = done.get(timeout=_TICK)
        except queue.Empty:
            since = take.since
            if since is not None and time.monotonic() - since > seconds + _GRACE:
                take.problem = f"no decision within {seconds:g} s"
                return take
            continue
        if isinstance(error, StoppedError) and recorded is not None:
            return take
        if isinstance(error, DivergedError):
            take.problem = str(error)
        elif error is not None:
            raise error
        return take


def _perform(
    candidate: Candidate,
    plan: WeekPlan,
    world: World,
    seed: int,
    take: Take,
    write: Callable[[Event], None],
    recorded: Sequence[Any],
) -> None:
    tape = Tape((event for event in recorded if isinstance(event, Called)), write)
    take.since = time.monotonic()
    try:
        agent = candidate.make(seed, plan, tape)
    except BaseException as error:
        take.footer = Footer(status="failed", error=f"cannot be made: {describe(error)}")
        return
    finally:
        take.since = None
    steps = [event for event in recorded if not isinstance(event, Called)]
    try:
        take.claims = frozenset(c for c in CLAIMS if getattr(agent, c, False) is True)
        take.footer = play(_Watched(agent, take), world, write, steps, resumed=bool(recorded))
        take.held = _held(agent)
    finally:
        close_agent(agent)


def _held(agent: object) -> str:
    """Return the type of a hidden object that an agent can reach; empty for none.

    Followed are attributes, containers, closures and frames; not modules, classes and the globals
    of functions, through which everything is reached.
    """
    seen: set[int] = set()
    waiting: list[Any] = [agent]
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, type | types.ModuleType | _Watched | Take):
            continue
        seen.add(id(value))
        if isinstance(value, _HIDDEN_TYPES):
            return type(value).__name__
        if isinstance(value, types.FunctionType):
            waiting += [cell.cell_contents for cell in value.__closure__ or () if _filled(cell)]
        elif isinstance(value, types.FrameType):
            waiting += value.f_locals.values()
        else:
            waiting += gc.get_referents(value)
    return ""


def _filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
