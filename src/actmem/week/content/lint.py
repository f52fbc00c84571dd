"""The lint of the content: every rule that a program can test, one function a rule.

Each rule yields what is wrong, and ``lint`` puts the place before it: ``domain/frame``,
``routines/routine``, ``phrases/kind`` or ``bank``. What no program can test, whether a cue entails
its condition and reads as a person would write it, is the readers' work.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from statistics import fmean

from actmem.week.content.lint_shapes import (
    CLOCK_READING,
    DAYPART,
    SHAPES,
    TIES,
    idle,
    phrase_kind,
    tied,
    tried_out,
    wrong_slots,
)
from actmem.week.content.schema import CHANNELS, VALUE_CHANNELS, Domain, Frame
from actmem.week.content.shared import Phrases, Routine, Routines, phrases, routines
from actmem.week.content.times import read
from actmem.week.content.words import content_words

LEAST = {"actions": 3, "announce": 3, "when": 2, "cues": 4, "near": 2}
"""Fewest lines that a frame may have of each kind."""
LEAST_ROUTINE = {"actions": 3, "announce": 3, "cues": 14, "near": 8}
"""Fewest lines that a routine may have: two weeks of cues, and a near miss for every day."""
LEAST_TOTALS = {"domains": 12, "frames": 240, "fillers": 600, "options": 300}
"""Fewest of each in the whole bank."""
LEAST_CHANNEL = 8
"""Fewest frames on each channel."""
LEAST_ROUTINES, LEAST_CLOCK_ACTIONS, LEAST_CLOCK_SHAPES = 9, 18, 8
SHARED_WORDS = 1
"""Most content words that a cue may share with any wording of its condition."""
SCENE_WORDS, ANNOUNCEMENT_WORDS = 30, 40
"""Most words of a scene, message or filler, and of an announcement."""
DAY_BEGIN, DAY_END, LEAST_HOURS = 7 * 60, 22 * 60, 90
"""First and last minute of a day's steps; fewest minutes in which a routine's cue can fall."""

Told = Frame | Routine
"""What is announced with an action and has cues and near misses."""


def lint(
    domains: Iterable[Domain], standing: Routines | None = None, shapes: Phrases | None = None
) -> list[str]:
    """Return every finding in the content; an empty list means that it holds.

    ``standing`` and ``shapes`` are the routines and phrases, None for those that come with ActMem.
    """
    domains, standing, shapes = tuple(domains), standing or routines(), shapes or phrases()
    placed: list[tuple[str, Iterator[str]]] = [
        (f"{domain.domain}/{frame.id}", rule(frame))
        for domain in domains
        for frame in domain.frames
        for rule in FRAME_RULES
    ]
    placed += [(domain.domain, surroundings(domain)) for domain in domains]
    placed += [
        (f"routines/{routine.id}", rule(routine))
        for routine in standing.narrative
        for rule in ROUTINE_RULES
    ]
    placed.append(("routines/clock", clock_routines(standing)))
    placed += [(f"phrases/{kind}", phrase_kind(shapes, kind)) for kind in SHAPES]
    placed.append(("phrases/idle", idle(shapes)))
    placed.append(("bank", totals(domains)))
    placed.append(("bank", duplicates(domains, standing, shapes)))
    placed.append(("bank", alike(domains, standing)))
    return [f"{place}: {message}" for place, messages in placed for message in messages]


def counts(part: Told) -> Iterator[str]:
    """Every kind of line is there in the least number."""
    for kind, least in (LEAST if isinstance(part, Frame) else LEAST_ROUTINE).items():
        if kind == "near" and isinstance(part, Frame) and part.channel in VALUE_CHANNELS:
            least = 0
        if len(getattr(part, kind)) < least:
            yield f"{kind} has {len(getattr(part, kind))} lines, at least {least} are needed"
    if not part.why:
        yield "why must not be empty"


def whole(frame: Frame) -> Iterator[str]:
    """A frame has a topic, and value frames have thresholds and no near misses."""
    if (frame.channel in VALUE_CHANNELS) != bool(frame.op and frame.thresholds):
        yield "op and thresholds belong to price_tracker and bank_balance, and only there"
    if frame.channel in VALUE_CHANNELS and frame.near:
        yield "near: a value frame has none, its cues serve with another value"
    if not frame.topic:
        yield "topic must not be empty"


def slots(part: Told) -> Iterator[str]:
    """Slots are the ones that the generator fills, where it fills them."""
    value = isinstance(part, Frame) and part.channel in VALUE_CHANNELS
    limit = {"threshold"} if value else set()
    rules = {"announce": {"do"} | limit, "when": limit, "actions": set()}
    for kind in LEAST:
        expected = rules.get(kind, {"value"} if value else set())
        for line in getattr(part, kind, ()):
            yield from wrong_slots(kind, line, expected)


def overlap(part: Told) -> Iterator[str]:
    """A cue shares at most one content word with any wording; actions share none with cues."""
    wordings = (*part.announce, *(part.when if isinstance(part, Frame) else ()))
    for cue in part.cues:
        for wording in wordings:
            shared = content_words(cue) & content_words(wording)
            if len(shared) > SHARED_WORDS:
                yield f"cue {cue!r} shares {sorted(shared)} with {wording!r}"
        for action in part.actions:
            shared = content_words(cue) & content_words(action)
            if shared:
                yield f"cue {cue!r} shares {sorted(shared)} with action {action!r}"


def nearness(part: Told) -> Iterator[str]:
    """Near misses share on average at least as many words with the announcements as cues do."""
    if not (part.cues and part.near and part.announce):
        return
    cues, near = (
        fmean(
            len(content_words(line) & content_words(wording))
            for line in lines
            for wording in part.announce
        )
        for lines in (part.cues, part.near)
    )
    if near < cues:
        yield (
            f"near misses share {near:.2f} content words with an announcement on average, "
            f"cues {cues:.2f}; near misses must be as close"
        )


def readings(part: Told) -> Iterator[str]:
    """No text names a clock time, a part of the day or a weekday; none but a routine's a meal."""
    for kind in LEAST:
        meals = isinstance(part, Routine) and kind in ("announce", "near")
        for line in getattr(part, kind, ()):
            yield from tied(kind, line, (CLOCK_READING, DAYPART) if meals else TIES)


