"""The lint of the content bank: every rule that a program can test, one function a rule.

Each rule yields its findings as ``domain/frame: what is wrong``. What no program can test, whether
a cue entails its condition and reads as a person would write it, is the readers' work.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations

from actmem.week.content.schema import VALUE_CHANNELS, Domain, Frame, Lines
from actmem.week.content.words import content_words

LEAST = {"actions": 3, "announce": 3, "when": 2, "cues": 4, "near": 2}
"""Fewest lines that a frame may have of each kind."""
SHARED_WORDS = 1
"""Most content words that a cue may share with any wording of its condition."""

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


def lint(domains: Iterable[Domain]) -> list[str]:
    """Return every finding in ``domains``; an empty list means that the bank holds."""
    domains = tuple(domains)
    findings = [
        f"{domain.domain}/{frame.id}: {message}"
        for domain in domains
        for frame in domain.frames
        for rule in (counts, slots, overlap, readings, style)
        for message in rule(frame)
    ]
    findings += [f"{d.domain}: {message}" for d in domains for message in surroundings(d)]
    return findings + list(duplicates(domains))


def counts(frame: Frame) -> Iterator[str]:
    """Every kind of line is there in the least number, and value frames are whole."""
    for kind, least in LEAST.items():
        if kind == "near" and frame.channel in VALUE_CHANNELS:
            least = 0
        if len(getattr(frame, kind)) < least:
            yield f"{kind} has {len(getattr(frame, kind))} lines, at least {least} are needed"
    if (frame.channel in VALUE_CHANNELS) != bool(frame.op and frame.thresholds):
        yield "op and thresholds belong to price_tracker and bank_balance, and only there"
    if frame.channel in VALUE_CHANNELS and frame.near:
        yield "near: a value frame has none, its cues serve with another value"
    if not frame.why or not frame.topic:
        yield "why and topic must not be empty"


def slots(frame: Frame) -> Iterator[str]:
    """Slots are the ones that the generator fills, where it fills them."""
    value = frame.channel in VALUE_CHANNELS
    rules: dict[str, tuple[Lines, set[str]]] = {
        "announce": (frame.announce, {"do", "threshold"} if value else {"do"}),
        "when": (frame.when, {"threshold"} if value else set()),
        "cues": (frame.cues, {"value"} if value else set()),
        "near": (frame.near, {"value"} if value else set()),
        "actions": (frame.actions, set()),
    }
    for kind, (lines, expected) in rules.items():
        for line in lines:
            if set(SLOT.findall(line)) != expected or len(SLOT.findall(line)) != len(expected):
                wanted = ", ".join(sorted("{" + name + "}" for name in expected)) or "no slot"
                yield f"{kind}: expected {wanted} once: {line!r}"


def overlap(frame: Frame) -> Iterator[str]:
    """A cue shares at most one content word with any wording; actions share none with cues."""
    for cue in frame.cues:
        for wording in (*frame.announce, *frame.when):
            shared = content_words(cue) & content_words(wording)
            if len(shared) > SHARED_WORDS:
                yield f"cue {cue!r} shares {sorted(shared)} with {wording!r}"
        for action in frame.actions:
            shared = content_words(cue) & content_words(action)
            if shared:
                yield f"cue {cue!r} shares {sorted(shared)} with action {action!r}"


def readings(frame: Frame) -> Iterator[str]:
    """No text of a frame names a clock time, a part of the day, a weekday or a meal."""
    for kind in (*LEAST,):
        for line in getattr(frame, kind):
            for pattern in (CLOCK_READING, DAYPART, MEAL):
                if found := pattern.search(line):
                    yield f"{kind}: {found.group()!r} ties the text to a time: {line!r}"


def style(frame: Frame) -> Iterator[str]:
    """Actions are short imperatives that name neither condition nor time; sentences end."""
    for action in frame.actions:
        if not (action[0].isupper() and action.endswith(".") and 2 <= len(action.split()) <= 7):
            yield f"actions: an imperative of 2 to 7 words with a full stop: {action!r}"
        if re.search(r"\b(when|once|after|before|if|until|at)\b", action, re.IGNORECASE):
            yield f"actions: names a condition: {action!r}"
    for clause in frame.when:
        if (
            not re.match(r"(when|once|as soon as|the moment|after|if) ", clause)
            or clause[-1] in ".!"
        ):
            yield f"when: a clause that begins with when, once, as soon as …: {clause!r}"
    for kind in ("announce", "cues", "near"):
        for line in getattr(frame, kind):
            if line[-1] not in ".!?\"'" or len(line.split()) > 40:
                yield f"{kind}: at most 40 words with a full stop at the end: {line!r}"


def surroundings(domain: Domain) -> Iterator[str]:
    """Fillers and options name no time, and options come in threes."""
    for line in domain.fillers:
        for pattern in (CLOCK_READING, DAYPART, MEAL):
            if found := pattern.search(line):
                yield f"fillers: {found.group()!r} ties the text to a time: {line!r}"
    for line in domain.options:
        if len({part.strip() for part in line.split("|")}) != 3:
            yield f"options: three different texts separated by '|': {line!r}"


def duplicates(domains: tuple[Domain, ...]) -> Iterator[str]:
    """No id and no text stands twice in the bank."""
    ids = Counter(frame.id for domain in domains for frame in domain.frames)
    texts: Counter[str] = Counter()
    for domain in domains:
        texts.update(line.casefold() for line in (*domain.fillers, *domain.options))
        for frame in domain.frames:
            for kind in LEAST:
                texts.update(line.casefold() for line in getattr(frame, kind))
    for name, count in (*ids.items(), *texts.items()):
        if count > 1:
            yield f"bank: {name!r} stands {count} times"
    for domain in domains:
        for one, two in combinations(domain.frames, 2):
            if one.topic.casefold() == two.topic.casefold():
                yield f"{domain.domain}: {one.id} and {two.id} share the topic {one.topic!r}"
