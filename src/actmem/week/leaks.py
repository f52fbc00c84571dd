"""What weeks give away: the scores of those who do not read, and how alike weeks are.

A week is fair if a careful reader solves it and a pattern does not. This module plays weeks with
the pattern agent and with agents that use structure alone, and asks how well tasks can be told from
lures by presence or wording. Agents that know the truth of one structural fact (which tasks are
timed, at which step routines mostly fall) stand for the best that anyone could learn of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from msgspec.structs import replace

from actmem.errors import IncompleteError
from actmem.week.agents import find_agent
from actmem.week.content.schema import verb_phrase
from actmem.week.content.words import content_words
from actmem.week.obligations import DayPlan, DayState, WeekPlan, prepare
from actmem.week.play import WeekEvent, play
from actmem.week.replay import rows_of
from actmem.week.scenario import Day, Scenario, Step
from actmem.week.score import Row
from actmem.week.world import World


class Leak(NamedTuple):
    """One line of the leak table."""

    name: str
    value: float
    bar: float
    """The value has to be at most this."""


class Item(NamedTuple):
    """One entry of a day's menu."""

    text: str
    task: bool
    entry: int
    """Step at which it enters the menu."""
    presence: int
    """Number of steps at which it stands there if nobody acts."""


Policy = Callable[[DayState, int], list[str]]


def leaks(scenarios: Sequence[Scenario]) -> list[Leak]:
    """Return the leak table of a set of weeks; comparisons of weeks need at least two."""
    plans = [prepare(scenario) for scenario in scenarios]
    rows = [_play_keyword(plan) for plan in plans]
    withheld = [prepare(without_instructions(scenario)) for scenario in scenarios]
    table = [
        Leak("keyword", set_f1(plans, rows), 0.60),
        Leak("keyword, event tasks", set_f1(plans, rows, events_only=True), 0.35),
        Leak("keyword, instructions withheld",
             set_f1(withheld, [_play_keyword(plan) for plan in withheld]), 0.20),
    ]  # fmt: skip
    habits = routine_habits(plans)
    policies: list[tuple[str, Policy]] = [
        ("clock", timed),
        ("clock, fixed step of routines", lambda s, i: timed(s, i) + habitual(s, i, habits)),
        (
            "clock, fixed step, any event on a channel",
            lambda s, i: timed(s, i) + habitual(s, i, habits) + any_event(s, i),
        ),
    ]
    table += [
        Leak(name, set_f1(plans, [play_policy(plan, policy) for plan in plans]), 0.50)
        for name, policy in policies
    ]
    weeks = [[item for day in plan.days for item in menu_items(day)] for plan in plans]
    table += [
        Leak("AUC by steps in the menu", _auc_of(weeks, lambda item: item.presence), 0.60),
        Leak("AUC by step of entry", _auc_of(weeks, lambda item: item.entry), 0.60),
        Leak("AUC by length", _auc_of(weeks, lambda item: len(item.text)), 0.60),
    ]
    if len(scenarios) > 1:
        table += [
            Leak("AUC by first word", learned_auc(weeks, lambda t: [t.split()[0]]), 0.60),
            Leak("AUC by words", learned_auc(weeks, lambda t: sorted(content_words(t))), 0.60),
            Leak("AUC by whole text", learned_auc(weeks, lambda t: [t]), 0.60),
            Leak(
                "action texts shared by two weeks", shared([_actions(s) for s in scenarios]), 0.20
            ),
            Leak("step texts shared by two weeks", shared([_texts(s) for s in scenarios]), 0.06),
        ]
    return table


def without_instructions(scenario: Scenario) -> Scenario:
    """Return the week with announcements, notes and updates taken out of what is read.

    Openings go; in vignettes every sentence goes that names the action of a task of the week, and
    steps with an update lose their whole text. What is due stays as it was.
    """
    phrases = {
        verb_phrase(task.action_text).casefold() for day in scenario.days for task in day.tasks
    }

    def strip(step: Step) -> Step:
        if step.updates:
            return replace(step, text="")
        kept = [
            part for part in _sentences(step.text) if not any(p in part.casefold() for p in phrases)
        ]
        return replace(step, text=" ".join(kept))

    def silence(day: Day) -> Day:
        return replace(day, start_instructions=(), steps=tuple(strip(step) for step in day.steps))

    return replace(scenario, days=tuple(silence(day) for day in scenario.days))


def _sentences(text: str) -> list[str]:
    parts: list[str] = []
    for word in text.split(" "):
        if parts and not parts[-1].endswith((".", "!", "?", '"')):
            parts[-1] += f" {word}"
        else:
            parts.append(word)
    return parts


def _play_keyword(plan: WeekPlan) -> list[Row]:
    events: list[WeekEvent] = []
    footer = play(find_agent("keyword").make(0, plan), World(plan), events.append)
    if footer.status != "complete":
        raise IncompleteError(f"keyword on {plan.scenario.scenario_name}: {footer.error}")
    return rows_of(plan, events)


def set_f1(
    plans: Sequence[WeekPlan], rows: Sequence[Sequence[Row]], *, events_only: bool = False
) -> float:
    """Return pooled Set-F1; with ``events_only`` timed tasks leave both chosen and due sets."""
    true = false = missed = 0
    for plan, played in zip(plans, rows, strict=True):
        position = 0
        for day in plan.days:
            state = DayState(day)
            for step in range(len(day.times)):
                chosen = set(played[position].chosen)
                due_now = state.due(step)
                due = set(due_now)
                state.act(step, played[position].chosen, due_now)
                if events_only:
                    clocked = {
                        n
                        for n, line in day.timelines.items()
                        if line.versions[step].type != "event"
                    }
                    chosen, due = chosen - clocked, due - clocked
                true += len(chosen & due)
                false += len(chosen - due)
                missed += len(due - chosen)
                position += 1
    return 2 * true / (2 * true + false + missed) if true else 0.0


