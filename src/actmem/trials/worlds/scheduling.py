"""Scheduling: tomorrow's calendar of a team, requests to carry out, colleagues who enter too."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from actmem.trials.grammar import Call, Signature
from actmem.trials.worlds.outcome import WAITED, Outcome, clock

SLOTS = tuple(clock(minute) for minute in range(8 * 60, 18 * 60, 15))
"""The slots of a day: every quarter of an hour from 08:00 to 17:45."""


class SchedulingSetup(msgspec.Struct, frozen=True, tag="scheduling"):
    """``start`` and ``tick`` in minutes of today's clock; per step a notice ('' none).

    ``requests``: (step from which it stands, action name, arguments). ``entries``: (step at which a
    colleague's meeting is newly entered, title, slot).
    """

    WORLD: ClassVar[Literal["scheduling"]] = "scheduling"
    start: int
    tick: int
    requests: tuple[tuple[int, str, tuple[str, str]], ...]
    entries: tuple[tuple[int, str, str], ...]
    remarks: tuple[str, ...]


class SchedulingView(msgspec.Struct, frozen=True):
    """What a step shows. ``requests``: the open ones; ``new``: titles; ``calendar``: (slot, title)."""

    time: int
    remark: str
    requests: tuple[Call, ...]
    new: tuple[str, ...]
    calendar: tuple[tuple[str, str], ...]
    sent: tuple[tuple[str, str], ...]

    @property
    def shown(self) -> tuple[str, ...]:
        """The titles newly entered, then the notice."""
        return (*self.new, self.remark) if self.remark else self.new

    def text(self) -> str:
        """Return the observation."""
        slots = "; ".join(f"{slot} {title}" for slot, title in sorted(self.calendar))
        sent = "; ".join(f"{who}: {subject}" for who, subject in self.sent)
        said = f"\nNotice: {self.remark}" if self.remark else ""
        asked = "; ".join(map(_ask, self.requests))
        return (
            f"Clock: {clock(self.time)}{said}\nOpen requests: {asked or 'none'}\n"
            f"Newly entered: {'; '.join(self.new) or 'nothing'}\n"
            f"Calendar of tomorrow: {slots or 'empty'}\nE-mails sent: {sent or 'none'}"
        )


def _ask(call: Call) -> str:
    """Return an open request in words."""
    first, second = call.args
    if call.name == "add_meeting":
        return f"enter '{first}' at {second}"
    return f"e-mail {first}, subject '{second}'"


class Scheduling:
    """The office: meetings take free slots; e-mails can always be sent; requests wait for both."""

    SIGNATURES: ClassVar[dict[str, Signature]] = {
        "add_meeting": (str, str),
        "send_email": (str, str),
        "wait": (),
    }
    EXTRA: ClassVar = frozenset({"add_meeting", "send_email"})

    def __init__(self, setup: SchedulingSetup) -> None:
        self._setup = setup
        self._step = 0
        self._asked = [(since, Call(name, args)) for since, name, args in setup.requests]
        self._done = [False] * len(setup.requests)
        self._calendar: list[tuple[str, str]] = []
        self._sent: list[tuple[str, str]] = []
        self._new: list[str] = []
        self._arrive()

    def _arrive(self) -> None:
        """Let the colleagues' entries of this step in."""
        for step, title, slot in self._setup.entries:
            if step == self._step:
                self._calendar.append((slot, title))
                self._new.append(title)

    def view(self) -> SchedulingView:
        """Return what this step shows."""
        setup, step = self._setup, self._step
        asked = zip(self._asked, self._done, strict=True)
        open_now = tuple(call for (since, call), done in asked if since <= step and not done)
        return SchedulingView(
            setup.start + step * setup.tick,
            setup.remarks[step],
            open_now,
            tuple(self._new),
            tuple(self._calendar),
            tuple(self._sent),
        )

    def act(self, call: Call | None) -> Outcome:
        """Play one step."""
        self._new = []
        outcome = WAITED if call is None or call.name == "wait" else self._do(call)
        self._step += 1
        self._arrive()
        return outcome

    def _do(self, call: Call) -> Outcome:
        first, second = str(call.args[0]), str(call.args[1])
        if not first or not second:
            return Outcome("Neither text may be empty.")
        if call.name == "add_meeting":
            if second not in SLOTS:
                return Outcome(
                    "Slots are every quarter of an hour from 08:00 to 17:45, as 'HH:MM'."
                )
            if any(slot == second for slot, _ in self._calendar):
                return Outcome(f"The slot {second} is taken.")
            self._calendar.append((second, first[:80]))
            self._new.append(first[:80])
            reply = f"'{first[:80]}' is entered at {second}."
        else:
            self._sent.append((first[:80], second[:80]))
            reply = f"The e-mail to {first[:80]} is sent."
        asked = any(asked.same(call) for _, asked in self._asked)
        return Outcome(reply, True, self._tick_off(call), asked)

    def _tick_off(self, call: Call) -> bool:
        """Close the earliest open request for ``call``; tell whether there was one."""
        for i, (since, asked) in enumerate(self._asked):
            if since <= self._step and not self._done[i] and asked.same(call):
                self._done[i] = True
                return True
        return False

    def goals(self) -> tuple[int, int]:
        """Return requests carried out, and all requests."""
        return sum(self._done), len(self._done)
