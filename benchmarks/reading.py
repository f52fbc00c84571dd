"""Reading weeks by eye: is a careful reader never in doubt?

``python benchmarks/reading.py show --seed 101 -o week.txt`` writes a week as a participant who asks
every channel at every step would see it, without the truth; menus keep what was done, so that they
tell nothing. A reader writes one line a step into a file, ``d1_s3: task_4 task_7`` or ``d1_s3:``.
``python benchmarks/reading.py tally --seed 101 answers.txt`` compares it with the truth: the share
of steps with exactly the due set, and of single decisions (step and handle) that agree.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from actmem.week.make import Knobs, make_week
from actmem.week.menu import day_menu
from actmem.week.obligations import DayState, WeekPlan, prepare
from actmem.week.scenario import CLOCK
from actmem.week.world import World


def show(plan: WeekPlan) -> str:
    """Return the week as text, with every channel asked at every step."""
    world = World(plan)
    observation = world.reset()
    lines: list[str] = []
    while True:
        place = world.place
        if observation.first:
            lines += ["", f"===== {observation.day} =====", *observation.opening]
        lines += ["", f"[{place.step_id}] {observation.text}"]
        for channel in observation.channels:
            reply = world.query(channel).replies[-1].text
            if not reply.endswith("(no updates)"):
                lines.append(f"  {reply}")
        lines += [f"  {item.handle}: {item.text}" for item in observation.menu]
        after = world.act("A")
        if after is None:
            return "\n".join(lines)
        observation = after


def truth(plan: WeekPlan) -> dict[str, tuple[set[str], int]]:
    """Return the due handles under perfect play and the menu's size, by step id."""
    found = {}
    for day in plan.days:
        state = DayState(day)
        menu = day_menu(plan, day.number)
        for index, step in enumerate(day.day.steps):
            due = state.due(index)
            size = len(menu.at(index, state))
            found[step.id] = ({menu.handles[name] for name in due}, size)
            state.act(index, due, due)
    return found


def tally(plan: WeekPlan, answers: Path) -> int:
    """Print how far the answers agree, and every step that differs."""
    given: dict[str, set[str]] = {}
    for line in answers.read_text("utf-8").splitlines():
        step, colon, handles = line.partition(":")
        if colon:
            given[step.strip()] = set(handles.replace(",", " ").split())
    steps = exact = decisions = wrong = 0
    for step, (due, size) in truth(plan).items():
        if step not in given:
            continue
        steps += 1
        exact += given[step] == due
        decisions += size
        differing = given[step] ^ due
        wrong += len(differing)
        for handle in sorted(differing):
            print(f"{step} {handle}: {'due, not chosen' if handle in due else 'chosen, not due'}")
    print(f"{plan.scenario.scenario_name}: {exact} of {steps} steps agree; "
          f"{decisions - wrong} of {decisions} decisions agree")  # fmt: skip
    return 0 if exact == steps else 1


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["show", "tally"])
    parser.add_argument("answers", nargs="?", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--profile", choices=["full", "paper"], default="full")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    plan = prepare(make_week(options.seed, Knobs(profile=options.profile)))
    assert CLOCK in plan.scenario.state_channels
    if options.command == "tally":
        return tally(plan, options.answers)
    text = show(plan) + "\n"
    if options.output is None:
        sys.stdout.write(text)
    else:
        options.output.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
