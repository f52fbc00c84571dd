"""Does what an agent states with ``intend('…')`` hold its intention? A diagnostic: it moves no verdict.

Lexical, and strict about what can be checked: a statement holds the intention where

- it names every argument of the intended action, or the action where that has none,
- it states each time and number that the intention writes in digits, and no other one but that of
  the condition (18:35, 6:35 pm and 6.35 p.m. are one),
- it names the cue where that has a name of its own (exact wording),
- it says on which side of a time limit, and which time of several, where the intention does,
- it does not begin by denying the act, and
- it names the condition (its time, its cue), or shares half of the words that tell the intention
  from others of its world.

It can still be fooled, by words of the right kind in a wrong order.
"""

from __future__ import annotations

import re

from actmem.trials.bank import world_bank
from actmem.trials.trial import Trial
from actmem.trials.worlds.memory_game import BELLS
from actmem.trials.worlds.outcome import clock

_WORD = re.compile(r"[a-z0-9:]+")
_TIME = re.compile(r"\b(\d{1,2})(?:[:.](\d\d))?\s*([ap])\.?m\b|\b(\d{1,2}):(\d\d)\b|\b(\d+)\b")
_DENIAL = re.compile(r"\W*(?:i (?:will|shall|should|must) )?(?:never|not|do not|don't)\b")
_SIDES = {
    "before": re.compile(r"\b(?:before|until|till|by|below|under|fewer|less|earlier)\b"),
    "after": re.compile(r"\b(?:after|from|since|later|least|onwards?)\b"),
}
_SECOND = re.compile(r"\b(?:second|2nd|twice|again)\b")
_OTHER_TIME = re.compile(r"\b(?:second|2nd|third|3rd|fourth|4th) time\b")
_SMALL = frozenset(
    "a an the to of in on is it its at by and or but if be as do that with for".split()
)  # words without content


def holds_intention(trial: Trial, stated: str) -> bool:
    """Tell whether ``stated`` holds the intention, by the rules above."""
    said, wanted = stated.casefold(), trial.intention.casefold()
    trigger, intended = trial.trigger, trial.intended
    arguments = [] if intended.cue else [str(one).casefold() for one in intended.args]
    values = {
        _moment(trial, v) for v in (trigger.at, trigger.after, trigger.before) if v is not None
    }
    told, due, spans = _numbers(said), _numbers(wanted), _spans(trial)
    names = [name.casefold() for name in trigger.names]
    named = any(_flat(name) in _flat(said) for name in names)
    if not all(argument in said for argument in arguments):
        return False
    if not due <= told or told - due - values - spans - _numbers(" ".join(arguments)):
        return False
    if not _in_time(trial, said):
        return False
    if intended.name == "ring" and any(b in said for b in BELLS if b not in arguments):
        return False
    if names and any(name in wanted for name in names) and not named:
        return False
    if _DENIAL.match(said) or (not arguments and not intended.cue and intended.name not in said):
        return False
    if (values <= told or spans & told) and (named or not names):
        return True
    bank = world_bank(trial.world)
    common = [
        phrase for kind in (bank.action, bank.wording) for part in kind.values() for phrase in part
    ]
    words = _content(wanted) - _content(" ".join([*common, *arguments]).casefold())
    return bool(words) and 2 * len(words & _content(said)) >= len(words)


def _in_time(trial: Trial, said: str) -> bool:
    """Tell whether a statement has the sides of the limits, and which time of several is meant."""
    trigger = trial.trigger
    if trigger.before is not None and not _SIDES["before"].search(said):
        return False
    if trigger.after is not None and not _SIDES["after"].search(said):
        return False
    return bool(_SECOND.search(said)) if trigger.nth == 2 else not _OTHER_TIME.search(said)


def _spans(trial: Trial) -> set[str]:
    """Return other numbers for the time of the condition: minutes from the first clock."""
    start = getattr(trial.setup, "start", None)
    if trial.trigger.at is None or not isinstance(start, int):
        return set()
    return {str(trial.trigger.at - start)}


def _flat(text: str) -> str:
    """Return a text without spaces: a cell is (2, 4) or (2,4)."""
    return text.replace(" ", "")


def _moment(trial: Trial, value: int) -> str:
    """Return a value of the condition as a statement writes it: a time of day, or a count."""
    return clock(value) if trial.world in ("shopping", "scheduling") else str(value)


def _numbers(text: str) -> set[str]:
    """Return the times and numbers of a text, times as ``HH:MM``."""
    found = set()
    for hour, minute, half, whole, part, number in _TIME.findall(text):
        if half:
            found.add(clock((int(hour) % 12 + 12 * (half == "p")) * 60 + int(minute or 0)))
        else:
            found.add(number.lstrip("0") or "0" if number else f"{int(whole):02d}:{part}")
    return found


def _content(text: str) -> set[str]:
    return {word for word in _WORD.findall(text) if word not in _SMALL}
