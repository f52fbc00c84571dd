"""From conditions to words: times, counts, intentions, and the first prompt."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from actmem.hashing import digest
from actmem.trials.bank import frame, world_bank
from actmem.trials.draw import Draw
from actmem.trials.worlds.outcome import clock

if TYPE_CHECKING:
    from actmem.trials.trial import Trial

UNIT = {"shopping": "clock", "scheduling": "clock", "navigation": "moves", "memory_game": "rounds"}
"""What a world measures time in; the key of its phrases in ``phrases/wording.toml``."""


def brief(trial: Trial, *, intention: bool = True) -> str:
    """Return the first prompt of ``trial``; the only place where its intention stands."""
    phrases = frame()["brief"]
    rules = world_bank(trial.world).brief.text.strip()
    text: str = phrases["frame"].format(world=rules, steps=trial.steps).strip()
    if intention:
        text += "\n" + phrases["intention"].format(intention=trial.intention).rstrip()
    return text


def reply_form() -> str:
    """Return the sentence that says how to answer with a bare call."""
    return str(frame()["brief"]["reply"])


@cache
def brief_digest() -> str:
    """Return the SHA-256 of the wording of all first prompts, without their intentions' text."""
    shown = {name: frame()["brief"][name] for name in ("frame", "intention")}
    return digest(shown | {world: world_bank(world).brief.text for world in UNIT})


def number(n: int) -> str:
    """Return ``n`` (0 to 59) in words."""
    numbers = frame()["numbers"]
    if n < 20:
        return str(numbers["ones"][n])
    ten, one = divmod(n, 10)
    word = str(numbers["tens"][ten])
    return word if one == 0 else f"{word}-{numbers['ones'][one]}"


def clock_words(minute: int) -> str:
    """Return a time of day in words, such as "a quarter past seven in the evening"."""
    hour, rest = divmod(minute, 60)
    part = "at night" if hour < 5 else "in the morning" if hour < 12 else "in the afternoon"
    if hour >= 18:
        part = "in the evening"
    this, following = number(hour % 12 or 12), number((hour + 1) % 12 or 12)
    if rest == 0:
        words = f"{this} o'clock"
    elif rest in (15, 30):
        words = f"{'a quarter' if rest == 15 else 'half'} past {this}"
    elif rest == 45:
        words = f"a quarter to {following}"
    else:
        gap, word, base = (rest, "past", this) if rest < 30 else (60 - rest, "to", following)
        words = f"{number(gap)} minute{'s' if gap > 1 else ''} {word} {base}"
    return f"{words} {part}"


def count_words(n: int, draw: Draw) -> str:
    """Return a count in words, plain or as a small sum."""
    riddles = frame()["numbers"]["riddles"].get(str(n), [])
    return str(draw.pick([number(n), *riddles]))


def at_phrase(unit: str, specificity: str, at: int, start: int, draw: Draw) -> str:
    """Return the phrase for "at this time", to be followed or preceded by the action."""
    phrases = frame()[unit]
    template = str(draw.pick(phrases[specificity]))
    if unit != "clock":
        if at == 1:
            template = str(phrases[specificity][0])  # the wording that needs no plural
        words = number(at) if specificity == "category" else count_words(at, draw)
        return template.format(n=at, words=words)
    quarter = phrases["quarter"].get(str(at % 60), "")
    span = f"{at - start} minutes" if at - start >= 60 else f"{number(at - start)} minutes"
    return template.format(time=clock(at), words=clock_words(at), quarter=quarter, span=span)


def bound_phrase(unit: str, side: str, specificity: str, bound: int, draw: Draw) -> str:
    """Return the phrase for "before" or "after" (``side``) the time ``bound``."""
    style = "exact" if specificity == "exact" else "paraphrase"
    template = str(frame()[unit][side][style])
    if unit == "clock":
        return template.format(time=clock(bound), words=clock_words(bound))
    return template.format(n=bound, words=count_words(bound, draw))


def sentence(template: str, **parts: str) -> str:
    """Fill ``template``; a part's name with a capital gives the part with one."""
    named: dict[str, Any] = dict(parts)
    named.update({name.capitalize(): capital(text) for name, text in parts.items()})
    return template.format(**named)


def capital(text: str) -> str:
    """Return ``text`` with its first letter in upper case."""
    return text[:1].upper() + text[1:]
