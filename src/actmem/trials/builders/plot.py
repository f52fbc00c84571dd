"""The course of a trial before it has a world: its cue, its lures, and when they are to show.

A *pattern* is the shape of the condition and of what happens:

=========== ===== ==================================================================
pattern     go    course
=========== ===== ==================================================================
at          both  a time; in a no-go trial it never comes
first       go    lures, then the cue
second      go    the cue once, lures, then the cue again, which counts
before      go    the cue within a time limit
after       go    the cue too early, then the cue again once the time has come; a situation only
                  once the time has come
never       no-go lures only
too-late    no-go lures within the time limit, the cue just after it
too-early   no-go the cue just before its time, then lures only
=========== ===== ==================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from actmem.trials.bank import WorldBank, content_words
from actmem.trials.draw import Draw
from actmem.trials.trial import Intended, Kind, Setup, Specificity, Subset, WorldName

DELAYS: dict[Subset, tuple[int, int]] = {"A": (2, 5), "B": (6, 12), "C": (13, 22)}
LURES: dict[Subset, int] = {"A": 0, "B": 2, "C": 4}
TAIL = (5, 12)
"""Steps from the due one to the end, whatever the pattern: the length is told, and says nothing."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One place in the plan of a set: all that is decided before anything is drawn."""

    subset: Subset
    world: WorldName
    kind: Kind
    specificity: Specificity
    go: bool
    same_action: bool
    delay: int
    """Steps to the due one, or to the near miss; a walk or a table may shift it."""
    tail: int
    """Steps from there to the end."""


@dataclass(frozen=True, slots=True)
class Cue:
    """``text`` as the intention says it; ``names`` that meet it; ``lures`` strongest first.

    ``form``: "name" (something shown by name), "remark" (a situation) or "cell" (of the grid).
    """

    key: str
    text: str
    names: tuple[str, ...]
    lures: tuple[str, ...]
    form: str


@dataclass(frozen=True, slots=True)
class Plot:
    """``shows``: (step, name) in order; ``delay``: the step meant to be due, or the near miss."""

    cell: Cell
    pattern: str
    cue: Cue | None
    delay: int
    shows: tuple[tuple[int, str], ...]
    steps: int

    def at(self, step: int) -> list[str]:
        """Return the names (not remarks) planned for ``step``."""
        if self.cue is None or self.cue.form != "name":
            return []
        return [name for when, name in self.shows if when == step]


@dataclass(frozen=True, slots=True)
class Draft:
    """A stage: the setup, its length, the intended action and its words."""

    setup: Setup
    steps: int
    intended: Intended
    action: str


def plot(cell: Cell, bank: WorldBank, draw: Draw) -> Plot:
    """Draw the course of a trial for ``cell``."""
    cue = None if cell.kind == "time" else _cue(cell, bank, draw)
    pattern = _pattern(cell, cue, draw)
    delay = cell.delay
    shows = () if cue is None or cue.form == "cell" else _shows(cell, cue, pattern, delay, draw)
    return Plot(cell, pattern, cue, delay, tuple(sorted(shows)), delay + cell.tail)


def _cue(cell: Cell, bank: WorldBank, draw: Draw) -> Cue:
    if cell.specificity == "paraphrase" or cell.same_action:
        said = draw.pick(bank.situation)
        lures = tuple(strongest(said.text, said.lures))
        return Cue("", said.text, said.cues, lures, "remark")
    if cell.specificity == "category":
        kind = draw.pick(bank.category)
        lures = (*strongest(kind.text, draw.shuffled(kind.lures)), *draw.shuffled(kind.near))
        return Cue(kind.key, kind.text, kind.members, lures, "name")
    if cell.world == "navigation" and draw.below(2):
        return Cue("", "", (), (), "cell")
    exact = draw.pick(bank.exact)
    named = cell.world in ("navigation", "memory_game")
    text = f"the {exact.name}" if named else f"'{exact.name}'"
    return Cue("", text, (exact.name,), tuple(draw.shuffled(exact.lures)), "name")


