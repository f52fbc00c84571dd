"""The scenario: one week as data.

Field names follow the PM-Bench release where it has them (arXiv paper, sections 3.1 and A.1), so
that a released week and one of ours read alike. What the release leaves out is added: where the
week comes from (``generator``), which rules the world plays by (``menu``, ``snapshot``), conditions
on a channel's value, and the step from which a lure is in the menu.

Clock times are strings ``"HH:MM"`` between 00:00 and 23:59; windows are minutes. Decoding is
strict: an unknown field, a wrong type or a malformed time is an ``InputError`` that names the path.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import fields

from actmem.files import decode, read_bytes
from actmem.hashing import canonical, digest

FORMAT: Literal["actmem-week-1"] = "actmem-week-1"
CLOCK = "clock"

TaskType = Literal["event", "time", "time_check"]
Mode = Literal["snapshot", "delta"]
MenuRule = Literal["persistent", "pmbench"]
SnapshotRule = Literal["current", "seen"]

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(max_length=20_000)]
Time = Annotated[str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$(?!\n)")]
Encoding = Annotated[str, Meta(pattern=r"^(start|step:.+)$")]
Window = Annotated[int, Meta(ge=0, le=24 * 60)]
Value = int | float | str | bool | None


class Record(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of the scenario's parts: frozen, strict, default values left out of the file."""


class Generator(Record, frozen=True, kw_only=True):
    """What made this week. The same generator gives the same bytes."""

    version: Name
    """Version of the generator's rules."""
    seed: int
    attempt: Annotated[int, Meta(ge=0)]
    """Number of draws that the checks rejected before this one."""
    profile: Name
    content: Name
    """SHA-256 of the content bank."""
    settings: dict[str, Value] = {}
    """Knobs that differ from the profile's defaults."""


class Condition(Record, frozen=True):
    """A test of a channel's current value, for example ``below 90``."""

    op: Literal["below", "above"]
    """Strict comparison: ``below`` is value < threshold."""
    threshold: int | float

    def holds(self, value: Value) -> bool:
        """Say whether ``value`` is a number that satisfies the condition."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return value < self.threshold if self.op == "below" else value > self.threshold


class ChannelEvent(Record, frozen=True):
    """One message on a channel. Its ``id`` is the cue that it carries."""

    id: Name
    text: Text
    value: Value = None
    meta: dict[str, Value] = {}
    """Free; ``phase`` (idle, in_progress, complete) orders the stages of a process channel."""


class Channel(Record, frozen=True):
    """A source that answers when queried. ``clock`` needs no events."""

    mode: Mode
    default_item: ChannelEvent | None = None
    """What a snapshot answers before its first event."""
    visible: bool = False
    """True where the observation shows it without a query (``clock`` only)."""


class Task(Record, frozen=True, kw_only=True):
    """A deferred intention of one day. Its condition is a cue, a time, or a channel's value."""

    id: Name
    label: Text
    """The intention in words, with its condition. Never shown to an agent."""
    action_text: Text
    """The action in words, as the menu shows it."""
    type: TaskType
    regular: bool = False
    """True for the standing routines."""
    encoding: Encoding = "start"
    """``start``, or ``step:<step id>``: when the task becomes active and enters the menu."""
    cue_id: Name | None = None
    cue_channel: Name | None = None
    """Channel that carries the cue; none means the narrative."""
    condition: Condition | None = None
    """In place of a cue, on a snapshot channel: due at the first step where it holds."""
    target_time: Time | None = None
    window_before: Window = 0
    """Minutes before the target at which a ``time_check`` task is due already."""
    window_after: Window = 0
    cross_day: bool = False
    cross_day_offset: Annotated[int, Meta(ge=1)] | None = None
    """Days between the announcement and the day of the task."""
    depends_on: Name | None = None
    """Id of the task of the same day that has to be completed before."""


