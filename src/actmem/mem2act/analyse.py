"""Where scores come from: the paper's analyses (sections 5.1 to 5.5), from calls and passages.

A *slot* is a gold value (``slots``). It is right where the call holds the same value at its path,
type included; a missing or unusable call has no slot right. Every wrong slot has one error mode,
the first that applies:

======================  ===========================================================================
``wrong tool``          the call is missing, unusable, or of another tool
``invented default``    the data call the value a default, and the call has another one or none
``retrieval miss``      the passages hold neither the gold value nor what it is inferred from
``infidelity``          it does, and the call has a value that stands neither there nor in the query
``retrieved unused``    it does, and the call leaves the slot out or takes another value from there
======================  ===========================================================================

The paper names the modes without saying how they are told apart; this order is ours. What a value
is inferred from are the words that its grounding quotes, line by line, or all facts of the chain.
Values that cannot be looked for (truth values, blanks) count as inferred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from msgspec import Struct

from actmem.mem2act.data import Task
from actmem.mem2act.history import History
from actmem.mem2act.predictions import Prediction
from actmem.mem2act.retrieval import looked_up, measure
from actmem.mem2act.schema import at_path
from actmem.mem2act.score import CallScore, score
from actmem.mem2act.slots import CLASSES, Slot, task_slots
from actmem.mem2act.values import Text, alike, findable, leaves, same
from actmem.memory.protocol import Passage

MODES = ("wrong tool", "invented default", "retrieval miss", "infidelity", "retrieved unused")
"""Error modes, in the order in which they are looked for."""
GROUNDINGS = ("explicit", "inferred", "default")
BINS = ("0-25%", "25-50%", "50-75%", "75-100%", "nowhere")
"""Where the evidence stands in the history, by tokens."""


class SlotOutcome(Struct, frozen=True, kw_only=True):
    """One gold value and what became of it."""

    qa_id: str
    slot: Slot
    right: bool
    alike: bool
    """Right but for spelling, too."""
    mode: str
    """Error mode; empty where the slot is right."""
    filled: bool
    """The call has a value here, right or wrong."""
    distractor: bool
    """For an invented default: the call's value stands in the passages."""


class SlotShare(Struct, frozen=True):
    """How many slots of a group are right; None for an empty group."""

    slots: int
    accuracy: float | None
    normalised: float | None
    """The same where spelling is forgiven."""


class TaskShare(Struct, frozen=True):
    """Means over a group of tasks; None for an empty group."""

    tasks: int
    f1: float | None
    slot_accuracy: float | None
    em: float | None


class Modes(Struct, frozen=True, kw_only=True):
    """How wrong slots went wrong."""

    slots: int
    wrong: int
    counts: dict[str, int]
    share_of_errors: dict[str, float | None]
    rate: dict[str, float | None]
    """Over all slots."""
    invented_from_passages: float | None
    """Of the defaults that were filled with another value, the share whose value is a passage's."""


class Analysis(Struct, frozen=True, kw_only=True):
    """All analyses of one set of predictions."""

    by_level: dict[str, TaskShare]
    by_grounding: dict[str, SlotShare]
    by_class: dict[str, SlotShare]
    by_position: dict[str, TaskShare]
    modes: Modes
    extra_arguments: int
    """Arguments in calls of the right tool that the gold call does not have."""


def analyse(
    history: History,
    predictions: Mapping[str, Prediction],
    passages: Mapping[str, Sequence[Passage]],
) -> Analysis:
    """Analyse predictions; ``passages`` are what the reader was given, by task id."""
    data = history.data
    scores = score(data, predictions).by_task
    slots = [
        outcome
        for task in data.tasks
        for outcome in outcomes(
            history, task, predictions.get(task.qa_id), passages.get(task.qa_id, ())
        )
    ]

    def tasks_by(names: Iterable[str], name: Callable[[Task], str]) -> dict[str, TaskShare]:
        groups: dict[str, list[CallScore]] = {each: [] for each in names}
        for task in data.tasks:
            groups[name(task)].append(scores[task.qa_id])
        return {each: _task_share(found) for each, found in groups.items()}

    levels = sorted({task.complexity_metadata.level for task in data.tasks})
    return Analysis(
        by_level=tasks_by(levels, lambda task: task.complexity_metadata.level),
        by_grounding=_slots_by(slots, GROUNDINGS, lambda slot: slot.grounding),
        by_class=_slots_by(slots, CLASSES, lambda slot: slot.value_class),
        by_position=tasks_by(BINS, lambda task: position_bin(history, task)),
        modes=_modes(slots),
        extra_arguments=sum(_extra(task, predictions.get(task.qa_id)) for task in data.tasks),
    )


