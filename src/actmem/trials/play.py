"""Playing one episode for a trace: agent, world and record brought together.

A trace holds one event a reply, written before the world answers it. The observations are not in it:
trial and replies give them again. To continue a trace that broke off, a fresh agent decides again
over what was recorded; one that decides otherwise has ``DivergedError``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from actmem.errors import DivergedError, ProviderError, StoppedError
from actmem.run.raised import describe, is_interrupt, one_line
from actmem.trace import Event, Footer
from actmem.trials import world
from actmem.trials.agents.agent import Agent
from actmem.trials.trial import Trial

KEPT = 4_000
"""Characters of a reply that a trace keeps: more than the grammar reads, so that it scores alike."""


class Replied(Event, frozen=True, tag="reply", kw_only=True):
    """What the agent answered at a step; a free action does not end the step."""

    step: int
    text: str


def play(
    agent: Agent,
    trial: Trial,
    recorded: Sequence[Replied],
    write: Callable[[Event], None],
    on_step: Callable[[], None] | None = None,
    *,
    resumed: bool = False,
) -> Footer:
    """Play to the end; a reply that is recorded already must come again and is not written.

    What the agent raises ends the episode as failed; so does one without a legal action. ``resumed``
    says that the agent itself restores from a record, and may find that it diverges. Raises
    ``DivergedError`` where the agent does not repeat the record, and passes on ``StoppedError``.
    """
    episode, record = world.Episode(trial), iter(recorded)
    observation: world.Observation | None = episode.reset()
    while observation is not None:
        try:
            text: object = agent.decide(observation)
        except ProviderError as error:
            return Footer(status="failed", error=one_line(str(error)), provider=True)
        except BaseException as error:
            passed = (StoppedError, DivergedError) if resumed else StoppedError
            if is_interrupt(error) or isinstance(error, passed):
                raise
            return Footer(status="failed", error=describe(error))
        if not isinstance(text, str):
            return Footer(status="failed", error=f"decide returned {type(text).__name__}, no text")
        event = Replied(step=episode.step, text=storable(text))
        known = next(record, None)
        if known is None:
            write(event)
        elif known != event:
            raise DivergedError(f"resumed agent did not repeat step {event.step} of {trial.id}")
        observation = episode.act(event.text)
        if on_step is not None and episode.step > event.step:
            on_step()
    if next(record, None) is not None:
        raise DivergedError("the record goes on after the episode's end")
    if not episode.legal:
        last = one_line(event.text)
        none = f"not one legal action in the whole episode; the last reply: {last or 'none'}"
        return Footer(status="failed", error=none)
    return Footer(status="complete")


def storable(text: str) -> str:
    """Return ``text`` as a trace can hold it: cut to size, without lone surrogates."""
    return text[:KEPT].encode("utf-8", "replace").decode("utf-8")
