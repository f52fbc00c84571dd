"""The lint of phrases: each shape is tried out with what fills its slots.

Also what any line is tested for: that it names no time of its own, and that its slots are right.
Each rule yields what is wrong; ``lint.py`` puts the place before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from actmem.week.content.schema import SNAPSHOT_CHANNELS
from actmem.week.content.shared import Phrases
from actmem.week.content.times import forms, read
from actmem.week.generator.draft import shape

SHAPES: dict[str, tuple[int, frozenset[str]]] = {
    kind: (least, frozenset(names.split()))
    for kind, least, names in (
        ("openings", 12, "list"),
        ("notes", 12, "text"),
        ("timed", 8, "do time"),
        ("window", 8, "do time until"),
        ("cross_day", 8, "day do when"),
        ("dependency", 8, "first"),
        ("recurrence", 8, "do time first last except"),
        ("cancel", 6, "do"),
        ("cancel_topic", 6, "topic"),
        ("cancel_timed", 6, "old"),
        ("cancel_early", 6, "day do"),
        ("override", 6, "do when"),
        ("override_topic", 6, "topic when"),
        ("reschedule", 6, "do time"),
        ("reschedule_timed", 6, "old time"),
        ("reschedule_early", 6, "day do time"),
    )
}
"""For each kind of phrase the fewest shapes, and the slots that each shape has once."""

CLOCK_READING = re.compile(
    r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2} ?[ap]\.?m\b|\bo'clock\b|\b(half|quarter) (past|to)\b"
    r"|\b(noon|midday|midnight)\b",
    re.IGNORECASE,
)
DAYPART = re.compile(
    r"\b(morning|afternoon|evening|night|tonight|lunchtime|dawn|dusk|sunrise|sunset"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|yesterday|tomorrow)s?\b",
    re.IGNORECASE,
)
MEAL = re.compile(r"\b(breakfast|lunch|dinner|supper|meal)s?\b", re.IGNORECASE)
SLOT = re.compile(r"\{([^{}]*)\}")
PRESENT_TIME = re.compile(
    r"\b(it is|it's|(clock|watch) (says|shows|strikes|reads)) (now |already )?\{(time|old|until)\}",
    re.IGNORECASE,
)
CLAUSE_RUNS_ON = re.compile(r"\{when\}(?![.,;:!])|\bonly \{when\}")
BAD_JOIN = re.compile(r'  | [.,;:!?]|[.,;:!?][.,;:!]|^[^A-Z0-9"]|[^.!?"]$')
TIES = (CLOCK_READING, DAYPART, MEAL)

FILLERS: dict[str, str] = {
    "do": "ring Mrs. Olufsen",
    "when": "as soon as the parcel is there, according to the shipment status",
    "topic": "Grandpa Aurel's car",
    "day": "Tuesday",
    "first": "Tuesday",
    "last": "Friday",
    "except": "Thursday",
    "text": "When a parcel locker is free, ring Mrs. Olufsen.",
    "list": "When a parcel locker is free, ring Mrs. Olufsen.",
}
"""What stands for a slot when a shape is tried out; times are tried in all their forms."""
MINUTES = ((9 * 60 + 20, 9 * 60 + 55), (11 * 60 + 35, 12 * 60), (12 * 60 + 5, 16 * 60), (910, 1265))
"""Pairs of times that shapes are tried out with: full hours, quarters, near noon, late."""


def tied(kind: str, line: str, patterns: Iterable[re.Pattern[str]] = TIES) -> Iterator[str]:
    """Yield a finding for each pattern by which ``line`` names a time."""
    for pattern in patterns:
        if found := pattern.search(line):
            yield f"{kind}: {found.group()!r} ties the text to a time: {line!r}"


def wrong_slots(kind: str, line: str, expected: Iterable[str]) -> Iterator[str]:
    """Yield a finding if ``line`` does not hold each expected slot once and no other."""
    if sorted(SLOT.findall(line)) != sorted(expected):
        wanted = ", ".join(sorted("{" + name + "}" for name in expected)) or "no slot"
        yield f"{kind}: expected {wanted} once: {line!r}"


def phrase_kind(shapes: Phrases, kind: str) -> Iterator[str]:
    """A kind of phrase has shapes enough, and each reads well with what fills its slots."""
    least, expected = SHAPES[kind]
    lines = getattr(shapes, kind)
    if len(lines) < least:
        yield f"{kind} has {len(lines)} shapes, at least {least} are needed"
    for line in lines:
        yield from tied(kind, line)
        yield from tried_out(kind, line, expected)
        if CLAUSE_RUNS_ON.search(line):
            yield f"{kind}: {{when}} is a whole clause, with a sign after it and no 'only' before it: {line!r}"
        if PRESENT_TIME.search(line):
            yield f"{kind}: could be read as what the clock shows now: {line!r}"
        if kind == "notes" and not (line.endswith("{text}") or '"{text}"' in line):
            yield f"{kind}: {{text}} stands in quotation marks or at the end: {line!r}"


def tried_out(kind: str, line: str, expected: frozenset[str]) -> Iterator[str]:
    """Fill a shape in every form of some times: signs join well, and the times are read back."""
    wrong = [*wrong_slots(kind, line, expected)]
    yield from wrong
    if wrong:
        return
    seen = set()
    for filled, times in fillings(kind, line, expected):
        if filled.count('"') % 2:
            seen.add(f"{kind}: a quotation that does not end: {filled!r}")
        elif found := BAD_JOIN.search(filled):
            seen.add(f"{kind}: {found.group()!r} where slot and shape join: {filled!r}")
        elif sorted(read(filled)) != sorted(times):
            seen.add(f"{kind}: its times are read as {read(filled)}, not as {times}: {filled!r}")
    yield from sorted(seen)[:1]


def fillings(
    kind: str, line: str, expected: frozenset[str]
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield ``line`` filled, with the minutes that it then names."""
    words: Mapping[str, str] = FILLERS | ({"first": FILLERS["do"]} if kind == "dependency" else {})
    plain = {name: words[name] for name in expected if name in words}
    timed = [name for name in ("old", "time", "until") if name in expected]
    if not timed:
        yield shape(line, **plain), ()
        return
    for pair in MINUTES:
        said = [forms(minute) for minute in pair]
        for number in range(max(len(texts) for texts in said)):
            texts = [texts[number % len(texts)] for texts in said][: len(timed)]
            yield shape(line, **plain, **dict(zip(timed, texts, strict=True))), pair[: len(timed)]


def idle(shapes: Phrases) -> Iterator[str]:
    """Each snapshot channel, and no other, says something before anything has happened."""
    if set(shapes.idle) != set(SNAPSHOT_CHANNELS):
        yield f"idle: one text each for {', '.join(SNAPSHOT_CHANNELS)}"
