"""The contract of an agent as a program: run it on yours.

The agent plays three tiny weeks whose hidden strings carry a word to look for. In the second, some
of its actions are refused though they are legal. What is found:

``plays``          it can be made, and plays every week to its end
``legal``          it sends no action that the world must refuse
``goes on``        after a refused action it decides again, and the step is played
``in time``        each decision comes within the time limit
``hidden``         no hidden word is in what it is shown or in what it says, and it holds no scenario
``deterministic``  where it claims so: the same week with the same seed gives the same decisions
``restores``       where it claims so: over its own record, cut anywhere, it decides the same again

An agent claims with class attributes, ``deterministic = True`` and ``restores = True``; the first
claims the second as well.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from actmem.models.tape import Called
from actmem.trace import Event
from actmem.week.make import Knobs, make_week
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.observed import Candidate, Refusing, Take, observe
from actmem.week.play import Acted, Refused
from actmem.week.sentinel import marked
from actmem.week.world import World

SECONDS = 120.0
"""How long one decision may take."""
WEEKS = (Knobs(days=1, density=0.5), Knobs(days=2, density=0.5), Knobs(days=2, density=0.6))
"""The tiny weeks: 33 steps in all."""
REFUSING = 1
"""Index of the week in which actions are refused."""
CUTS = (0.25, 0.5, 0.75, 1.0)
"""Where the record of the last week is cut for ``restores``, as shares of its events."""


class Finding(NamedTuple):
    """What came out of one rule; ``ok`` is None where it did not apply."""

    rule: str
    ok: bool | None
    message: str


def check_contract(candidate: Candidate, seconds: float = SECONDS) -> list[Finding]:
    """Return a finding for each rule, in order."""
    word = f"zz{secrets.token_hex(4)}"
    plans = [
        prepare(marked(make_week(seed, knobs), word)) for seed, knobs in enumerate(WEEKS, start=1)
    ]
    worlds = [
        (Refusing if number == REFUSING else World)(plan, candidate.nudge)
        for number, plan in enumerate(plans)
    ]
    takes: list[Take] = []
    for number, (plan, world) in enumerate(zip(plans, worlds, strict=True)):
        takes.append(observe(candidate, plan, world, number, seconds))
        if takes[-1].problem:
            break  # it would keep us waiting at every further week
    findings = [
        _plays(takes),
        _legal(takes),
        _goes_on(takes, worlds),
        _in_time(takes, seconds),
        _hidden(takes, word, candidate.privilege),
    ]
    claims = candidate.claims.union(*(take.claims for take in takes))
    sound = all(take.footer is not None and take.footer.status == "complete" for take in takes)
    for rule, proof in (("deterministic", _deterministic), ("restores", _restores)):
        if not claims & ({rule, "deterministic"}):
            findings.append(Finding(rule, None, "not claimed"))
        elif not sound:
            findings.append(Finding(rule, None, "not tried: it does not play"))
        else:
            findings.append(proof(candidate, plans, takes, seconds))
    return findings


def _plays(takes: Sequence[Take]) -> Finding:
    for number, take in enumerate(takes):
        failed = take.footer is not None and take.footer.status != "complete"
        if failed and number != REFUSING and take.footer is not None:
            return Finding("plays", False, f"week {number + 1}: {take.footer.error}")
    if any(take.problem for take in takes):
        return Finding("plays", None, "not to the end: it does not answer in time")
    steps = sum(isinstance(event, Acted) for take in takes for event in take.events)
    return Finding("plays", True, f"{len(takes)} tiny weeks, {steps} steps")


def _legal(takes: Sequence[Take]) -> Finding:
    events = [
        event for number, take in enumerate(takes) if number != REFUSING for event in take.events
    ]
    refused = [event for event in events if isinstance(event, Refused)]
    passed = sum(isinstance(event, Acted) and not event.valid for event in events)
    if refused:
        first = refused[0]
        return Finding(
            "legal", False, f"{len(refused)} refused, first on {first.day}: {first.error}"
        )
    if passed:
        return Finding("legal", False, f"{passed} steps passed without an action")
    return Finding("legal", True, "no action was refused")


def _goes_on(takes: Sequence[Take], worlds: Sequence[World]) -> Finding:
    rule, world = "goes on", worlds[REFUSING]
    if len(takes) <= REFUSING or not isinstance(world, Refusing) or not world.refusals:
        return Finding(rule, None, "not tried: it does not play")
    take = takes[REFUSING]
    if take.problem or take.footer is None or take.footer.status != "complete":
        cause = take.problem or (take.footer.error if take.footer else "")
        return Finding(rule, False, f"stops where actions are refused: {cause}")
    if any(isinstance(event, Acted) and not event.valid for event in take.events):
        return Finding(rule, False, "a step with a refused action was passed without another")
    return Finding(rule, True, f"{world.refusals} legal actions were refused, each step was played")


def _in_time(takes: Sequence[Take], seconds: float) -> Finding:
    slowest = max(take.slowest for take in takes)
    late = next((take.problem for take in takes if take.problem), "")
    if late or slowest > seconds:
        return Finding("in time", False, late or f"{slowest:.1f} s, the limit is {seconds:g} s")
    return Finding(
        "in time", True, f"at most {slowest:.2g} s a decision, the limit is {seconds:g} s"
    )


def _hidden(takes: Sequence[Take], word: str, privilege: str) -> Finding:
    """Look for the hidden word in all that was shown and said, and for a scenario in its hands."""
    if privilege:
        return Finding("hidden", True, f"privileged, and every table says so: {privilege}")
    for take in takes:
        if any(word in text for text in take.shown):
            return Finding("hidden", False, "an observation shows a hidden word")
        for event in take.events:
            said = (
                msgspec.structs.replace(event, step_id="") if hasattr(event, "step_id") else event
            )
            if word in msgspec.json.encode(said).decode():
                return Finding("hidden", False, f"its {_kind(event)} says a hidden word")
        if take.held:
            return Finding("hidden", False, f"it holds a {take.held}, which no agent is given")
    shown = sum(len(take.shown) for take in takes)
    return Finding("hidden", True, f"no hidden word in {shown} observations, nor in what it says")


def _kind(event: Event) -> str:
    return {"model": "prompt or reply", "act": "act"}.get(event.__struct_config__.tag, "action")  # type: ignore[arg-type]


def _deterministic(
    candidate: Candidate, plans: Sequence[WeekPlan], takes: Sequence[Take], seconds: float
) -> Finding:
    for number, (plan, take) in enumerate(zip(plans, takes, strict=True)):
        if number == REFUSING:
            continue
        again = observe(candidate, plan, World(plan, candidate.nudge), number, seconds)
        for one, two in zip(_decided(take), _decided(again), strict=False):
            if one != two:
                where = f"{getattr(one, 'day', '')} {getattr(one, 'step_id', '')}"
                return Finding(
                    "deterministic", False, f"decides otherwise at {where} the second time"
                )
    return Finding("deterministic", True, "the same decisions the second time")


def _decided(take: Take) -> list[Event]:
    return [event for event in take.events if not isinstance(event, Called)]


def _restores(
    candidate: Candidate, plans: Sequence[WeekPlan], takes: Sequence[Take], seconds: float
) -> Finding:
    number = len(plans) - 1
    plan, events = plans[number], takes[number].events
    for share in CUTS:
        cut = int(share * (len(events) - 1))
        world = World(plan, candidate.nudge)
        again = observe(candidate, plan, world, number, seconds, events[:cut])
        if again.problem or again.footer is not None:
            cause = again.problem or (again.footer.error if again.footer else "")
            return Finding("restores", False, f"over {cut} of {len(events)} events: {cause}")
    return Finding(
        "restores", True, f"the same decisions over its record, cut at {len(CUTS)} places"
    )
