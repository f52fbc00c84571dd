"""What a reader without a model makes of a sentence: actions, days, conditions, changes.

Everything here is English of instructions in general: connectives, ways to call something off, to
move it, to make it depend on something else, words for what is unfinished. Nothing is said of what
weeks are about: no place, thing, person or scene stands here, only the names of channels and of days.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from actmem.week.content.times import read
from actmem.week.content.words import content_words, stem

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_QUOTED = re.compile(r'"([^"]+)"|\u201c([^\u201d]+)\u201d')
_SENTENCE = re.compile(
    r"(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<=[.!?])\s+(?=[\"\u201c]?[A-Z0-9])"
)
_DAY = re.compile(rf"\b({'|'.join(WEEKDAYS)})\b")
_RANGE = re.compile(
    rf"\b(?:from |starting on |between |)(today|{'|'.join(WEEKDAYS)})\b.{{0,16}}?"
    rf"\b(?:to|until|till|through|and) ({'|'.join(WEEKDAYS)})\b"
)
_DAILY = re.compile(
    r"\b(?:every|each) (?:single )?(?:day|morning|noon|afternoon|evening|night)\b|\bdaily\b"
    r"|\ball week\b|\bday (?:after|by|in) day\b|\ball (?:seven )?days\b"
    r"|\bonce a day\b|\bthis week\b|\bdays (?:running|in a row)\b|\bno day without\b"
    r"|\bwhatever (?:else )?a day\b"
)
_CONNECTIVE = re.compile(
    r"\b(?:when(?:ever)?|once|as soon as|the moment|if|after(?! all)|until|in case|provided)\b"
)
_AWAITED = re.compile(r"\b(?:watch(?:ing)?|wait(?:ing)?|look(?:ing)?)(?: out)? for (.+?) before\b")
_CANCEL = re.compile(
    r"\bcancel|\bcall(?:ed)? off\b|\b(?:is|are|was) off\b|\bno need\b|\bno longer\b"
    r"|\bnot? (?:need|have|want|happen|require|necessary)|\bany (?:more|longer)\b|\banymore\b"
    r"|\bforget\b|\bskip\b|\bdrop (?:it|this|that)\b|\b(?:leave|let) (?:it|that) ?(?:be|alone)?\b"
    r"|\bcross(?:ed)? (?:it|this|that|out|off)\b|\bwithdrawn\b"
    r"|\btaken care of\b|\bnever mind\b|\bafter all\b"
    r"|\bsettled\b|\bscrapped\b|\bdon't (?:bother|worry|need)\b"
    r"|\b(?:do|need) not (?:bother|worry|need)\b|\bunnecessary\b"
)
_CHANGE = re.compile(
    r"\binstead\b|\brather than\b|\bnew\b|\bnow\b|\bchang\w+|\bmov\w+|\bshift\w*|\bupdat\w+"
    r"|\baltered\b|\bcorrect\w*|\bnot (?:as|at|on)\b|\bonly\b|\bput (?:off|to|back|forward)\b"
    r"|\bpostponed?\b|\breschedul\w+|\bbrought forward\b|\bput\w*\b|\bno longer\b"
    r"|\bagain\b"
)
_INTENDED = re.compile(
    r"\byou (?:were|had|have|meant|are) (?:\w+ ){0,2}(?:to do|planned|going|waiting|down|meant)\b"
    r"|\bwhat you\b|\bwhatever you\b|\bstop (?:watch|wait)ing\b"
    r"|\byour (?:plan|task|job|errand)\b"
)
_BACK = re.compile(r"\b(?:that|this|it|order|first|before|otherwise|try)\b")
_NEEDS = re.compile(
    r"\b(?:first|before|unless|depends?|order|otherwise|already|managed|wait for|only if"
    r"|done)\b"
)
_BOUND = re.compile(
    r"\b(under|below|less than|beneath|cheaper than|over|above|more than|exceeds?|at least"
    r"|at most|reach(?:es|ed)?)\s+(?:the\s+)?(?:[$\u00a3\u20ac])?(\d[\d,]*(?:\.\d+)?)"
)
_AMOUNT = re.compile(r"[$\u00a3\u20ac]\s?(\d[\d,]*(?:\.\d+)?)")
_UNFINISHED = re.compile(
    r"\b(?:not?|never|nothing|nobody|none|without|cannot|yet|still|until|unless|wait\w*|pending"
    r"|being|soon|later|tomorrow|next|before|but|only|almost|nearly|remain\w*|another|other"
    r"|instead|so far|ahead|to come|about to|in progress|queue|second|third|fourth|fifth|lack\w*"
    r"|missing|refus\w+|delay\w*|postpon\w+|will|would|may|might|could|should|if|asks?|wants?"
    r"|half|stays?|except|rejected|unable|far from|expect\w*|suspect\w*)\b|n't\b"
)
_HEDGED = re.compile(
    r"\b(?:may|might|could|would|perhaps|maybe|probably|later|soon|suspect\w*|expect\w*|hop(?:e|es|ed|ing)"
    r"|supposed)\b"
)
_AT_END = re.compile(r"\b(?:at|with|during|after|before) (?:the )?([a-z]+)\.?$")
META = frozenset(
    stem(word)
    for word in (
        "watch wait cue sign signal earlier instead plan change agreed told remember note list "
        "notice reminder reach instruction condition given arrangement altered corrected moment "
        "soon spot happen today tomorrow morning message write written"
    ).split()
)
"""Stems that speak of the instruction itself, not of what it waits for."""


def tokens(text: str) -> list[str]:
    """Return the lower-case words and numbers of a text, in order."""
    return _TOKEN.findall(text.lower().replace("\u2019", "'"))


def passages(text: str) -> list[list[str]]:
    """Split a vignette into passages: each quotation, and each sentence outside quotations.

    A passage is a list of sentences.
    """
    found: list[list[str]] = []
    rest = 0
    for quote in _QUOTED.finditer(text):
        found += [[part] for part in sentences(text[rest : quote.start()])]
        found.append(sentences(quote[1] or quote[2]))
        rest = quote.end()
    return found + [[part] for part in sentences(text[rest:])]


def sentences(text: str) -> list[str]:
    """Split a text into sentences, bullets removed."""
    return [
        part
        for part in _SENTENCE.split(text.strip().removeprefix("- "))
        if _TOKEN.search(part.lower())
    ]


class Days(NamedTuple):
    """For which days of the week a text is meant."""

    named: frozenset[str]
    """Lower-case weekday names; empty where the text names none."""
    daily: bool


def days_of(text: str, today: str) -> Days:
    """Return the days that a text names: ranges with exceptions, lists, or every day."""
    lower = text.lower()
    named = frozenset(_DAY.findall(lower))
    span = _RANGE.search(lower)
    if span is None:
        return Days(named, bool(_DAILY.search(lower)) and not named)
    start = today if span[1] == "today" else span[1]
    if start not in WEEKDAYS:
        return Days(named, daily=False)
    first, last = WEEKDAYS.index(start), WEEKDAYS.index(span[2])
    exceptions = named - {start, span[2]}
    return Days(frozenset(WEEKDAYS[first : last + 1]) - exceptions, daily=False)


@lru_cache(maxsize=4096)
def _stems(text: str) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    lower = text.lower().replace("\u2019", "'")
    found = list(_TOKEN.finditer(lower))
    return tuple(stem(m[0]) for m in found), tuple(m.span() for m in found)


@lru_cache(maxsize=65536)
def mention(sentence: str, action: str) -> tuple[int, int] | None:
    """Return where a sentence speaks of an action, as a span of characters; None where nowhere.

    The action's words stand there in their order, inflected or not ("paying the dues"), or at
    least all its content words do, close together.
    """
    words, spans = _stems(sentence)
    wanted, _ = _stems(action)
    size = len(wanted)
    if not size:
        return None
    for start in range(len(words) - size + 1):
        if words[start : start + size] == wanted:
            return spans[start][0], spans[start + size - 1][1]
    content = content_words(action)
    here = [index for index, word in enumerate(words) if word in content]
    shared = {words[index] for index in here}
    if len(shared) < max(2, len(content)) or spans[here[-1]][1] - spans[here[0]][0] > 3 * len(
        action
    ):
        return None
    return spans[here[0]][0], spans[here[-1]][1]


def mentions(sentence: str, actions: Sequence[str]) -> list[tuple[str, tuple[int, int]]]:
    """Return the actions that a sentence speaks of, in its order; of overlapping ones the longest."""
    found = [(action, span) for action in actions if (span := mention(sentence, action))]
    found.sort(key=lambda item: (item[1][0] - item[1][1], item[0]))
    kept: list[tuple[str, tuple[int, int]]] = []
    for action, span in found:
        if all(span[1] <= other[0] or other[1] <= span[0] for _, other in kept):
            kept.append((action, span))
    return sorted(kept, key=lambda item: item[1])


class Bound(NamedTuple):
    """A threshold: ``below`` says on which side a number meets it."""

    below: bool
    number: float

    def met(self, amount: float) -> bool:
        """Say whether an amount is past the threshold."""
        return amount < self.number if self.below else amount > self.number


class Trigger(NamedTuple):
    """When an action is to be done, as far as patterns can tell."""

    at: int | None = None
    """Minute of the day."""
    window: tuple[int, int] | None = None
    """First and last minute of the day."""
    bound: Bound | None = None
    words: frozenset[str] = frozenset()
    """Stems of the condition."""

    def __bool__(self) -> bool:
        return self != Trigger()


def trigger_of(rest: str, without: int | None = None, clause: bool = False) -> Trigger:
    """Read the condition in what a sentence says beside its action.

    ``without`` is a time that no longer holds; ``clause`` narrows the words to what follows the
    last connective, for sentences that speak of the old condition too.
    """
    times = [minute for minute in read(rest) if minute != without]
    if len(times) >= 2:
        return Trigger(window=(min(times[:2]), max(times[:2])))
    if times:
        return Trigger(at=times[0])
    lower = rest.lower()
    if clause:
        lower = condition_clause(lower) or lower
    words = content_words(lower) - META
    if len(words) < 2:
        words |= frozenset(stem(w) for w in tokens(condition_clause(lower) or lower)) - _BARE - META
    bound = _BOUND.search(lower)
    if bound is None:
        return Trigger(words=words)
    below = bound[1] in ("under", "below", "less than", "beneath", "cheaper than", "at most")
    return Trigger(bound=Bound(below, float(bound[2].replace(",", ""))), words=words)


_BARE = frozenset(
    stem(word)
    for word in (
        "a an the is are was be been it its you your he she they we i to of and or so then that "
        "this when whenever once as soon if after until while has have had do does"
    ).split()
)


def condition_clause(text: str) -> str | None:
    """Return what a sentence waits for: after its last connective, or before "before"."""
    awaited = _AWAITED.search(text.lower())
    if awaited:
        return awaited[1]
    last = None
    for last in _CONNECTIVE.finditer(text.lower()):  # noqa: B007  (the last one counts)
        pass
    return text[last.end() :] if last else None


def own_trigger(action: str) -> Trigger:
    """Read the condition that an action's own text names: a time, or what it is done with."""
    times = read(action)
    if times:
        return Trigger(at=times[0])
    ending = _AT_END.search(action.lower())
    return Trigger(words=frozenset({stem(ending[1])})) if ending else Trigger()


