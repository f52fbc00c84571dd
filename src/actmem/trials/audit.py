"""What every trial must be: solvable by an oracle, and impossible without the intention.

``problem`` is applied to each trial as it is made; tests apply it to the released set again.
"""

from __future__ import annotations

from collections.abc import Callable

from actmem.trials.agents.player import WAIT, Player
from actmem.trials.grammar import Call
from actmem.trials.score import Judge, TrialResult
from actmem.trials.trial import Trial, Watch
from actmem.trials.world import View, build_world

Move = Callable[[View, Call, bool], Call]
"""(view, what the ongoing player would do, whether the intention is due) -> what is done."""


def rehearse(trial: Trial, move: Move) -> TrialResult:
    """Play ``trial`` with ``move`` on top of the perfect ongoing player, without any wording."""
    world, player, judge = build_world(trial.setup), Player(), Judge(trial)
    for _ in range(trial.steps):
        view = world.view()
        due = judge.see(view)
        player.look(view)
        call = move(view, player.move(view), due)
        judge.take(call, world.act(call))
    return judge.result(world.goals())


def problem(trial: Trial) -> str | None:
    """Return what is wrong with ``trial`` as a test, or ``None``."""
    setup = trial.setup
    said = {len(setup.remarks), len(getattr(setup, "offers", setup.remarks))}
    if trial.steps < 1 or said != {trial.steps}:
        return f"it has {trial.steps} steps, and its script is of another length"
    if not build_world(setup).goals()[1]:
        return "it has no ongoing goal"
    done: list[bool] = []

    def perfect(view: View, ongoing: Call, due: bool) -> Call:
        if due and not done:
            done.append(True)
            return trial.intended.call(trial.trigger, view.shown)
        return ongoing

    watch = Watch(trial.trigger)

    def unaware(view: View, ongoing: Call, _due: bool) -> Call:
        watch.see(view)
        return ongoing

    if not rehearse(trial, perfect).passed:
        return "the oracle does not pass"
    without = rehearse(trial, unaware)
    if without.ongoing < 1.0:
        return "the ongoing task cannot be done in time"
    if without.passed == trial.go:
        return "passing does not depend on the intention"
    if not _spare(trial):
        return "one lost step costs an ongoing goal"
    if trial.go and watch.steps[0] != trial.delay:
        return f"due at step {watch.steps[0]}, not at {trial.delay}"
    if not trial.go and watch.steps:
        return f"a no-go trial is due at step {watch.steps[0]}"
    return None


def _spare(trial: Trial) -> bool:
    """Tell whether any one step can be lost without losing an ongoing goal.

    Then acting on the intention at the wrong moment costs the intention alone. A walk and a table
    of cards have steps to spare by construction; goods and requests come and go.
    """
    if trial.world not in ("shopping", "scheduling"):
        return True
    return all(_lose(trial, step) for step in range(trial.steps))


def _lose(trial: Trial, lost: int) -> bool:
    world, player = build_world(trial.setup), Player()
    for step in range(trial.steps):
        call = player.move(world.view())
        if step == lost and call == WAIT:
            return True
        world.act(None if step == lost else call)
    met, wanted = world.goals()
    return met == wanted
