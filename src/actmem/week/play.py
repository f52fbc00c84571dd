"""Playing one episode: agent, world and trace brought together.

Each decision is written down before the next is asked for. To continue a trace that broke off, a
fresh agent decides again over what was recorded; while its decisions equal the record nothing is
written, and from the record's end on the episode goes on. An agent that decides otherwise has
``DivergedError``, and the runner starts the episode anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from actmem.errors import ActionError, DivergedError, ProviderError, StoppedError
from actmem.run.raised import describe, is_interrupt, one_line
from actmem.trace import Event, Footer
from actmem.week.agents import Agent
from actmem.week.world import Act, Decision, Observation, Pass, Query, SetHeartbeat, World

RETRIES = 3
"""How often a step is asked again after a refused action before it becomes an empty act."""


class Asked(Event, frozen=True, tag="query", kw_only=True):
    """A query and the reply that the agent saw."""

    day: str
    step_id: str
    channel: str
    reply: str


class HeartbeatSet(Event, frozen=True, tag="heartbeat", kw_only=True):
    """The heartbeat was switched; ``minutes`` is None for off."""

    day: str
    step_id: str
    minutes: int | None


class Refused(Event, frozen=True, tag="refused", kw_only=True):
    """An action that the world did not take, and why."""

    day: str
    step_id: str
    error: str


class Acted(Event, frozen=True, tag="act", kw_only=True):
    """The act that ended a step. ``valid`` is False where an empty act stands in for none."""

    day: str
    step_id: str
    choice: str
    handles: tuple[str, ...] = ()
    nudge: bool = False
    """True where the step showed a nudge."""
    valid: bool = True


WeekEvent = Asked | HeartbeatSet | Refused | Acted
"""The events of a week's trace."""


class _Outcome(NamedTuple):
    event: WeekEvent
    observation: Observation | None
    """What the agent sees next; None at the week's end."""


def play(
    agent: Agent,
    world: World,
    write: Callable[[WeekEvent], None],
    recorded: Sequence[WeekEvent] = (),
    on_step: Callable[[], None] | None = None,
    *,
    resumed: bool = False,
) -> Footer:
    """Play a week to its end and return the footer.

    What the agent raises ends the episode as failed; so does a week without one valid act.
    ``recorded`` are the events of a trace that broke off: they are checked, not written again.
    ``resumed`` says that the agent itself restores from a record, and may find that it diverges.
    Raises ``DivergedError`` where the agent does not repeat the record, and passes on
    ``StoppedError``.
    """
    record = iter(recorded)
    any_valid = False
    observation: Observation | None = world.reset()
    refusals, refused = 0, ""
    while observation is not None:
        try:
            outcome = _turn(agent, world, observation, refusals)
        except ProviderError as error:
            return Footer(status="failed", error=one_line(str(error)), provider=True)
        except BaseException as error:
            passed = (StoppedError, DivergedError) if resumed else StoppedError
            if is_interrupt(error) or isinstance(error, passed):
                raise
            return Footer(status="failed", error=describe(error))
        event, observation = outcome
        known = next(record, None)
        if known is None:
            write(event)
        elif known != event:
            raise DivergedError(f"resumed agent did not repeat {event.day} {event.step_id}")
        if isinstance(event, Refused):
            refusals, refused = refusals + 1, f"; refused last: {event.error}"
        if isinstance(event, Acted):
            refusals = 0
            any_valid = any_valid or event.valid
            if on_step is not None:
                on_step()
    if next(record, None) is not None:
        raise DivergedError("the record goes on after the week's end")
    if not any_valid:
        return Footer(status="failed", error=f"not one valid act in the whole week{refused}")
    return Footer(status="complete")


def _turn(agent: Agent, world: World, observation: Observation, refusals: int) -> _Outcome:
    """Ask the agent once and apply what it decides; after too many refusals, pass the step."""
    day, step_id = world.place
    try:
        decision = Pass() if refusals > RETRIES else agent.decide(observation)
        return _apply(decision, world, observation)
    except ActionError as error:
        return _Outcome(
            Refused(day=day, step_id=step_id, error=one_line(str(error))),
            world.refuse(str(error)),
        )


def _apply(decision: Decision, world: World, observation: Observation) -> _Outcome:
    day, step_id = world.place
    match decision:
        case Query(channel=str() as channel):
            after = world.query(channel)
            reply = after.replies[-1].text
            return _Outcome(Asked(day=day, step_id=step_id, channel=channel, reply=reply), after)
        case SetHeartbeat(minutes=int() | None as minutes):
            after = world.set_heartbeat(minutes)
            return _Outcome(HeartbeatSet(day=day, step_id=step_id, minutes=minutes), after)
        case Act(choice=str() as choice, handles=(tuple() | list()) as given) if all(
            isinstance(handle, str) for handle in given
        ):
            handles = tuple(given)
            event = Acted(
                day=day,
                step_id=step_id,
                choice=choice,
                handles=handles,
                nudge=bool(observation.nudge),
            )
            return _Outcome(event, world.act(choice, handles))
        case Pass():
            event = Acted(
                day=day, step_id=step_id, choice="", nudge=bool(observation.nudge), valid=False
            )
            return _Outcome(event, world.skip())
    raise ActionError(
        "action", f"{describe(decision)} is no well-formed Query, SetHeartbeat, Act or Pass"
    )
