"""The setups ``majority`` and ``unanimous``: votes over what the watchers of a hierarchy proposed.

They make no call. The hierarchy is played again over its own trace, which gives the watchers'
proposals step by step; the coordinator's choice of A, B or C and all queries are kept, its handles
are replaced. What is thereby completed is folded anew by the scorer, from the handles alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from actmem.errors import IncompleteError
from actmem.models.chat import Chat, Completion, Message
from actmem.models.structured import Schema
from actmem.models.tape import Called, Tape
from actmem.week.agents.hierarchy import WATCHERS, Hierarchy
from actmem.week.agents.setups import SetupOptions
from actmem.week.play import Acted, WeekEvent, play
from actmem.week.world import World

NEEDED = {"majority": len(WATCHERS) // 2 + 1, "unanimous": len(WATCHERS)}
"""How many watchers must have proposed a handle. One that failed has proposed nothing."""


class _Silent:
    """The hierarchy's model without its voice: a replay that needed a call would be none."""

    def __init__(self, chat: Chat) -> None:
        self.name = chat.name
        self.settings = chat.settings
        self.window = chat.window
        self.parallel = chat.parallel

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        """Refuse."""
        raise IncompleteError("the recorded hierarchy run ends here")

    def close(self) -> None:
        """Do nothing."""


def vote(
    rule: str, world: World, chat: Chat, options: SetupOptions, recorded: Sequence[Any]
) -> list[WeekEvent]:
    """Return the events of a vote over the events ``recorded`` of a hierarchy's trace.

    ``world`` is fresh, ``chat`` is not called. A step at which the coordinator gave no valid choice
    stays an empty act. Of a run that broke off, the steps that it played are returned. Raises
    ``DivergedError`` where the record is not of this week, model or prompts.
    """
    tape = Tape(event for event in recorded if isinstance(event, Called))
    steps = [event for event in recorded if not isinstance(event, Called)]
    agent = Hierarchy(_Silent(chat), tape, options)
    events: list[WeekEvent] = []
    played = iter(steps)

    def write(event: WeekEvent) -> None:
        if isinstance(event, Acted) and event.valid:
            handles = elected(agent.proposed, NEEDED[rule])
            event = msgspec.structs.replace(event, handles=handles)
        events.append(event)

    play(agent, world, lambda event: _checked(event, next(played, None), write), resumed=True)
    return events


def _checked(event: WeekEvent, known: WeekEvent | None, write: Any) -> None:
    """Pass on an event that the record holds too."""
    if event == known:
        write(event)
    elif known is not None:
        raise IncompleteError(f"the recorded hierarchy run differs at {event.day} {event.step_id}")


def elected(proposed: dict[str, tuple[str, ...]], needed: int) -> tuple[str, ...]:
    """Return the handles that at least ``needed`` watchers proposed, in order of first proposal."""
    votes = Counter(handle for handles in proposed.values() for handle in handles)
    return tuple(handle for handle, number in votes.items() if number >= needed)