def position_bin(history: History, task: Task) -> str:
    """Return the quarter of the history in which a task's evidence stands on average."""
    position = history.position(history.evidence(task))
    return BINS[-1] if position is None else BINS[min(3, int(4 * position))]


def outcomes(
    history: History, task: Task, found: Prediction | None, passages: Sequence[Passage]
) -> list[SlotOutcome]:
    """Return what became of each slot of a task."""
    text = looked_up(passages)
    known = Text(task.query)
    complete = measure(history, task, passages).recall["all"] == 1.0
    usable = found is not None and found.usable
    right_tool = found is not None and usable and found.name == task.tool
    results = []
    for slot in task_slots(task):
        there, value = at_path(found.arguments if found is not None and usable else {}, slot.path)
        right = there and same(value, slot.value)
        mode = ""
        if not right:
            inferable = complete or _quoted(task, slot, text)
            mode = _mode(slot, right_tool, there, value, text, known, inferable)
        results.append(
            SlotOutcome(
                qa_id=task.qa_id,
                slot=slot,
                right=right,
                alike=there and alike(value, slot.value),
                mode=mode,
                filled=there,
                distractor=mode == "invented default" and there and _stands(value, text),
            )
        )
    return results


def _mode(
    slot: Slot, right_tool: bool, there: bool, value: Any, text: Text, query: Text, inferable: bool
) -> str:
    """Return the error mode of a wrong slot."""
    if not right_tool:
        return "wrong tool"
    if slot.grounding == "default":
        return "invented default"
    literal = slot.grounding == "explicit" and any(map(findable, leaves(slot.value)))
    if not (_stands(slot.value, text) or (inferable and not literal)):
        return "retrieval miss"
    made_up = there and not (_stands(value, text) or _stands(value, query))
    return "infidelity" if made_up else "retrieved unused"


def _quoted(task: Task, slot: Slot, text: Text) -> bool:
    """Return whether a text holds all words that a slot's grounding quotes; False for no quote."""
    grounding = task.tool_call.grounding_info.get(slot.path)
    quotes = (grounding.source_text or "").splitlines() if grounding else []
    found = [quote for quote in quotes if findable(quote)]
    return bool(found) and all(map(text.holds, found))


def _stands(value: Any, text: Text) -> bool:
    """Return whether a value can be looked for and all of it stands in a text."""
    parts = [leaf for leaf in leaves(value) if findable(leaf)]
    return bool(parts) and all(map(text.holds, parts))


def _extra(task: Task, found: Prediction | None) -> int:
    if found is None or found.arguments is None or found.name != task.tool:
        return 0
    return len(found.arguments.keys() - task.tool_call.arguments.keys())


def _task_share(found: Sequence[CallScore]) -> TaskShare:
    if not found:
        return TaskShare(0, None, None, None)
    return TaskShare(
        len(found),
        fmean(one.f1 for one in found),
        fmean(one.slot_accuracy for one in found),
        fmean(one.em for one in found),
    )


def _slots_by(
    slots: Sequence[SlotOutcome], names: Sequence[str], name: Callable[[Slot], str]
) -> dict[str, SlotShare]:
    """Return shares by name; names beyond the known ones come last, as ``unstated`` or as given."""
    groups: dict[str, list[SlotOutcome]] = {each: [] for each in names}
    for outcome in slots:
        groups.setdefault(name(outcome.slot) or "unstated", []).append(outcome)
    return {
        each: SlotShare(
            len(found),
            fmean(one.right for one in found) if found else None,
            fmean(one.alike for one in found) if found else None,
        )
        for each, found in groups.items()
    }


def _modes(slots: Sequence[SlotOutcome]) -> Modes:
    wrong = [outcome for outcome in slots if not outcome.right]
    counts = {mode: sum(one.mode == mode for one in wrong) for mode in MODES}
    filled = [one for one in wrong if one.mode == "invented default" and one.filled]
    return Modes(
        slots=len(slots),
        wrong=len(wrong),
        counts=counts,
        share_of_errors={m: n / len(wrong) if wrong else None for m, n in counts.items()},
        rate={m: n / len(slots) if slots else None for m, n in counts.items()},
        invented_from_passages=(fmean(one.distractor for one in filled) if filled else None),
    )