def style(part: Told) -> Iterator[str]:
    """Actions are short imperatives; clauses begin as clauses; sentences end and are not long."""
    for action in part.actions:
        yield from action_style(action)
    for clause in part.when if isinstance(part, Frame) else ():
        if (
            not re.match(r"(when|once|as soon as|the moment|after|if) ", clause)
            or clause[-1] in ".!"
        ):
            yield f"when: a clause that begins with when, once, as soon as …: {clause!r}"
    most = {"announce": ANNOUNCEMENT_WORDS, "cues": SCENE_WORDS, "near": SCENE_WORDS}
    for kind, words in most.items():
        for line in getattr(part, kind):
            if line[-1] not in ".!?\"'":
                yield f"{kind}: no full stop at the end: {line!r}"
            if len(line.split()) > words:
                yield f"{kind}: {len(line.split())} words, at most {words}: {line!r}"


def action_style(action: str) -> Iterator[str]:
    """An action is an imperative that names neither condition nor time."""
    if not (action[0].isupper() and action.endswith(".") and 2 <= len(action.split()) <= 7):
        yield f"actions: an imperative of 2 to 7 words with a full stop: {action!r}"
    if re.search(r"\b(when|once|after|before|if|until|at)\b", action, re.IGNORECASE):
        yield f"actions: names a condition: {action!r}"


def hours(routine: Routine) -> Iterator[str]:
    """A routine's cue can fall in a stretch of the day that is long enough to be no fixed step."""
    found = (*read(routine.earliest), *read(routine.latest))
    if len(found) != 2 or found[1] - found[0] < LEAST_HOURS:
        yield (
            f"earliest {routine.earliest!r} and latest {routine.latest!r} must be two times, "
            f"{LEAST_HOURS} minutes or more apart"
        )
    elif found[0] < DAY_BEGIN or found[1] > DAY_END:
        yield f"{routine.earliest} to {routine.latest} reaches beyond a day's steps"


FRAME_RULES: tuple[Callable[[Frame], Iterator[str]], ...] = (
    counts, whole, slots, overlap, nearness, readings, style,
)  # fmt: skip
ROUTINE_RULES: tuple[Callable[[Routine], Iterator[str]], ...] = (
    counts, slots, overlap, nearness, readings, style, hours,
)  # fmt: skip


