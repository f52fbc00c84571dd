"""The honest adversary: plays a week by patterns alone, without a model.

It reads what a participant reads, polls the clock and every channel at each step, and acts when the
clock shows the time, when a number passes a threshold, and when a message or a scene is of a kind
that can be trusted to be a cue. What it scores can be had without understanding.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from actmem.week.agents import patterns
from actmem.week.agents.diary import Diary, Plan
from actmem.week.agents.patterns import Trigger
from actmem.week.agents.trust import NEEDED, Trust
from actmem.week.content.words import content_words, stem
from actmem.week.world import MAX_HANDLES, MAX_QUERIES, NO_UPDATES, Act, Observation, Query

CLOCK = "clock"
STRONG = 0.5
"""Share of a condition's words from which an event speaks of the condition outright."""
LATE = 20 * 60 + 30
"""From this minute on a day is about to end."""

_TIME = re.compile(r"\b(\d{1,2}):(\d{2})\b")
_REPLY = re.compile(r"^State \[[^\]]*\]: ?")


class Event(NamedTuple):
    """Something that an agent sees happen at a step."""

    source: str
    """Channel name; empty for a sentence of the narrative."""
    text: str


class Claim(NamedTuple):
    """A reason to act now."""

    trust: float
    share: float
    action: str
    kind: str
    """The kind of evidence."""
    event: Event | None
    """What would be the cue; None where the clock or a number says it."""


class Keyword:
    """Reads by patterns, polls everything, acts on times, numbers and trusted evidence."""

    deterministic = True

    def __init__(self) -> None:
        self._diary = Diary()
        self._trust = Trust()
        self._acted = True
        self._actions: list[str] = []
        self._done: set[str] = set()
        self._tried: dict[str, str] = {}
        self._menu: dict[str, str] = {}
        self._shown: dict[str, str] = {}
        self._idle: dict[str, str] = {}
        self._scene: list[str] = []
        self._echoes: dict[str, tuple[int, frozenset[str]]] = {}

    def decide(self, observation: Observation) -> Query | Act:
        """Read a new step, ask every channel once, then choose."""
        if self._acted:
            self._acted = False
            self._begin(observation)
        elif observation.error is not None:
            self._acted = True
            return Act("A")
        asked = {reply.channel for reply in observation.replies}
        for channel in observation.channels[:MAX_QUERIES]:
            if channel not in asked:
                return Query(channel)
        self._acted = True
        return Act("A", self._choose(observation))

    def _begin(self, observation: Observation) -> None:
        """Learn from the new menu what came of the last act, then read on."""
        menu = {item.text: item.handle for item in observation.menu}
        if observation.first:
            self._actions, self._tried, self._shown = [], {}, {}
            self._echoes, self._done = {}, set()
            self._diary.open_day(observation.day, observation.opening)
        else:
            self._trust.saw_menus(set(self._menu) - set(self._tried), set(menu))
        for action, kind in self._tried.items():
            self._trust.learn(kind, hit=action not in menu)
            if action not in menu:
                self._done.add(action)
        self._tried, self._menu = {}, menu
        self._actions += [text for text in menu if text not in self._actions]
        self._scene = self._diary.read(observation.text, self._actions)

    def _choose(self, observation: Observation) -> tuple[str, ...]:
        """Return the handles of all actions that there is a trusted reason to do now."""
        now = _now(observation)
        events = self._events(observation)
        claims: list[Claim] = []
        waiting: dict[str, Plan] = {}
        for action, plan in self._plans().items():
            if _timely(plan.trigger, now):
                claims.append(Claim(1.0, 1.0, action, "time", None))
            elif plan.trigger.words:
                waiting[action] = plan
        claims += self._settle(self._claims(waiting, events, now))
        self._tried = {claim.action: claim.kind for claim in claims[:MAX_HANDLES]}
        return tuple(self._menu[action] for action in self._tried)

    def _plans(self) -> dict[str, Plan]:
        """Return what is known of each action of the menu that is neither off nor blocked."""
        told = self._diary.plans(self._actions)
        plans = {}
        for action in self._menu:
            plan = told.get(action)
            if plan is None or not (plan.trigger or plan.cancelled):
                plan = Plan(patterns.own_trigger(action), action, own=True)
            if not plan.cancelled and (plan.needs is None or plan.needs in self._done):
                plans[action] = plan
        return plans

    def _events(self, observation: Observation) -> list[Event]:
        """Return what is new at this step: sentences of the scene, messages, changed states."""
        events = [Event("", text) for text in self._scene]
        for reply in observation.replies:
            text = _REPLY.sub("", reply.text)
            if reply.channel == CLOCK or text == NO_UPDATES:
                continue
            if observation.first:
                self._idle.setdefault(reply.channel, text)
            if text != self._shown.get(reply.channel, self._idle.get(reply.channel)):
                events += [Event(reply.channel, part) for part in text.split(" | ")]
            self._shown[reply.channel] = text
        return events

    def _claims(self, plans: dict[str, Plan], events: list[Event], now: int | None) -> list[Claim]:
        """Judge every plan by the step's events.

        An event that speaks outright of one plan is no weak evidence for another.
        """
        shares = {
            (action, event): share_of(plan.trigger.words, action, event)
            for action, plan in plans.items()
            for event in events
        }
        outright = {event for (_, event), share in shares.items() if share >= STRONG}
        found: list[Claim] = []
        for action, plan in plans.items():
            sources = patterns.channels_of(plan.text, list(self._shown))
            bound = plan.trigger.bound
            if bound is not None and sources:
                sums = [
                    amount for name in sources for amount in patterns.amounts(self._shown[name])
                ]
                if any(bound.met(amount) for amount in sums):
                    found.append(Claim(1.0, 1.0, action, "number", None))
                continue
            echoes: list[Event] = []
            for event in events:
                share = shares[action, event]
                at_source = event.source in sources if sources else not event.source
                if share < STRONG and (event in outright or not at_source):
                    continue
                kind = self._kind(action, plan, event, share, now)
                found.append(Claim(self._trust.of(kind), share, action, kind, event))
                if at_source and share >= STRONG:
                    echoes.append(event)
            if echoes:
                self._remember(action, echoes)
        return found

    def _remember(self, action: str, echoes: list[Event]) -> None:
        """Keep in mind what spoke of a condition outright: its words may return in the cue."""
        steps, words = self._echoes.get(action, (0, frozenset()))
        more = frozenset().union(*(content_words(event.text) for event in echoes))
        self._echoes[action] = (steps + 1, words | more)

    def _kind(self, action: str, plan: Plan, event: Event, share: float, now: int | None) -> str:
        """Name the kind of evidence that an event is for a plan.

        Outside of outright evidence a kind tells the source, how close the words are, whether the
        day is nearly over, and at how many steps the condition was spoken of before (2 for more).
        """
        steps, echoed = self._echoes.get(action, (0, frozenset()))
        level = self._level(share, len(content_words(event.text) & echoed))
        unfinished = patterns.unfinished(event.text)
        if plan.own:
            return f"own {level}"
        if level == "strong":
            if patterns.hedged(event.text):
                return "strong hedged"
            return "strong unfinished" if unfinished else "strong"
        source = "routine" if plan.daily else "scene"
        if event.source:
            source = "open message" if unfinished else "message"
        late = "late" if now is not None and now >= LATE else "day"
        return f"{source} {level} {late} {min(steps, 2)}"

    def _level(self, share: float, kin: int) -> str:
        """Say how close an event's words are to a condition and to what spoke of it before."""
        if share >= STRONG:
            return "strong"
        if share:
            return "close weak" if kin > 1 else "weak"
        return ("none", "kin", "close kin")[min(kin, 2)]

    def _settle(self, found: list[Claim]) -> list[Claim]:
        """Keep the best trusted claim of each action.

        An event serves one action; a scene may serve several whose conditions it all speaks of.
        """
        kept: dict[str, Claim] = {}
        used: dict[Event, Claim] = {}
        for claim in sorted(found, key=lambda c: (-c.trust, -c.share, c.action)):
            if claim.action in kept or claim.trust < NEEDED:
                continue
            if claim.event is not None:
                first = used.setdefault(claim.event, claim)
                if first is not claim and not _both(first, claim):
                    continue
            kept[claim.action] = claim
        return list(kept.values())