def _pattern(cell: Cell, cue: Cue | None, draw: Draw) -> str:
    if cue is None:
        return "at"
    # A situation or a cell comes once; and whether two cards of one kind that lie open together
    # are "the second time" would be a matter of taste.
    twice = cue.form == "name" and cell.subset != "A" and cell.world != "memory_game"
    if cell.kind == "event":
        if not cell.go:
            return "never"
        return "second" if twice and draw.below(3) == 0 else "first"
    if not cell.go:
        return draw.pick(("too-late", "too-early"))
    return "before" if cue.form == "cell" else draw.pick(("before", "after"))


def _shows(cell: Cell, cue: Cue, pattern: str, delay: int, draw: Draw) -> list[tuple[int, str]]:
    """Place cue and lures on steps."""
    # What a situation says may go on being true (the rush is over): it is said once, in its time.
    twice = pattern in ("second", "after") and cue.form == "name"
    members = draw.sample(cue.names, 2)
    final = cue.lures[0] if pattern == "never" else members[-1]
    shows = [(delay, final)]
    taken = {0, delay}
    if twice:
        early = draw.between(1, delay - 3)
        shows.append((early, members[0]))
        taken |= {early - 1, early, early + 1, delay - 1}
    free = draw.shuffled([step for step in range(1, delay) if step not in taken])
    lures = list(cue.lures[1:] if pattern == "never" else cue.lures)
    count = LURES[cell.subset]
    late = lures[:1] if pattern == "too-early" else []
    if count:
        # Strongest lures first; where the window opens last, one of them stands inside it. Some come
        # after the cue: that all have been there must not say that what comes next is it.
        chosen = lures[len(late) : len(late) + count]
        behind = draw.below(len(chosen) // 2 + 1)
        shows += list(zip(free, chosen[: len(chosen) - behind], strict=False))
        shows += list(zip((delay + 1, delay + 3), chosen[len(chosen) - behind :], strict=False))
        shows += [(delay + 4, name) for name in late]
        if cue.form == "name" and len(lures) > count:
            shows.append((delay + 2, lures[count]))
    return shows


def strongest(text: str, lures: Sequence[str]) -> list[str]:
    """Return ``lures``, those that share most words with ``text`` first."""
    words = content_words(text)
    return sorted(lures, key=lambda lure: -len(words & content_words(lure)))


def decoys(bank: WorldBank, cue: Cue | None, draw: Draw, n: int) -> list[str]:
    """Return ``n`` members of other categories, none arguable beside ``cue``."""
    key = cue.key if cue is not None else ""
    named = next((c for c in bank.category if c.key == key), None)
    apart = set(named.apart) if named else set()
    names = [
        name
        for other in bank.category
        if other.key != key and other.key not in apart and key not in other.apart
        for name in other.members
    ]
    return draw.sample(names, n)


def remarks(
    plan: Plot, bank: WorldBank, steps: int, numbers: Sequence[str], draw: Draw
) -> tuple[str, ...]:
    """Return what is said at each step: the plan's remarks, false numbers, and chatter.

    ``numbers``: times that could be the condition's, for remarks that mention some and mean nothing.
    """
    said = [""] * steps
    chatter = draw.shuffled(bank.remarks)
    # Where a remark is the cue of a hard trial, being new must not give it away.
    busy = plan.cell.subset == "C" and plan.cue is not None and plan.cue.form == "remark"
    for step in range(steps):
        if chatter and draw.below(6) < (3 if busy else 2):
            said[step] = chatter.pop()
    if plan.cell.kind == "time" and plan.cell.subset != "A":
        count = 1 if plan.cell.subset == "B" else 3
        places = draw.sample(range(1, max(2, plan.delay)), count)
        templates, named = draw.shuffled(bank.number_remarks), draw.sample(numbers, count)
        for step, template, number in zip(places, templates, named, strict=False):
            said[step] = template.format(time=number, n=number)
    if plan.cue is not None and plan.cue.form == "remark":
        for step, text in plan.shows:
            if step < steps:
                said[step] = text
    return tuple(said)
