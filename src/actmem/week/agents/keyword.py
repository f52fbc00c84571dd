"""The honest adversary: plays a week by patterns alone, without a model.

It reads what a participant reads, polls the clock and every channel at each step, and acts when the
clock shows the time, when a message or a scene shares words with a condition, or when a number
passes a threshold. A menu drops what was done on time, so the agent also learns which kinds of
evidence to trust. What it scores can be had without understanding.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from actmem.week.agents import patterns
from actmem.week.agents.diary import Diary, Plan
from actmem.week.content.words import content_words, stem
from actmem.week.world import MAX_HANDLES, MAX_QUERIES, NO_UPDATES, Act, Observation, Query

_CLOCK = re.compile(r"\b(\d{1,2}):(\d{2})\b")
_REPLY = re.compile(r"^State \[[^\]]*\]: ?")


class Evidence(NamedTuple):
    """Something that happened at this step."""

    source: str
    """Channel name; empty for the narrative."""
    text: str


class Claim(NamedTuple):
    """A reason to act now."""

    handle: str
    kind: str
    """The kind of evidence, by which trust is kept."""
    score: float


PRIOR: dict[str, tuple[float, float]] = {}
"""Successes and failures that each kind of evidence starts with."""
NEEDED = 0.35
"""Least trust at which evidence is acted upon; half the Set-F1 that can be hoped for."""


class Keyword:
    """Reads by patterns, polls everything, acts on matching words, times and numbers."""

    def __init__(self) -> None:
        self._diary = Diary()
        self._acted = True
        self._actions: list[str] = []
        self._done: set[str] = set()
        self._tried: dict[str, str] = {}
        self._shown: dict[str, str] = {}
        self._scene: list[str] = []
        self._log: list = []

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
        if observation.first:
            self._actions, self._tried, self._shown = [], {}, {}
            self._done = set()
            self._diary.open_day(observation.day, observation.opening)
        menu = {item.text for item in observation.menu}
        for action, kind in self._tried.items():
            if action not in menu:
                self._done.add(action)
        self._tried = {}
        self._actions += [i.text for i in observation.menu if i.text not in self._actions]
        self._scene = self._diary.read(observation.text, self._actions)

    def _choose(self, observation: Observation) -> tuple[str, ...]:
        now = _now(observation)
        events = self._events(observation)
        plans = self._diary.plans(self._actions)
        chosen = []
        for item in observation.menu:
            plan = plans.get(item.text)
            if plan is None or not (plan.trigger or plan.cancelled):
                plan = Plan(patterns.own_trigger(item.text), item.text)
            if plan.cancelled or (plan.needs and plan.needs not in self._done):
                continue
            t = plan.trigger
            if t.at is not None:
                if t.at == now:
                    chosen.append((item.handle, "time"))
            elif t.window is not None:
                if now is not None and t.window[0] <= now <= t.window[1]:
                    chosen.append((item.handle, "window"))
            elif t:
                for e in events:
                    s = score(plan, item.text, e)
                    self._log.append((item.text, plan, e, s, patterns.unfinished(e.text)))
                    if s >= 0.5 and not patterns.unfinished(e.text):
                        chosen.append((item.handle, "event"))
                        break
        for h, k in chosen:
            self._tried[{i.handle: i.text for i in observation.menu}[h]] = k
        return tuple(h for h, _ in chosen)[:MAX_HANDLES]

    def _events(self, observation: Observation) -> list[Evidence]:
        events = [Evidence("", text) for text in self._scene]
        for reply in observation.replies:
            text = _REPLY.sub("", reply.text)
            if reply.channel == "clock" or text == NO_UPDATES:
                continue
            before = self._shown.get(reply.channel)
            self._shown[reply.channel] = text
            if text != before:
                events += [Evidence(reply.channel, part) for part in text.split(" | ")]
        return events


def _now(observation: Observation) -> int | None:
    texts = [observation.time or ""]
    texts += [_REPLY.sub("", r.text) for r in observation.replies if r.channel == "clock"]
    for text in texts:
        if found := _CLOCK.search(text):
            return 60 * int(found[1]) + int(found[2])
    return None


def score(plan: Plan, action: str, event: Evidence) -> float:
    """Return how much of a condition's words an event holds, from 0 to about 1."""
    trigger = plan.trigger
    if trigger.bound is not None:
        sums = patterns.amounts(event.text)
        return 1.0 if event.source and any(trigger.bound.met(s) for s in sums) else 0.0
    label, colon, body = event.text.partition(":")
    if not colon or len(label) > 30:
        label, body = "", event.text
    strong = content_words(body) | {stem(w) for w in patterns.tokens(body)}
    weak = content_words(label) - strong
    total = shared = 0.0
    for word in trigger.words:
        weight = 0.3 if word in weak else 1.0
        total += weight
        if word in weak or word in strong:
            shared += weight
    if not total:
        return 0.0
    if shared:
        shared += 0.5 * len(content_words(action) & strong - trigger.words)
    if event.source and shared > 0.3:
        names = {stem(w) for w in event.source.split("_")}
        if names & (trigger.words | content_words(action)):
            shared += 0.25 * total
    return shared / total
