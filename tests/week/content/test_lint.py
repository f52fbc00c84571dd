"""The lint: content that comes with ActMem holds, and each rule finds what is broken."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from actmem.week.content.bank import domains
from actmem.week.content.lint import lint
from actmem.week.content.lint_shapes import SHAPES, phrase_kind
from actmem.week.content.schema import Domain, Frame, Lines
from actmem.week.content.shared import Routine, phrases, routines

TOWN = next(domain for domain in domains() if domain.domain == "town")
LOCKERS = next(frame for frame in TOWN.frames if "locker" in frame.topic)
PRICE = next(frame for frame in TOWN.frames if frame.channel == "price_tracker")
DINNER = next(routine for routine in routines().narrative if routine.id == "dinner")


def with_domain(domain: Domain) -> list[str]:
    """Lint a bank of one domain: what is wrong with the whole bank comes in addition."""
    return lint([domain])


def with_frame(frame: Frame) -> list[str]:
    """Lint the domain of the lockers with one frame changed."""
    frames = tuple(frame if old.id == frame.id else old for old in TOWN.frames)
    return with_domain(replace(TOWN, frames=frames))


def with_routine(routine: Routine) -> list[str]:
    """Lint the shared content with one routine changed."""
    bank = routines()
    narrative = tuple(routine if old.id == routine.id else old for old in bank.narrative)
    return lint([], replace(bank, narrative=narrative))


def with_standing(**fields: object) -> list[str]:
    """Lint one domain and the shared content with fields of the routines changed."""
    return lint([TOWN], replace(routines(), **fields))


def with_phrases(kind: str, lines: Lines) -> list[str]:
    """Lint one kind of phrase, changed."""
    return [*phrase_kind(replace(phrases(), **{kind: lines}), kind)]


def changed(lines: Lines, text: str) -> Lines:
    """Return ``lines`` with ``text`` in place of the last one."""
    return Lines((*lines[:-1], text))


def test_the_content_that_comes_with_actmem_has_no_findings() -> None:
    assert lint(domains()) == []


@pytest.mark.parametrize(
    ("fields", "finding"),
    [
        ({"announce": Lines(LOCKERS.announce[:2])}, "announce has 2 lines, at least 3"),
        ({"cues": Lines(LOCKERS.cues[:3])}, "cues has 3 lines, at least 4"),
        ({"near": Lines(LOCKERS.near[:1])}, "near has 1 lines, at least 2"),
        ({"why": ""}, "why must not be empty"),
        ({"topic": ""}, "topic must not be empty"),
        ({"op": "below", "thresholds": (20,)}, "op and thresholds belong to"),
        ({"announce": changed(LOCKERS.announce, "Do it when a locker is free.")}, "{do} once"),
        ({"when": changed(LOCKERS.when, "when {do} is done")}, "when: expected no slot once"),
        ({"cues": changed(LOCKERS.cues, "A parcel locker is free.")}, "shares ["),
        (
            {"cues": changed(LOCKERS.cues, "The drill hums beside an open compartment.")},
            "shares ['drill'] with action",
        ),
        (
            {
                "near": Lines(
                    ("A swan hisses at the bakery.", "Four bells ring in the cathedral tower.")
                ),
                "cues": changed(LOCKERS.cues, "Somebody lifts a parcel out and leaves a hole."),
            },
            "near misses must be as close",
        ),
        ({"near": changed(LOCKERS.near, "A parcel locker opens at 10:30.")}, "'10:30' ties"),
        ({"near": changed(LOCKERS.near, "A parcel locker opens at dusk.")}, "'dusk' ties"),
        ({"near": changed(LOCKERS.near, "Lunch lies in a parcel locker.")}, "'Lunch' ties"),
        ({"actions": changed(LOCKERS.actions, "Go.")}, "an imperative of 2 to 7 words"),
        ({"actions": changed(LOCKERS.actions, "Whistle when ready.")}, "names a condition"),
        ({"when": changed(LOCKERS.when, "a parcel locker is free")}, "a clause that begins with"),
        ({"near": changed(LOCKERS.near, "All parcel lockers are taken")}, "no full stop"),
        ({"near": changed(LOCKERS.near, "locker " * 30 + "taken.")}, "31 words, at most 30"),
        ({"announce": changed(LOCKERS.announce, "{do} " + "now " * 40 + ".")}, "at most 40"),
    ],
)  # fmt: skip
def test_a_broken_frame_is_found_and_named(fields: Mapping[str, object], finding: str) -> None:
    found = with_frame(replace(LOCKERS, **fields))
    assert any(line.startswith(f"town/{LOCKERS.id}: ") and finding in line for line in found), found


@pytest.mark.parametrize(
    ("fields", "finding"),
    [
        ({"thresholds": ()}, "op and thresholds belong to"),
        ({"near": Lines(("Too dear at ${value}.",))}, "near: a value frame has none"),
        ({"cues": changed(PRICE.cues, "It costs little.")}, "cues: expected {value} once"),
        ({"when": changed(PRICE.when, "when it is cheap")}, "when: expected {threshold} once"),
    ],
)
def test_a_broken_value_frame_is_found(fields: Mapping[str, object], finding: str) -> None:
    found = with_frame(replace(PRICE, **fields))
    assert any(line.startswith(f"town/{PRICE.id}: ") and finding in line for line in found), found


@pytest.mark.parametrize(
    ("fields", "finding"),
    [
        ({"fillers": changed(TOWN.fillers, "The clock strikes at noon.")}, "'noon' ties"),
        ({"fillers": changed(TOWN.fillers, "A {bird} sings.")}, "fillers: expected no slot"),
        ({"fillers": changed(TOWN.fillers, "tick " * 31)}, "31 words, at most 30"),
        ({"options": changed(TOWN.options, "Sit | Stand")}, "three different texts"),
        ({"options": changed(TOWN.options, "Sit | Stand | Sit")}, "three different texts"),
    ],
)
def test_broken_surroundings_are_found(fields: Mapping[str, object], finding: str) -> None:
    found = with_domain(replace(TOWN, **fields))
    assert any(line.startswith("town: ") and finding in line for line in found), found


@pytest.mark.parametrize(
    ("fields", "finding"),
    [
        ({"actions": Lines(DINNER.actions[:2])}, "actions has 2 lines, at least 3"),
        ({"cues": Lines(DINNER.cues[:13])}, "cues has 13 lines, at least 14"),
        ({"near": Lines(DINNER.near[:7])}, "near has 7 lines, at least 8"),
        ({"why": ""}, "why must not be empty"),
        ({"announce": changed(DINNER.announce, "Dinner is the sign.")}, "{do} once"),
        ({"cues": changed(DINNER.cues, "You sit down to dinner.")}, "shares ["),
        ({"cues": changed(DINNER.cues, "You eat like a pill box.")}, "shares ['pill'] with action"),
        ({"cues": changed(DINNER.cues, "In the evening you eat.")}, "'evening' ties"),
        ({"cues": changed(DINNER.cues, "You eat the meal.")}, "'meal' ties"),
        ({"near": changed(DINNER.near, "Dinner costs $20 on Monday.")}, "'Monday' ties"),
        ({"near": Lines(f"Bird number {n} sings." for n in "ABCDEFGH"),
          "cues": changed(DINNER.cues, "Your dinner steams; you eat it.")},
         "near misses must be as close"),
        ({"actions": changed(DINNER.actions, "take the pill")}, "an imperative of 2 to 7 words"),
        ({"near": changed(DINNER.near, "dinner " * 31 + ".")}, "at most 30"),
        ({"earliest": "half five"}, "must be two times"),
        ({"latest": "18:00"}, "90 minutes or more apart"),
        ({"latest": "22:30"}, "reaches beyond a day's steps"),
        ({"earliest": "05:30"}, "reaches beyond a day's steps"),
    ],
)  # fmt: skip
def test_a_broken_routine_is_found(fields: Mapping[str, object], finding: str) -> None:
    found = with_routine(replace(DINNER, **fields))
    assert any(line.startswith("routines/dinner: ") and finding in line for line in found), found


@pytest.mark.parametrize(
    ("fields", "finding"),
    [
        ({"narrative": routines().narrative[:8]}, "narrative has 8 entries, at least 9"),
        ({"clock_actions": Lines(routines().clock_actions[:17])}, "clock_actions has 17 entries"),
        ({"clock_announce": Lines(routines().clock_announce[:7])}, "clock_announce has 7 entries"),
        ({"clock_actions": changed(routines().clock_actions, "Wait at the gate.")},
         "names a condition"),
        ({"clock_actions": changed(routines().clock_actions, "Air the night room.")},
         "'night' ties"),
        ({"clock_announce": changed(routines().clock_announce, "Do it daily at {time}.")},
         "expected {do}, {time} once"),
        ({"clock_announce": changed(routines().clock_announce, "{do} daily at {time} or twenty hundred hours.")},
         "its times are read as"),
    ],
)  # fmt: skip
def test_broken_clock_routines_are_found(fields: Mapping[str, object], finding: str) -> None:
    found = with_standing(**fields)
    assert any(line.startswith("routines/clock: ") and finding in line for line in found), found


@pytest.mark.parametrize("kind", SHAPES)
def test_each_kind_of_phrase_needs_shapes_and_its_slots(kind: str) -> None:
    least, expected = SHAPES[kind]
    lines: Lines = getattr(phrases(), kind)
    few = with_phrases(kind, Lines(lines[: least - 1]))
    assert few == [f"{kind} has {least - 1} shapes, at least {least} are needed"]
    slot = "{" + min(expected) + "}"
    for text in (lines[-1].replace(slot, "this"), f"{lines[-1]} {slot}.", f"{lines[-1]} {{x}}."):
        assert any(" once: " in line for line in with_phrases(kind, changed(lines, text))), text


def test_a_finding_in_the_phrases_is_named_by_its_kind() -> None:
    few = replace(phrases(), window=Lines(phrases().window[:7]))
    assert "phrases/window: window has 7 shapes, at least 8 are needed" in lint([], None, few)


@pytest.mark.parametrize(
    ("kind", "text", "finding"),
    [
        ("timed", "In the evening, at {time}, {do}.", "'evening' ties"),
        ("timed", "Have lunch and {do} at {time}.", "'lunch' ties"),
        ("timed", "{do} at {time}, or 11:20.", "'11:20' ties"),
        ("timed", "{do} at {time}", "where slot and shape join"),
        ("timed", "{do} at {time} .", "where slot and shape join"),
        ("timed", "{do} at {time}..", "where slot and shape join"),
        ("timed", "at {time} , {do}.", "where slot and shape join"),
        ("timed", "Word comes:  {do} at {time}.", "where slot and shape join"),
        ("timed", "(At {time}) {do}.", "where slot and shape join"),
        ("timed", '"{do} at {time}.', "a quotation that does not end"),
        ("timed", "{do} at {time}, or else at 0905 hours.", "its times are read as"),
        ("timed", "When the clock says {time}, {do}.", "what the clock shows now"),
        ("reschedule", "It is {time}, not as planned, that you {do}.", "what the clock shows now"),
        ("override", "{do} only {when}.", "a whole clause"),
        ("override", "Now {do} {when} instead.", "a whole clause"),
        ("notes", "So they say: {text} You nod.", "in quotation marks or at the end"),
    ],
)
def test_a_shape_that_does_not_read_well_is_found(kind: str, text: str, finding: str) -> None:
    found = with_phrases(kind, changed(getattr(phrases(), kind), text))
    assert any(finding in line for line in found), found


def test_each_snapshot_channel_needs_an_idle_text() -> None:
    texts = {name: text for name, text in phrases().idle.items() if name != "laundry_status"}
    found = lint([], None, replace(phrases(), idle=texts))
    assert any(line.startswith("phrases/idle: ") for line in found)


def test_totals_of_the_bank() -> None:
    few = [domain for domain in domains() if domain.domain != "town"][:4]
    found = [line for line in lint(few) if line.startswith("bank: ")]
    for text in ("bank: 4 domains, at least 12", "fillers, at least 600", "options, at least 300"):
        assert any(text in line for line in found), found
    assert any(" frames, at least 240" in line for line in found)
    mute = [
        replace(d, frames=tuple(f for f in d.frames if f.channel != "email")) for d in domains()
    ]
    assert "bank: 0 frames on email, at least 8 are needed" in lint(mute)


def test_no_text_stands_twice_anywhere() -> None:
    twice: list[list[str]] = [
        with_frame(replace(LOCKERS, near=changed(LOCKERS.near, LOCKERS.near[0]))),
        with_domain(replace(TOWN, fillers=changed(TOWN.fillers, TOWN.fillers[0].upper()))),
        with_domain(replace(TOWN, options=changed(TOWN.options, TOWN.options[0]))),
        with_routine(replace(DINNER, cues=changed(DINNER.cues, DINNER.cues[0]))),
        with_standing(clock_actions=changed(routines().clock_actions, LOCKERS.actions[0])),
        lint([], None, replace(phrases(), cancel=changed(phrases().cancel, phrases().cancel[0]))),
        with_frame(replace(LOCKERS, id=PRICE.id)),
    ]
    for found in twice:
        assert any(line.startswith("bank: ") and "stands 2 times" in line for line in found), found
    other = next(frame for frame in TOWN.frames if frame.id not in (LOCKERS.id, PRICE.id))
    found = with_frame(replace(LOCKERS, topic=other.topic.upper()))
    assert any("share the topic" in line and LOCKERS.id in line for line in found)


def test_no_two_actions_are_alike() -> None:
    alike = LOCKERS.actions[0].replace("the ", "a ")
    assert alike != LOCKERS.actions[0]
    found = with_standing(clock_actions=changed(routines().clock_actions, alike))
    assert [line for line in found if "alike" in line] == [
        f"bank: town/{LOCKERS.id} and routines/clock have actions that are alike: "
        f"{LOCKERS.actions[0]!r}, {alike!r}"
    ]