def calls_off(text: str) -> bool:
    """Say whether a sentence calls something off."""
    return bool(_CANCEL.search(text.lower()))


def changes(text: str) -> bool:
    """Say whether a sentence changes something that was said before."""
    return bool(_CHANGE.search(text.lower()) or _AWAITED.search(text.lower()))


def speaks_of_plans(text: str) -> bool:
    """Say whether a sentence speaks of what the reader had meant to do."""
    return bool(_INTENDED.search(text.lower()))


def orders(text: str) -> bool:
    """Say whether a sentence makes an action depend on another one."""
    lower = text.lower()
    return bool(_BACK.search(lower) and _NEEDS.search(lower))


def unfinished(text: str) -> bool:
    """Say whether a text speaks of what is not, not yet or only perhaps the case."""
    return bool(_UNFINISHED.search(text.lower()))


def hedged(text: str) -> bool:
    """Say whether a text speaks of what may come."""
    return bool(_HEDGED.search(text.lower()))


def amounts(text: str) -> list[float]:
    """Return the sums of money in a text."""
    return [float(number.replace(",", "")) for number in _AMOUNT.findall(text)]


CHANNEL_WORDS = {
    "email": "mail inbox",
    "price": "cost cheap",
    "bank": "account funds",
    "shipment": "deliver delivery parcel",
    "laundry": "wash washing",
}
"""Everyday words for what a channel's name says."""


def channels_of(text: str, channels: Sequence[str]) -> list[str]:
    """Return the channels that a text names best, by the words of channel names; [] for none.

    A word that several channel names share ("portal", "status") counts half.
    """
    words = {stem(word) for word in tokens(text)}
    names = {
        channel: frozenset(
            stem(word)
            for part in channel.split("_")
            for word in (part, *CHANNEL_WORDS.get(part, "").split())
        )
        for channel in channels
    }
    values = {
        channel: sum(
            1.0 if sum(word in other for other in names.values()) == 1 else 0.5
            for word in sorted(words & name)
        )
        for channel, name in names.items()
    }
    most = max(values.values(), default=0.0)
    return [channel for channel, value in values.items() if most and value == most]