def play_policy(plan: WeekPlan, policy: Policy) -> list[Row]:
    """Play a week by a policy that sees the state of the day."""
    rows = []
    for day in plan.days:
        state = DayState(day)
        for step, shown in enumerate(day.day.steps):
            due = state.due(step)
            chosen = tuple(dict.fromkeys(policy(state, step)))
            state.act(step, chosen, due)
            rows.append(Row(day.day.name, shown.id, chosen))
    return rows


def timed(state: DayState, step: int) -> list[str]:
    """Choose the timed tasks that are due: all that a clock and the announced times give."""
    lines = state.plan.timelines
    return [name for name in state.due(step) if lines[name].versions[step].type != "event"]


class Habits(NamedTuple):
    """Where routines with narrative cues mostly fall."""

    step: dict[str, int]
    """By action text, the step, counted from the day's end where negative."""


def routine_habits(plans: Sequence[WeekPlan]) -> Habits:
    """Learn, in hindsight, the one step of the day that is most often a routine's cue."""
    seen: dict[str, Counter[int]] = {}
    for plan in plans:
        for day in plan.days:
            for line in day.timelines.values():
                if line.task.regular and line.task.type == "event":
                    for step in line.met:
                        places = seen.setdefault(line.task.action_text, Counter())
                        places.update([step, step - len(day.times)])
    return Habits(
        {text: max(places, key=lambda s: (places[s], -s)) for text, places in seen.items()}
    )


def habitual(state: DayState, step: int, habits: Habits) -> list[str]:
    """Choose each narrative routine at its habitual step."""
    places = (step, step - len(state.plan.times))
    return [
        name
        for name in state.open(step)
        if habits.step.get(state.plan.timelines[name].task.action_text) in places
        and state.plan.timelines[name].task.regular
    ]


def any_event(state: DayState, step: int) -> list[str]:
    """Choose each channel task at any message on its channel."""
    events = state.plan.day.steps[step].state_events
    return [
        name
        for name in state.open(step)
        if state.plan.timelines[name].versions[step].source in events
    ]


def menu_items(day: DayPlan) -> list[Item]:
    """Return the entries of a day's menu, tasks and lures."""
    last = len(day.times)
    position = {step.id: index for index, step in enumerate(day.day.steps)}
    items = [
        Item(line.task.action_text, True, line.start, last - line.start)
        for line in day.timelines.values()
    ]
    for lure in day.day.lures:
        entry = 0 if lure.encoding == "start" else position[lure.encoding.removeprefix("step:")]
        items.append(Item(lure.action_text, False, entry, last - entry))
    return items


def auc(scored: Iterable[tuple[float, bool]]) -> float:
    """Return the area under the ROC curve, ties counted half; 0.5 where one class is missing."""
    ordered = sorted(scored)
    positives = sum(truth for _, truth in ordered)
    negatives = len(ordered) - positives
    if not positives or not negatives:
        return 0.5
    ranks = 0.0
    start = 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end][0] == ordered[start][0]:
            end += 1
        ranks += (start + end + 1) / 2 * sum(truth for _, truth in ordered[start:end])
        start = end
    return (ranks - positives * (positives + 1) / 2) / (positives * negatives)


def _auc_of(weeks: Sequence[Sequence[Item]], feature: Callable[[Item], float]) -> float:
    """Return how well one number tells tasks from lures, whichever way it points."""
    value = auc((feature(item), item.task) for week in weeks for item in week)
    return max(value, 1 - value)


def learned_auc(weeks: Sequence[Sequence[Item]], features: Callable[[str], list[str]]) -> float:
    """Return the mean over weeks of the AUC of naive Bayes learned from all other weeks."""
    counts = [_count(week, features) for week in weeks]
    total: Counter[tuple[str, bool]] = Counter()
    for count in counts:
        total.update(count)
    values = []
    for week, own in zip(weeks, counts, strict=True):
        others = total.copy()
        others.subtract(own)
        scored = [
            (sum(math.log((others[f, True] + 1) / (others[f, False] + 1)) for f in features(item.text)), item.task)
            for item in week
        ]  # fmt: skip
        values.append(auc(scored))
    return fmean(values)


def _count(week: Sequence[Item], features: Callable[[str], list[str]]) -> Counter[tuple[str, bool]]:
    return Counter((feature, item.task) for item in week for feature in features(item.text))


def shared(sets: Sequence[set[str]]) -> float:
    """Return the mean share of a week's texts that another week holds, over all pairs."""
    return fmean(len(a & b) / min(len(a), len(b)) for a, b in combinations(sets, 2))


def _actions(scenario: Scenario) -> set[str]:
    """Return the action texts of a week, but those of routines and of what stands in every menu."""
    days = [
        {task.action_text for task in day.tasks} | {lure.action_text for lure in day.lures}
        for day in scenario.days
    ]
    standing = set.intersection(*days) if len(days) > 1 else set()
    return set().union(*days) - standing


def _texts(scenario: Scenario) -> set[str]:
    return {step.text for day in scenario.days for step in day.steps}
