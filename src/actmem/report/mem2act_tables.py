"""The tables of mem2act: scores of calls, retrieval, analyses and costs, a row a system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from actmem.mem2act.analyse import MODES, Analysis
from actmem.mem2act.compare import interval
from actmem.mem2act.results import Row
from actmem.mem2act.retrieval import METRICS
from actmem.report.cells import NOTHING, cell, share, with_best
from actmem.report.document import Cell, Column, Table
from actmem.report.stats import Interval

AGENT = Column(key="agent", title="system", kind="text", help="Memory, and the model that reads.")
ANSWERED = Column(key="answered", title="answered", kind="text", help="Tasks that were reached.")
PRIVILEGE = Column(key="privilege", title="privilege", kind="text")


def answered(row: Row) -> Cell:
    """Return how many tasks were reached; a row that did not come to its end is marked."""
    note = "" if row.status == "complete" else "INCOMPLETE"
    return cell(f"{row.answered}/{row.planned}", note=note)


def _ranked(row: Row) -> bool:
    return row.status == "complete" and not row.privilege


def _name(row: Row) -> Cell:
    return cell(row.title)


def _percent(*titles: str) -> list[Column]:
    return [Column(key=_key(title), title=title, kind="percent") for title in titles]


def _key(title: str) -> str:
    return title.lower().replace(" ", "_").replace("-", "_")


def main_table(rows: Sequence[Row], *, best: bool = True) -> Table:
    """Return the scores of the calls; systems that only retrieve are left out.

    ``best`` marks the best of each column: not where rows were run with other settings.
    """
    read = [row for row in rows if row.scores is not None]
    cells = []
    for row in read:
        assert row.scores is not None
        scores = row.scores.all
        bounds = interval(row.by_task, "f1") if row.by_task else None
        f1 = cell(scores.f1, Interval(bounds.low, bounds.high) if bounds else None)
        others = (
            scores.slot_f1, scores.em, scores.bleu1, scores.tsa, scores.arg_f1,
            row.scores.resolvable.f1,
        )  # fmt: skip
        cells.append(
            [_name(row), answered(row), f1, cell(row.gain), *map(cell, others), cell(row.invalid),
             cell(row.privilege)]
        )  # fmt: skip
    return Table(
        name="systems",
        title="Tool calls by memory and model",
        columns=[
            AGENT, ANSWERED,
            Column(key="f1", title="F1", kind="percent", help="Of the values' tokens."),
            Column(key="gain", title="gain", kind="percent",
                   help="F1 less that of none with the same model, negatives and repeat."),
            *_percent("slot F1", "EM", "BLEU-1", "TSA"),
            Column(key="arg_f1", title="F1 right tool", kind="percent",
                   help="Of the calls of the right tool."),
            Column(key="f1_resolvable", title="F1 resolv.", kind="percent",
                   help="Of the tasks of which the history holds a source."),
            Column(key="invalid", title="invalid", help="Replies that could not be used."),
            PRIVILEGE,
        ],
        rows=with_best(cells, [best and _ranked(row) for row in read], [2, *range(4, 10)]),
        note="Intervals: 95 %, bootstrap over tasks.",
    )  # fmt: skip


def retrieval_table(rows: Sequence[Row]) -> Table:
    """Return what the passages held, whatever was made of it."""
    cells = []
    for row in rows:
        found = row.retrieval["all"]
        means = [cell(found.means[name]) for name in METRICS]
        size = cell(None if found.tokens is None else round(found.tokens))
        cells.append(
            [_name(row), answered(row), *means, size, cell(row.cost.cut), cell(row.privilege)]
        )
    return Table(
        name="retrieval",
        title="What was retrieved, over all tasks",
        columns=[
            AGENT, ANSWERED,
            *_percent(*METRICS),
            Column(key="tokens", title="tokens", help="Of the passages for a task, on average."),
            Column(key="cut", title="cut", help="Reads that exceeded the budget and were cut."),
            PRIVILEGE,
        ],
        rows=with_best(cells, [_ranked(row) for row in rows], range(2, 2 + len(METRICS))),
        note="Recall: facts of the chain in the passages. Values: gold values that stand in them.",
    )  # fmt: skip


def negatives_table(read: Sequence[Row]) -> Table:
    """Return what became of the choice of a tool, by the number of hard negatives."""
    cells = []
    for row in sorted(read, key=lambda row: (row.agent, row.repeat, row.negatives)):
        assert row.scores is not None
        scores = row.scores.all
        cells.append(
            [_name(row), cell(row.negatives), answered(row),
             *map(cell, (scores.tsa, scores.arg_f1, scores.f1, scores.em))]
        )  # fmt: skip
    return Table(
        name="negatives",
        title="By number of hard negatives",
        columns=[
            AGENT,
            Column(key="negatives", title="negatives", help="Tools beside the right one."),
            ANSWERED,
            *_percent("TSA", "F1 right tool", "F1", "EM"),
        ],
        rows=cells,
        note="F1 right tool: of the calls of the right tool alone. Without negatives the right tool "
        "is given.",
    )


Groups = Callable[[Analysis], dict[str, Any]]


def analysis_tables(read: Sequence[Row]) -> list[Table]:
    """Return the analyses, a table each, a column a group with its number of tasks or slots."""
    return [
        _groups("levels", "F1 by level", read, lambda a: a.by_level, "f1", "tasks"),
        _groups("positions", "F1 by where the evidence stands in the history", read,
                lambda a: a.by_position, "f1", "tasks"),
        _groups("groundings", "Right slots by grounding", read, lambda a: a.by_grounding,
                "accuracy", "slots"),
        _groups("classes", "Right slots by class of value", read, lambda a: a.by_class,
                "accuracy", "slots"),
        _modes(read),
    ]  # fmt: skip


def _groups(
    name: str, title: str, read: Sequence[Row], groups: Groups, field: str, number: str
) -> Table:
    found = [groups(row.analysis) for row in read if row.analysis is not None]
    sizes = {group: getattr(share, number) for one in found for group, share in one.items()}
    return Table(
        name=name,
        title=title,
        columns=[
            AGENT,
            ANSWERED,
            *(
                Column(
                    key=group, title=f"{group} ({size})", kind="percent", help=f"{size} {number}."
                )
                for group, size in sizes.items()
            ),
        ],
        rows=[
            [
                _name(row),
                answered(row),
                *(cell(getattr(one[g], field)) if g in one else NOTHING for g in sizes),
            ]
            for row, one in zip(read, found, strict=True)
        ],
        note=f"In brackets: the number of {number}.",
    )


def _modes(read: Sequence[Row]) -> Table:
    rows = []
    for row in read:
        assert row.analysis is not None
        modes = row.analysis.modes
        shares = [cell(modes.share_of_errors[mode]) for mode in MODES]
        rows.append(
            [_name(row), answered(row), cell(modes.wrong), cell(modes.slots), *shares,
             cell(modes.invented_from_passages)]
        )  # fmt: skip
    return Table(
        name="modes",
        title="How wrong slots went wrong",
        columns=[
            AGENT, ANSWERED,
            Column(key="wrong", title="wrong", help="Slots that are not right."),
            Column(key="slots", title="of slots"),
            *_percent(*MODES),
            Column(key="distracted", title="from passages", kind="percent",
                   help="Of invented defaults, those whose value stands in a passage."),
        ],
        rows=rows,
        note="Shares of the wrong slots, each counted once, by the first mode that applies.",
    )  # fmt: skip


def costs_table(rows: Sequence[Row]) -> Table:
    """Return what each system took."""
    cells = []
    for row in rows:
        cost, reader = row.cost, row.cost.reader
        took = [
            cell(reader.calls), cell(reader.prompt_tokens + reader.completion_tokens),
            share(reader.cached_tokens, reader.prompt_tokens), cell(round(reader.seconds, 1)),
            NOTHING if cost.paid is None else cell(cost.paid),
        ]  # fmt: skip
        writing = [cell(s) for s in (cost.write_seconds, cost.write_p50, cost.write_p95)]
        reading = [cell(None if s is None else 1000 * s) for s in (cost.read_p50, cost.read_p95)]
        cells.append(
            [
                _name(row), answered(row), cell(cost.write_tokens), *writing,
                cell(cost.write_usage.calls), cell(cost.read_usage.calls), *reading,
                *(took if row.model else [NOTHING] * len(took)),
            ]
        )  # fmt: skip
    return Table(
        name="costs",
        title="What it took",
        columns=[
            AGENT, ANSWERED,
            Column(key="write_tokens", title="written", help="Tokens written to the memory."),
            Column(key="write_seconds", title="write s", kind="number"),
            Column(key="write_p50", title="a session p50", kind="number", help="Seconds."),
            Column(key="write_p95", title="p95", kind="number"),
            Column(key="write_calls", title="write calls", help="Of a model by the memory."),
            Column(key="read_calls", title="read calls", help="Of a model by the memory."),
            Column(key="read_p50", title="read ms p50", kind="number"),
            Column(key="read_p95", title="p95", kind="number"),
            Column(key="calls", title="calls", help="Of the model that makes the tool calls."),
            Column(key="tokens", title="tokens", help="Of its prompts and replies."),
            Column(key="cached", title="cached", kind="percent", help="Of its prompts' tokens."),
            Column(key="seconds", title="seconds", kind="number", help="Of its calls."),
            Column(key="paid", title="cost", kind="number",
                   help="Of all calls, the memory's own included; empty where it is not known."),
        ],
        rows=cells,
    )  # fmt: skip