def surroundings(domain: Domain) -> Iterator[str]:
    """Fillers and options name no time, fillers are short, and options come in threes."""
    for line in domain.fillers:
        yield from tied("fillers", line)
        yield from wrong_slots("fillers", line, ())
        if len(line.split()) > SCENE_WORDS:
            yield f"fillers: {len(line.split())} words, at most {SCENE_WORDS}: {line!r}"
    for line in domain.options:
        if len({part.strip() for part in line.split("|")}) != 3:
            yield f"options: three different texts separated by '|': {line!r}"


def clock_routines(standing: Routines) -> Iterator[str]:
    """There are routines enough, and clock actions and their announcements are whole."""
    for kind, number, least in (
        ("narrative", len(standing.narrative), LEAST_ROUTINES),
        ("clock_actions", len(standing.clock_actions), LEAST_CLOCK_ACTIONS),
        ("clock_announce", len(standing.clock_announce), LEAST_CLOCK_SHAPES),
    ):
        if number < least:
            yield f"{kind} has {number} entries, at least {least} are needed"
    for action in standing.clock_actions:
        yield from action_style(action)
        yield from tied("clock_actions", action)
    for line in standing.clock_announce:
        yield from tied("clock_announce", line)
        yield from tried_out("clock_announce", line, frozenset({"do", "time"}))


def totals(domains: tuple[Domain, ...]) -> Iterator[str]:
    """The whole bank is large enough, on every channel."""
    found = {
        "domains": len(domains),
        "frames": sum(len(domain.frames) for domain in domains),
        "fillers": sum(len(domain.fillers) for domain in domains),
        "options": sum(len(domain.options) for domain in domains),
    }
    for kind, least in LEAST_TOTALS.items():
        if found[kind] < least:
            yield f"{found[kind]} {kind}, at least {least} are needed"
    on: Counter[str | None] = Counter(
        frame.channel for domain in domains for frame in domain.frames
    )
    for channel in CHANNELS:
        if on[channel] < LEAST_CHANNEL:
            yield f"{on[channel]} frames on {channel}, at least {LEAST_CHANNEL} are needed"


def duplicates(domains: tuple[Domain, ...], standing: Routines, shapes: Phrases) -> Iterator[str]:
    """No id and no text stands twice, and no two frames of a domain share a topic."""
    ids = Counter(frame.id for domain in domains for frame in domain.frames)
    ids.update(routine.id for routine in standing.narrative)
    texts: Counter[str] = Counter()
    for domain in domains:
        texts.update(line.casefold() for line in (*domain.fillers, *domain.options))
    parts: list[Told] = [frame for domain in domains for frame in domain.frames]
    for part in [*parts, *standing.narrative]:
        for kind in LEAST:
            texts.update(line.casefold() for line in getattr(part, kind, ()))
    texts.update(line.casefold() for line in standing.clock_actions)
    for kind in SHAPES:
        texts.update(line.casefold() for line in getattr(shapes, kind))
    texts.update(line.casefold() for line in standing.clock_announce)
    for name, count in (*ids.items(), *texts.items()):
        if count > 1:
            yield f"{name!r} stands {count} times"
    for domain in domains:
        for one, two in combinations(domain.frames, 2):
            if one.topic.casefold() == two.topic.casefold():
                yield f"{domain.domain}: {one.id} and {two.id} share the topic {one.topic!r}"


def alike(domains: tuple[Domain, ...], standing: Routines) -> Iterator[str]:
    """No two actions say the same in almost the same words."""
    places = [
        (f"{d.domain}/{f.id}", action) for d in domains for f in d.frames for action in f.actions
    ]
    places += [(f"routines/{r.id}", action) for r in standing.narrative for action in r.actions]
    places += [("routines/clock", action) for action in standing.clock_actions]
    by_words: dict[frozenset[str], list[tuple[str, str]]] = {}
    for place, action in places:
        by_words.setdefault(content_words(action), []).append((place, action))
    for group in by_words.values():
        for (one, first), (two, second) in combinations(group, 2):
            if first.casefold() != second.casefold():
                yield f"{one} and {two} have actions that are alike: {first!r}, {second!r}"
