"""Set the stage for a shopping trial."""

from __future__ import annotations

from actmem.trials.bank import WorldBank
from actmem.trials.builders.plot import Draft, Plot, decoys, remarks
from actmem.trials.builders.schedule import Clock
from actmem.trials.draw import Draw
from actmem.trials.trial import Intended
from actmem.trials.wording import sentence
from actmem.trials.worlds.shopping import ShoppingSetup

_WIDTH = {"A": 4, "B": 5, "C": 6}
_ENTRIES = {"A": 2, "B": 4, "C": 6}
_DECOYS = {"A": 0, "B": 4, "C": 14}


def build(plan: Plot, times: Clock, bank: WorldBank, draw: Draw) -> Draft:
    """Lay out offers and list around ``plan``, by the clock of ``times``."""
    subset, steps = plan.cell.subset, plan.steps
    goods = draw.shuffled(bank.ambient)
    count = _ENTRIES[subset]
    wanted, others = goods[:count], goods[count:]
    by_name = plan.cue is not None and plan.cue.form == "name"
    target = "" if by_name else draw.pick(bank.targets)
    # What is to be bought is always there, and so that this does not give it away, not alone.
    staples = [target] if target else []
    if target and subset != "A":
        staples += draw.sample([item for item in bank.targets if item != target], 2)
    last = max(1, steps - 5)
    entries = [(0 if i < 2 else draw.below(last), item) for i, item in enumerate(wanted)]
    if plan.cell.same_action:
        again = draw.sample([s for s in range(steps - 2) if abs(s - plan.delay) > 1], 3)
        entries += [(step, target) for step in again]
    passing = {
        step: name
        for name in decoys(bank, plan.cue, draw, _DECOYS[subset])
        for step in [draw.below(steps)]
    }
    offers = []
    for step in range(steps):
        row = plan.at(step) + staples
        row += [passing[step]] if step in passing else []
        row += [item for item in wanted if draw.below(5) < 2]
        row += draw.sample(others, max(1, _WIDTH[subset] - len(row)))
        offers.append(tuple(draw.shuffled(row)))
    said = remarks(plan, bank, steps, times.words(subset), draw)
    setup = ShoppingSetup(times.start, times.tick, tuple(offers), tuple(sorted(entries)), said)
    if by_name:
        return Draft(setup, steps, Intended("add_item", cue=True), draw.pick(bank.action["cue"]))
    words = draw.pick(bank.action["more" if plan.cell.same_action else "item"])
    return Draft(setup, steps, Intended("add_item", (target,)), sentence(words, item=target))
