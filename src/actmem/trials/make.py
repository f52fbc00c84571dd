"""Make trials: plan a balanced set, draw each trial, keep it only if its audit holds.

A trial is drawn from ``Random("…")`` texts alone and uses nothing but ``random()``, so that the same
seed gives the same bytes everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import msgspec

from actmem.errors import ActMemError, InputError
from actmem.trials.agents.player import Player
from actmem.trials.audit import problem
from actmem.trials.bank import WorldBank, world_bank
from actmem.trials.builders import memory_game, navigation, scheduling, shopping
from actmem.trials.builders.plot import DELAYS, TAIL, Cell, Cue, Draft, Plot, plot
from actmem.trials.builders.schedule import Clock, settle, time_course
from actmem.trials.draw import Draw
from actmem.trials.released import VERSION
from actmem.trials.trial import KINDS, WORLDS, Kind, Specificity, Subset, Trial, Trigger
from actmem.trials.wording import UNIT, at_phrase, bound_phrase, sentence
from actmem.trials.world import View, build_world

ROUND = 20
"""Steps in which the slowest clock goes round once: it must not stand twice at a quarter."""
ATTEMPTS = 4_000
"""Draws before a cell of the plan is given up; a cell takes about ten."""


def make(seed: int, subset: Subset, count: int) -> Iterator[Trial]:
    """Yield ``count`` trials of ``subset``, balanced over worlds and types to within one a cell."""
    if count < 1:
        raise InputError(f"{count} trials cannot be made; give 1 or more", "--count")
    for number, cell in enumerate(plan(seed, subset, count), start=1):
        yield one(seed, number, cell)


def plan(seed: int, subset: Subset, count: int) -> list[Cell]:
    """Return the cells of a set of ``count`` trials, in order.

    Delays and tails are balanced in each world to within one, in a drawn order: to act at a fixed
    step from the beginning or from the end must not pay.
    """
    draw = Draw(f"actmem trials {VERSION} {seed} {subset} plan")
    delays = {world: _balanced(DELAYS[subset], draw) for world in WORLDS}
    tails = {world: _balanced(TAIL, draw) for world in WORLDS}
    kinds = KINDS[subset]
    order = [
        (world, kinds[(w + turn) % len(kinds)])
        for turn in range(len(kinds))
        for w, world in enumerate(WORLDS)
    ]
    cells = []
    for index in range(count):
        world, kind = order[index % len(order)]
        rank = index // len(order)
        go = subset == "A" or index % 5 != 2
        exact = _specificity(subset, kind, rank)
        same = (
            subset == "C"
            and world in ("shopping", "scheduling")
            and rank % 6 in ((0, 2, 4) if kind == "time" else (3, 5) if kind == "event" else (1,))
        )
        specificity: Specificity = "paraphrase" if same and kind != "time" else exact
        delay, tail = next(delays[world]), next(tails[world])
        if kind == "time" and exact == "category":
            delay = min(delay, ROUND - draw.between(1, 6))
        cells.append(Cell(subset, world, kind, specificity, go, same, delay, tail))
    return cells


def _balanced(bounds: tuple[int, int], draw: Draw) -> Iterator[int]:
    """Yield the numbers from the lower to the upper bound in a drawn order, over and over."""
    while True:
        yield from draw.shuffled(list(range(bounds[0], bounds[1] + 1)))


def _specificity(subset: Subset, kind: Kind, rank: int) -> Specificity:
    """Return how precisely the cue is described in the ``rank``-th trial of a world and type."""
    if subset == "A":
        return "exact"
    if subset == "B":
        every = 2 if kind == "time" else 4
        return "exact" if rank % every == 0 else "category"
    return "paraphrase" if rank % 2 else "category"


def one(seed: int, number: int, cell: Cell) -> Trial:
    """Draw the trial ``number`` of a set until one passes its audit."""
    for attempt in range(ATTEMPTS):
        draw = Draw(f"actmem trials {VERSION} {seed} {cell.subset} {number} {attempt}")
        trial = _draw(cell, number, draw)
        if trial is not None and problem(trial) is None:
            return trial
    raise ActMemError(f"no trial found for {cell} in {ATTEMPTS} draws: mend the wording bank")


def _draw(cell: Cell, number: int, draw: Draw) -> Trial | None:
    """Draw one candidate; ``None`` where its course did not come out as planned."""
    bank = world_bank(cell.world)
    course = plot(cell, bank, draw)
    times = time_course(course, draw)
    built = _stage(course, times, bank, draw)
    if built is None:
        return None
    draft, cue = built
    draft, views = _rehearse(draft, 4 if _never_counted(cell) else cell.tail - 2)
    settled = settle(course, cue, times, views, draw)
    low, high = DELAYS[cell.subset]
    if settled is None or not (low if cell.subset != "A" else 1) <= settled.delay <= high:
        return None
    trigger, delay, bound = settled.trigger, settled.delay, settled.bound
    if cue is not None and _lured_right(trigger, cue, views):
        return None
    start = views[0].time
    text = _intention(course, cue, draft.action, settled.at, bound, start, bank, draw)
    interference = {"A": "none", "B": "distractors", "C": "strong"}[cell.subset]
    return msgspec.convert(
        {
            "id": f"{cell.subset}/{cell.world}/{cell.kind}/{number:03d}",
            "subset": cell.subset,
            "kind": cell.kind,
            "interference": "same-action" if cell.same_action else interference,
            "specificity": cell.specificity,
            "go": cell.go,
            "delay": delay,
            "pattern": course.pattern,
            "steps": draft.steps,
            "intention": text,
            "trigger": trigger,
            "intended": draft.intended,
            "setup": draft.setup,
        },
        Trial,
    )


def _stage(
    course: Plot, times: Clock, bank: WorldBank, draw: Draw
) -> tuple[Draft, Cue | None] | None:
    """Let the world's builder lay the trial out."""
    match course.cell.world:
        case "shopping":
            draft = shopping.build(course, times, bank, draw)
        case "scheduling":
            draft = scheduling.build(course, times, bank, draw)
        case "memory_game":
            draft = memory_game.build(course, times, bank, draw)
        case "navigation":
            return navigation.build(course, times, bank, draw)
    return draft, course.cue