def _both(first: Claim, claim: Claim) -> bool:
    """Say whether an event that serves the first claim may serve another one too."""
    if claim.event is None or min(first.share, claim.share) < STRONG:
        return False
    return not claim.event.source or claim.share == first.share


def _now(observation: Observation) -> int | None:
    """Return the minute of the day that the clock shows, if it can be seen."""
    texts = [observation.time or ""]
    texts += [_REPLY.sub("", r.text) for r in observation.replies if r.channel == CLOCK]
    for text in texts:
        if found := _TIME.search(text):
            return 60 * int(found[1]) + int(found[2])
    return None


def _timely(trigger: Trigger, now: int | None) -> bool:
    """Say whether the clock makes a plan due."""
    if now is None:
        return False
    window = trigger.window
    return trigger.at == now or (window is not None and window[0] <= now <= window[1])


def share_of(words: frozenset[str], action: str, event: Event) -> float:
    """Return which share of a condition's words an event holds, from 0 to about 1.

    Words of a message's label ("Library notice: …") count less, since all its messages have them.
    Words of the action and the channel's name add to a share that is not 0.
    """
    label, colon, body = event.text.partition(":")
    if not colon or len(label) > 30:
        label, body = "", event.text
    strong = content_words(body) | {stem(word) for word in patterns.tokens(body)}
    weak = content_words(label) - strong
    total = len(words) - 0.7 * len(words & weak)
    shared = len(words & strong) + 0.3 * len(words & weak)
    if not shared:
        return 0.0
    own = content_words(action)
    shared += 0.5 * len((own & strong) - words)
    if shared > 0.3 and {stem(word) for word in event.source.split("_")} & (words | own):
        shared += 0.25 * total
    return shared / total
