"""Set the stage for a memory-game trial."""

from __future__ import annotations

from actmem.trials.bank import WorldBank
from actmem.trials.builders.plot import LURES, Draft, Plot, decoys, remarks
from actmem.trials.builders.schedule import Clock
from actmem.trials.draw import Draw
from actmem.trials.trial import Intended
from actmem.trials.wording import sentence
from actmem.trials.worlds.memory_game import BELLS, MemoryGameSetup

PAIRS = {"A": 4, "B": 7, "C": 10}
LONGEST = 60  # more steps than any table of that size takes; the caller cuts it down


def build(plan: Plot, times: Clock, bank: WorldBank, draw: Draw) -> Draft:
    """Shuffle a deck with the plan's cue and lures in it; steps are cut after a trial run."""
    subset = plan.cell.subset
    cue, names = plan.cue, list[str]()
    if cue is not None and cue.form == "name":
        lures = list(cue.lures[: max(1, LURES[subset])]) if subset != "A" else []
        names = lures if plan.pattern == "never" else [draw.pick(cue.names), *lures]
    rest = draw.shuffled(bank.ambient[:] if subset == "A" else _others(plan, bank, draw))
    # A count that never comes is one beyond the last round: a smaller table, to end in time.
    pairs = PAIRS[subset] - (0 if plan.cell.go or cue is not None else 3)
    kinds = names + rest[: pairs - len(names)]
    deck = _deck(plan, kinds, draw)
    said = remarks(plan, bank, LONGEST, times.words(subset), draw)
    bell = draw.pick(BELLS)
    words = sentence(draw.pick(bank.action["ring"]), bell=bell)
    return Draft(MemoryGameSetup(tuple(deck), said), LONGEST, Intended("ring", (bell,)), words)


def _others(plan: Plot, bank: WorldBank, draw: Draw) -> list[str]:
    """Return names that stand for nothing here: half of them members of other categories."""
    return decoys(bank, plan.cue, draw, 4) + draw.sample(bank.ambient, 4)


def _deck(plan: Plot, kinds: list[str], draw: Draw) -> list[str]:
    """Return the order of first turning, with the cue's first card about where it is wanted."""
    by_name = plan.cue is not None and plan.cue.form == "name" and plan.pattern != "never"
    others = draw.shuffled([k for k in (kinds[1:] if by_name else kinds) for _ in (0, 1)])
    if not by_name:
        return others
    size = len(others) + 2
    if plan.pattern in ("second", "after"):
        first, second = draw.below(size // 2), draw.between(size // 3, size - 1)
    else:
        first = draw.between(plan.delay * 2 // 3, plan.delay)
        second = draw.between(first + 1, size - 1) if first + 1 < size else size - 1
    for place in sorted((min(first, size - 2), second)):
        others.insert(place, kinds[0])
    return others
