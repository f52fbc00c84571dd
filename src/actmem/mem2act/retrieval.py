"""Retrieval on its own, without a reader: do the passages hold what a task needs?

Everything is measured on the passages as the reader would get them: in their order, cut to the
budget, the days before them left aside. A passage *covers* a fact of the chain where it holds the
fact's words, or comes from a turn that states the fact and holds the whole of it. Facts that the
history does not hold stay in the denominators, so that the scores over all tasks show what is lost
with them; ``resolvable`` leaves those tasks out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from msgspec import Struct

from actmem.mem2act.data import Fact, Task
from actmem.mem2act.history import History
from actmem.mem2act.slots import task_slots
from actmem.mem2act.values import Text, findable, leaves
from actmem.memory.packing import spent
from actmem.memory.protocol import Passage, Turn

DEPTHS = (1, 3, 5)
"""Numbers of passages at which recall and nDCG are taken."""
METRICS = (*(f"recall@{k}" for k in DEPTHS), "recall", "mrr", "ndcg@5", "values")
"""Names of the metrics, in the order of tables."""


class TaskRetrieval(Struct, frozen=True, kw_only=True):
    """How well the passages of one task serve it; fractions."""

    recall: dict[str, float]
    """Share of the chain's facts that the first k passages cover, by k as text, and by ``all``."""
    mrr: float
    """One over the rank of the first passage that covers any fact; 0 without one."""
    ndcg: float
    """nDCG@5, gain 1 for each fact that is covered for the first time."""
    values: float | None
    """Share of the gold values that stand in the passages; None for a task without any to find.

    Defaults do not count: no memory has to bring them. Nor do truth values: they stand nowhere.
    """
    tokens: int


def measure(history: History, task: Task, passages: Sequence[Passage]) -> TaskRetrieval:
    """Measure the passages that were read for a task."""
    facts = task.evolution_chain
    stating = [tuple(history.turns[n] for n in history.stating(fact)) for fact in facts]
    covered = [
        {i for i, fact in enumerate(facts) if covers(passage, fact, stating[i])}
        for passage in passages
    ]
    recall = {str(k): len(set().union(*covered[:k])) / len(facts) if facts else 0.0 for k in DEPTHS}
    recall["all"] = len(set().union(*covered)) / len(facts) if facts else 0.0
    first = next((rank for rank, found in enumerate(covered, start=1) if found), None)
    return TaskRetrieval(
        recall=recall,
        mrr=1 / first if first else 0.0,
        ndcg=_ndcg(covered, stating),
        values=present(task, passages),
        tokens=spent(passages),
    )


def covers(passage: Passage, fact: Fact, stating: Iterable[Turn]) -> bool:
    """Return whether a passage holds a fact's words, or a turn that states it and that it names."""
    text = Text(passage.said)
    words = [fact.source_text, *(turn.text for turn in stating if turn.id in passage.turns)]
    return any(findable(one) and text.holds(one) for one in words)


def looked_up(passages: Iterable[Passage]) -> Text:
    """Return what passages say, to look values up in."""
    return Text("\n".join(passage.said for passage in passages))


def _ndcg(covered: Sequence[set[int]], stating: Sequence[tuple[Turn, ...]]) -> float:
    """Return DCG@5 over that of the best order.

    Facts of the same turns count as one. A passage takes a place for each of these that it covers
    first, so that memories of longer passages can reach 1, too, and one where it brings no new fact.
    """
    group = [turns or i for i, turns in enumerate(stating)]
    seen: set[int] = set()
    places: list[bool] = []
    for found in covered:
        new = {group[i] for i in found} - {group[i] for i in seen}
        places += [True] * len(new) or [False] * (not found - seen)
        seen |= found
    ideal = _dcg([True] * len(set(group)))
    return _dcg(places) / ideal if ideal else 0.0


def _dcg(places: Sequence[bool]) -> float:
    return sum(hit / math.log2(rank + 1) for rank, hit in enumerate(places[:5], start=1))


def present(task: Task, passages: Iterable[Passage]) -> float | None:
    """Return the share of a task's gold values that stand in the passages."""
    text = looked_up(passages)
    wanted = [
        leaf
        for slot in task_slots(task)
        if slot.grounding != "default"
        for leaf in leaves(slot.value)
        if findable(leaf)
    ]
    return sum(map(text.holds, wanted)) / len(wanted) if wanted else None


class Retrieval(Struct, frozen=True, kw_only=True):
    """Means over a group of tasks, by metric; None where there is nothing to average."""

    tasks: int
    means: dict[str, float | None]
    tokens: float | None
    """Mean tokens of a task's passages."""


def retrieval(history: History, read: Mapping[str, Sequence[Passage]]) -> dict[str, Retrieval]:
    """Return the means over ``all`` tasks, the ``resolvable`` and the ``complete`` ones."""
    data = history.data
    by_task = {task.qa_id: measure(history, task, read[task.qa_id]) for task in data.tasks}

    def over(tasks: Iterable[Task]) -> Retrieval:
        found = [by_task[task.qa_id] for task in tasks]
        columns: dict[str, list[Any]] = {
            **{f"recall@{k}": [one.recall[str(k)] for one in found] for k in DEPTHS},
            "recall": [one.recall["all"] for one in found],
            "mrr": [one.mrr for one in found],
            "ndcg@5": [one.ndcg for one in found],
            "values": [one.values for one in found if one.values is not None],
        }
        return Retrieval(
            tasks=len(found),
            means={name: fmean(values) if values else None for name, values in columns.items()},
            tokens=fmean(one.tokens for one in found) if found else None,
        )

    return {
        "all": over(data.tasks),
        "resolvable": over(filter(data.resolvable, data.tasks)),
        "complete": over(filter(data.complete, data.tasks)),
    }
