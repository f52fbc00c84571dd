"""Count how often each kind of evidence is a cue, under the pattern agent's own play.

``python benchmarks/calibrate_keyword.py [FIRST LAST]`` prints the lines of
``src/actmem/week/agents/trust.toml`` for the weeks of these seeds, profiles full and paper. The
counts depend on what the agent does, so that two rounds are needed after the generator has changed.
"""

from __future__ import annotations

import sys
from collections import defaultdict

from actmem.week.agents.keyword import Claim, Keyword
from actmem.week.make import Knobs, make_week
from actmem.week.menu import day_menu
from actmem.week.obligations import DayState, WeekPlan, prepare
from actmem.week.world import Query, World

SHRINK = 3
"""Observations by which a count is drawn towards the mean of its row."""

Counts = dict[str, list[int]]


def count(plan: WeekPlan, counts: Counts) -> None:
    """Play one week and add, by kind of evidence, how often it was wrong and right."""
    agent = Keyword()
    found: list[Claim] = []
    settle = agent._settle

    def listen(claims: list[Claim]) -> list[Claim]:
        found.extend(claims)
        return settle(claims)

    agent._settle = listen  # type: ignore[method-assign,assignment]
    world = World(plan)
    observation = world.reset()
    for day in plan.days:
        state = DayState(day)
        menu = day_menu(plan, day.number)
        for step in range(len(day.times)):
            found.clear()
            while isinstance(decision := agent.decide(observation), Query):
                observation = world.query(decision.channel)
            due = state.due(step)
            texts = {day.timelines[name].versions[step].action_text for name in due}
            for action, kind in dict.fromkeys((claim.action, claim.kind) for claim in found):
                counts[kind][action in texts] += 1
            handles = getattr(decision, "handles", ())
            state.act(step, [menu.ids[handle] for handle in handles], due)
            after = world.act("A", handles)
            if after is None:
                return
            observation = after


def main() -> None:
    """Count and print."""
    first, last = (int(arg) for arg in sys.argv[1:3]) if len(sys.argv) > 2 else (9100, 9139)
    counts: Counts = defaultdict(lambda: [0, 0])
    for knobs in (Knobs(profile="full"), Knobs(profile="paper")):
        for seed in range(first, last + 1):
            count(prepare(make_week(seed, knobs)), counts)
    rows: dict[str, dict[int, list[int]]] = defaultdict(dict)
    for kind, pair in counts.items():
        head, _, earlier = kind.rpartition(" ")
        if earlier.isdigit() and not head.startswith("routine"):
            rows[head][int(earlier)] = pair
    for head, row in sorted(rows.items()):
        mean = sum(right for _, right in row.values()) / sum(sum(pair) for pair in row.values())
        shrunk = []
        for number in range(max(row) + 1):
            wrong, right = row.get(number, [0, 0])
            shrunk.append(round((right + SHRINK * mean) / (wrong + right + SHRINK), 2))
        print(f'"{head}" = {shrunk}')


if __name__ == "__main__":
    main()
