"""Scores of predicted calls against the gold ones: deterministic, no model as judge.

The paper names F1 ("parameter precision and recall"), BLEU-1 and Tool Accuracy ("correct tool and
exact parameter match") and states no normalisation. How they are read here:

``f1``                   value-token F1, the main one: tokens of the top-level values as multisets
``bleu1``                precision of those tokens; no brevity penalty
``bleu1_call``           the same over the whole call: tool, names and values
``slot_f1``              precision and recall of arguments, name and value both equal, type included
``slot_f1_normalised``   the same where values need only say the same (``values.alike``)
``slot_accuracy``        share of gold arguments that are predicted with an equal value
``tsa``                  tool selection accuracy: the right tool
``em``                   exact match: the right tool, and all arguments equal in value and type
``tool_accuracy``        ``em`` by the name that the paper's words define. The 87 to 97 % that it
                         prints cannot be that beside an exact match of 14 to 18 %: compare ``tsa``
``arg_f1``               mean ``f1`` of the calls of the right tool; None where there is none

Each is a mean over tasks. A call that is missing or unusable scores 0 everywhere and stays in the
denominator. Scores but ``tsa``, ``em`` and ``arg_f1`` do not ask whether the tool is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from msgspec import Struct

from actmem.mem2act.data import Dataset
from actmem.mem2act.predictions import Prediction
from actmem.mem2act.values import alike, same, tokens, value_tokens

MEANS = ("f1", "slot_f1", "slot_f1_normalised", "bleu1", "bleu1_call", "tsa", "em",
         "tool_accuracy", "slot_accuracy")  # fmt: skip
"""Metrics that are means over all tasks, in the order of tables."""


class CallScore(Struct, frozen=True, kw_only=True):
    """The scores of one call, each 0 to 1."""

    f1: float = 0.0
    slot_f1: float = 0.0
    slot_f1_normalised: float = 0.0
    bleu1: float = 0.0
    bleu1_call: float = 0.0
    tsa: float = 0.0
    em: float = 0.0
    slot_accuracy: float = 0.0

    @property
    def tool_accuracy(self) -> float:
        """``em`` by the paper's words."""
        return self.em


NOTHING = CallScore()
"""The score of a call that is missing or unusable."""


def score_call(
    tool: str, arguments: Mapping[str, Any], gold_tool: str, gold: Mapping[str, Any]
) -> CallScore:
    """Score one call against the gold one."""
    found, wanted = value_tokens(arguments), value_tokens(gold)
    right = [name for name in gold if name in arguments and same(arguments[name], gold[name])]
    near = [name for name in gold if name in arguments and alike(arguments[name], gold[name])]
    return CallScore(
        f1=_f1(_overlap(found, wanted), len(found), len(wanted)),
        slot_f1=_f1(len(right), len(arguments), len(gold)),
        slot_f1_normalised=_f1(len(near), len(arguments), len(gold)),
        bleu1=_precision(found, wanted),
        bleu1_call=_precision(_call_tokens(tool, arguments), _call_tokens(gold_tool, gold)),
        tsa=float(tool == gold_tool),
        em=float(tool == gold_tool and same(dict(arguments), dict(gold))),
        slot_accuracy=len(right) / len(gold) if gold else float(not arguments),
    )


def _call_tokens(tool: str, arguments: Mapping[str, Any]) -> list[str]:
    names = [token for name in arguments for token in tokens(name)]
    return [*tokens(tool), *names, *value_tokens(arguments)]


def _overlap(one: Iterable[str], two: Iterable[str]) -> int:
    return (Counter(one) & Counter(two)).total()


def _precision(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Return the share of ``found`` that is in ``wanted``; 1 where both are empty, else 0."""
    return _overlap(found, wanted) / len(found) if found else float(not wanted)


def _f1(hits: int, found: int, wanted: int) -> float:
    """Return F1 from counts; 1 where nothing is wanted and nothing found."""
    return 2 * hits / (found + wanted) if found + wanted else 1.0


class Scores(Struct, frozen=True, kw_only=True):
    """Means over a group of tasks, as fractions; None for a group without tasks."""

    tasks: int
    f1: float | None
    slot_f1: float | None
    slot_f1_normalised: float | None
    bleu1: float | None
    bleu1_call: float | None
    tsa: float | None
    em: float | None
    tool_accuracy: float | None
    slot_accuracy: float | None
    arg_f1: float | None


class Result(Struct, frozen=True, kw_only=True):
    """The scores of one set of predictions."""

    all: Scores
    resolvable: Scores
    """Tasks of which the history holds at least one source."""
    complete: Scores
    """Tasks of which it holds all sources."""
    by_level: dict[str, Scores]
    by_task: dict[str, CallScore]
    missing: int
    """Tasks without a prediction."""
    unusable: int
    """Predictions that are no call."""

    def row(self) -> dict[str, Any]:
        """Return the result as plain data: the scores over all tasks first, groups beside them."""
        from msgspec import to_builtins

        fields: dict[str, Any] = to_builtins(self)
        fields.pop("by_task")
        head: dict[str, Any] = fields.pop("all")
        return head | fields


def score(data: Dataset, predictions: Mapping[str, Prediction]) -> Result:
    """Score predictions by task id; every task of the data counts."""
    by_task: dict[str, CallScore] = {}
    for task in data.tasks:
        found = predictions.get(task.qa_id)
        if found is None or found.arguments is None or found.name is None:
            by_task[task.qa_id] = NOTHING
        else:
            by_task[task.qa_id] = score_call(
                found.name, found.arguments, task.tool, task.tool_call.arguments
            )

    def over(tasks: Iterable[Any]) -> Scores:
        return means([by_task[task.qa_id] for task in tasks])

    levels = sorted({task.complexity_metadata.level for task in data.tasks})
    return Result(
        all=over(data.tasks),
        resolvable=over(filter(data.resolvable, data.tasks)),
        complete=over(filter(data.complete, data.tasks)),
        by_level={
            level: over(t for t in data.tasks if t.complexity_metadata.level == level)
            for level in levels
        },
        by_task=by_task,
        missing=sum(task.qa_id not in predictions for task in data.tasks),
        unusable=sum(not prediction.usable for prediction in predictions.values()),
    )


def means(scores: Sequence[CallScore]) -> Scores:
    """Return the means over calls."""
    right = [score.f1 for score in scores if score.tsa]
    return Scores(
        tasks=len(scores),
        arg_f1=fmean(right) if right else None,
        **{
            name: fmean(getattr(score, name) for score in scores) if scores else None
            for name in MEANS
        },
    )
