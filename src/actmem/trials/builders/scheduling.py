"""Set the stage for a scheduling trial."""

from __future__ import annotations

from actmem.trials.bank import WorldBank
from actmem.trials.builders.plot import Draft, Plot, decoys, remarks
from actmem.trials.builders.schedule import Clock
from actmem.trials.draw import Draw
from actmem.trials.trial import Intended
from actmem.trials.wording import capital, sentence
from actmem.trials.worlds.scheduling import SLOTS, SchedulingSetup

_REQUESTS = {"A": 2, "B": 4, "C": 6}
_DECOYS = {"A": 0, "B": 4, "C": 8}


def build(plan: Plot, times: Clock, bank: WorldBank, draw: Draw) -> Draft:
    """Lay out requests and colleagues' entries around ``plan``."""
    subset, steps = plan.cell.subset, plan.steps
    slots, titles = draw.shuffled(SLOTS), draw.shuffled(bank.ambient)
    people, subjects = draw.shuffled(bank.people), draw.shuffled(bank.subjects)
    intended, words = _intended(plan, slots, people, subjects, bank, draw)
    requests: list[tuple[int, str, tuple[str, str]]] = []
    for i in range(_REQUESTS[subset]):
        since = 0 if i < 2 else draw.below(max(1, steps - 5))
        if draw.below(5) < 3:
            requests.append((since, "add_meeting", (titles.pop(), slots.pop())))
        else:
            requests.append((since, "send_email", (people[i % len(people)], subjects.pop())))
    if plan.cell.same_action:
        first, second = (str(a) for a in intended.args)
        again = draw.sample([s for s in range(steps - 2) if abs(s - plan.delay) > 1], 3)
        requests += [(step, "send_email", (first, second)) for step in again]
    pool = titles + decoys(bank, plan.cue, draw, _DECOYS[subset])
    pool = draw.shuffled(pool)
    entries: list[tuple[int, str, str]] = []
    for step in range(steps):
        names = plan.at(step)
        if not names and pool and draw.below(2):
            names = [pool.pop()]
        entries += [(step, name, slots.pop()) for name in names]
    said = remarks(plan, bank, steps, times.words(subset), draw)
    setup = SchedulingSetup(times.start, times.tick, tuple(sorted(requests)), tuple(entries), said)
    return Draft(setup, steps, intended, words)


def _intended(
    plan: Plot,
    slots: list[str],
    people: list[str],
    subjects: list[str],
    bank: WorldBank,
    draw: Draw,
) -> tuple[Intended, str]:
    """Choose an e-mail or a special meeting; take its slot, person and subject off the lists."""
    if plan.cell.same_action or draw.below(5) < 3:
        to, subject = people.pop(), subjects.pop()
        words = draw.pick(bank.action["more" if plan.cell.same_action else "email"])
        intended = Intended("send_email", (to, subject))
        return intended, sentence(words, to=capital(to), subject=subject)
    title, slot = draw.pick(bank.special), slots.pop()
    words = draw.pick(bank.action["meeting"])
    return Intended("add_meeting", (title, slot)), sentence(words, title=title, slot=slot)