class Update(Record, frozen=True, kw_only=True):
    """A change of a task, given at a step. Fields that are not set stay as they are."""

    task_id: Name
    action: Name
    """``cancel``, ``reschedule`` or ``override``; imported weeks may hold others, without effect."""
    target_day: Name | None = None
    """Name of the task's day; none means the day that the update stands in."""
    cue_id: Name | None = None
    """Id of the notice in the step's cues."""
    new_cue_id: Name | None = None
    new_condition: Condition | None = None
    new_target_time: Time | None = None
    new_window_before: Window | None = None
    new_window_after: Window | None = None
    new_label: Text | None = None
    new_action_text: Text | None = None
    new_type: TaskType | None = None


class Lure(Record, frozen=True):
    """An action that is never due."""

    id: Name
    action_text: Text
    encoding: Encoding = "start"
    """When it enters a persistent menu, as for a task."""


class Step(Record, frozen=True, kw_only=True):
    """One decision point."""

    id: Name
    time: Time
    text: Text
    """The vignette that the agent reads."""
    options: Annotated[tuple[Text, ...], Meta(min_length=3, max_length=3)]
    """What the ongoing activity offers: the texts of A, B and C."""
    cues: tuple[Name, ...] = ()
    """Ids of the cues and notices that the vignette carries."""
    updates: tuple[Update, ...] = ()
    state_events: dict[Name, tuple[ChannelEvent, ...]] = {}
    """What happens on the channels at this step."""


class Day(Record, frozen=True, kw_only=True):
    """One day; its state is its own."""

    name: Name
    archetype: str = ""
    start_instructions: tuple[Text, ...] = ()
    """The lines shown before the day's first step."""
    tasks: tuple[Task, ...]
    lures: tuple[Lure, ...] = ()
    steps: Annotated[tuple[Step, ...], Meta(min_length=1)]


class Scenario(Record, frozen=True, kw_only=True):
    """One week."""

    format: Literal["actmem-week-1"] = FORMAT
    scenario_name: Name
    generator: Generator | None = None
    """None where the week was imported."""
    menu: MenuRule
    snapshot: SnapshotRule
    """``current``: a snapshot answers the latest event up to the step; ``seen``: this step's event,
    else the last one that a query saw (the reference's rule)."""
    state_channels: dict[Name, Channel]
    days: Annotated[tuple[Day, ...], Meta(min_length=1)]

    @property
    def time_visible(self) -> bool:
        """True where each observation shows the time."""
        clock = self.state_channels.get(CLOCK)
        return clock is not None and clock.visible

    @property
    def digest(self) -> str:
        """SHA-256 over what ``dump`` writes, but for the line end; traces are bound to it.

        Equal scenarios have equal digests, whether or not their files spell defaults out.
        """
        return digest(_file(self))


def minutes(time: str) -> int:
    """Return ``"HH:MM"`` as minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:])


def clock_time(minute: int) -> str:
    """Return minutes since midnight as ``"HH:MM"``."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def load(path: Path) -> Scenario:
    """Read a scenario of ours. ``actmem.week.pmbench.load_any`` reads PM-Bench files as well."""
    return decode(read_bytes(path), Scenario, path)


def dump(scenario: Scenario) -> bytes:
    """Return the scenario file's bytes: canonical JSON and a line end."""
    return canonical(_file(scenario)) + b"\n"


def _file(scenario: Scenario) -> dict[str, Any]:
    """Return what the file holds: the format, and all that differs from the defaults."""
    given: dict[str, Any] = _spelled(scenario)
    return {"format": FORMAT} | given


def _spelled(value: Any) -> Any:
    """Return structs as mappings without the fields that equal their defaults.

    The encoder leaves out a default string only where it is the very same object, which a string
    read from a file never is.
    """
    if isinstance(value, Struct):
        given = ((name, getattr(value, name), default) for name, default in _defaults(type(value)))
        return {name: _spelled(field) for name, field, default in given if field != default}
    if isinstance(value, tuple):
        return [_spelled(item) for item in value]
    if isinstance(value, dict):
        return {key: _spelled(item) for key, item in value.items()}
    return value


@cache
def _defaults(kind: type[Struct]) -> tuple[tuple[str, Any], ...]:
    """Return the fields of a struct and their defaults; ``NODEFAULT`` where there is none."""
    return tuple(
        (f.name, f.default if f.default_factory is NODEFAULT else f.default_factory())
        for f in fields(kind)
    )