def _never_counted(cell: Cell) -> bool:
    """Return whether a count lies just beyond the end, which the length then is to be near."""
    return cell.kind == "time" and not cell.go


def _rehearse(draft: Draft, spare: int) -> tuple[Draft, list[View]]:
    """Play the ongoing task perfectly; return what each step showed.

    A memory game is cut to length: ``spare`` steps from the last pair on.
    """
    world, player = build_world(draft.setup), Player()
    views: list[View] = []
    steps = draft.steps
    for step in itertools.count():
        if step >= steps:
            break
        view = world.view()
        views.append(view)
        player.look(view)
        world.act(player.move(view))
        met, wanted = world.goals()
        if steps == memory_game.LONGEST and met == wanted:
            steps = step + spare
    if steps == draft.steps:
        return draft, views
    setup = msgspec.structs.replace(draft.setup, remarks=draft.setup.remarks[:steps])
    return Draft(setup, steps, draft.intended, draft.action), views[:steps]


def _lured_right(trigger: Trigger, cue: Cue, views: Sequence[View]) -> bool:
    """Tell whether a lure shows while the condition holds: falling for it would then be right."""
    held = [view for view in views if trigger.holds(view)]
    return any(lure in view.shown for view in held for lure in cue.lures)


def _intention(
    course: Plot,
    cue: Cue | None,
    action: str,
    at: int | None,
    bound: int | None,
    start: int,
    bank: WorldBank,
    draw: Draw,
) -> str:
    """Word the intention."""
    cell, unit = course.cell, UNIT[course.cell.world]
    if cue is None:
        assert at is not None
        when = at_phrase(unit, cell.specificity, at, start, draw)
        return sentence(draw.pick(bank.wording["time"]), when=when, action=action)
    side = {"before": "before", "too-late": "before", "after": "after", "too-early": "after"}
    suffix = side.get(course.pattern, "second" if course.pattern == "second" else "")
    key = {"name": "event", "remark": "situation", "cell": "cell"}[cue.form]
    template = draw.pick(bank.wording[f"{key}_{suffix}" if suffix else key])
    limit = ""
    if bound is not None:
        style = "exact" if cell.subset == "B" else "paraphrase"
        limit = bound_phrase(unit, suffix, style, bound, draw)
    return sentence(template, cue=cue.text, action=action, before=limit, after=limit)
