"""What a content file holds. One TOML file a domain, in ``bank/``.

Lists of sentences are literal blocks, a sentence a line::

    cues = '''
    Three of the little doors stand open, all empty.
    Somebody lifts out a box and leaves the compartment gaping.
    '''

which reads well, needs no quoting and loads three times as fast as an array of strings.

Slots in announcements: ``{do}`` is the action as a verb phrase ("return the drill"), ``{threshold}``
the limit of a value frame. Slots in messages of value frames: ``{value}``. Nothing else.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

CHANNELS = (
    "email",
    "calendar",
    "course_portal",
    "price_tracker",
    "bank_balance",
    "shipment_status",
    "laundry_status",
    "library_hold",
    "reservation_waitlist",
    "appointment_portal",
)
"""The ten business channels; the eleventh channel is the clock."""
PROCESS_CHANNELS = ("shipment_status", "laundry_status")
VALUE_CHANNELS = ("price_tracker", "bank_balance")
SNAPSHOT_CHANNELS = PROCESS_CHANNELS + VALUE_CHANNELS

BusinessChannel = Literal[
    "email",
    "calendar",
    "course_portal",
    "price_tracker",
    "bank_balance",
    "shipment_status",
    "laundry_status",
    "library_hold",
    "reservation_waitlist",
    "appointment_portal",
]


class Lines(tuple[str, ...]):
    """Sentences of a block, one a line; blank lines do not count."""

    __slots__ = ()


class Part(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of the parts of a content file."""


class Frame(Part, frozen=True, kw_only=True):
    """A place, thing or channel with a condition, and the actions that can wait for it."""

    id: str
    channel: BusinessChannel | None = None
    """The channel that carries the cue; none means the narrative."""
    op: Literal["below", "above"] | None = None
    """Value channels only: the cue is the value falling below, or rising above, a threshold."""
    thresholds: tuple[int, ...] = ()
    topic: str
    """A noun phrase for the matter, used by notices that do not name the action."""
    actions: Lines
    """At least three, in one style; any of them may be announced while the others are lures."""
    announce: Lines
    """At least three whole sentences with ``{do}``: the instruction with its condition."""
    when: Lines
    """At least two clauses ("once a locker comes free"), for notices that give a new condition."""
    cues: Lines
    """At least four scenes or messages from which the condition follows, in other words."""
    near: Lines = Lines()
    """At least two scenes or messages on the same matter from which it does not follow. On a
    process channel they are the stages in progress. None on a value channel: there the cues'
    texts serve with a value on the other side of the threshold."""
    why: str
    """Why every cue entails the condition and no near miss does."""


class Domain(Part, frozen=True, kw_only=True):
    """One content file."""

    domain: str
    frames: tuple[Frame, ...]
    fillers: Lines
    """Scenes in which nothing happens that any task could wait for."""
    options: Lines
    """Ongoing options: triples separated by `` | ``."""


def parse_lines(kind: type, value: Any) -> Any:
    """Decode hook: turn a block into ``Lines``."""
    if kind is Lines and isinstance(value, str):
        return Lines(line.strip() for line in value.splitlines() if line.strip())
    raise TypeError(f"expected a block of lines, got {type(value).__name__}")


def verb_phrase(action: str) -> str:
    """Return an action text as it stands inside a sentence: "Return the drill." → "return the drill"."""
    return action[0].lower() + action[1:].removesuffix(".")
