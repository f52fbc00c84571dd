"""The report of mem2act: which memory makes which model's calls right, and where they go wrong."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

from actmem.mem2act.compare import compare
from actmem.mem2act.paper import figures
from actmem.mem2act.results import Row, results, shortfalls, with_gains
from actmem.mem2act.suite import Mem2ActSuite
from actmem.report.cells import NOTHING, best_of, cell, printed
from actmem.report.document import Block, Cell, Column, Report, Section, Table
from actmem.report.facts import run_facts
from actmem.report.mem2act_plots import mem2act_plots
from actmem.report.mem2act_tables import (
    analysis_tables,
    costs_table,
    main_table,
    negatives_table,
    retrieval_table,
)
from actmem.report.pairs import Pair, differences_table
from actmem.report.same import (
    model_settings,
    refuse_mixed,
    refuse_other_models,
    refuse_other_units,
    refuse_twice,
)
from actmem.report.stats import Difference, Interval
from actmem.run.store import RunFolder

SETTINGS = ("budget", "top", "pair", "prompts", "embedder", "order")
"""Settings that have to be equal in one report, beside data and version.

``order`` is the seed of the tools' order, where there are several; their number may differ.
"""
FLOORS = ("none", "oracle")
"""The memories between which every other stands."""


class Mem2ActEntry(NamedTuple):
    """One system's row, and the run that it is of."""

    row: Row
    where: str
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """How tables call it."""
        return self.row.title

    @property
    def floor(self) -> bool:
        """False: floors need the model too, and are no other run's."""
        return False


def mem2act_report(folders: Sequence[RunFolder]) -> Report:
    """Return the report of run folders that answer the same data.

    Raises ``InputError`` where they do not, or where version or ``SETTINGS`` differ.
    """
    entries = _read(folders)
    refuse_mixed(entries, SETTINGS)
    refuse_other_models(entries)
    refuse_twice(entries)
    rows = with_gains([entry.row for entry in entries])
    read = [row for row in rows if row.scores is not None]
    sections = []
    if read:
        blocks: list[Block] = [
            main_table(rows),
            *mem2act_plots(rows),
            pairs_table(rows),
            published_table(),
        ]
        if len({row.model for row in read if not row.negatives}) > 1:
            blocks.insert(1, grid_table(read))
        if any(row.negatives for row in read):
            blocks.insert(-1, negatives_table(read))
        text = "Scores are means over all tasks; a task without a usable call scores 0. "
        sections.append(Section(title="Calls", text=text + _floors(rows), blocks=blocks))
    sections.append(Section(title="Retrieval", blocks=[retrieval_table(rows)]))
    if read:
        sections.append(Section(title="Where calls go wrong", blocks=analysis_tables(read)))
    sections.append(Section(title="Costs", blocks=[costs_table(rows)]))
    return _report(folders, rows, sections)


def mem2act_comparison(folders: Sequence[RunFolder]) -> Report:
    """Return the differences between all systems of run folders that answer the same data."""
    entries = _read(folders)
    rows = [entry.row for entry in entries]
    names = [entry.name for entry in entries]
    labels = [
        f"{e.where.rpartition('/')[2]}: {e.name}" if names.count(e.name) > 1 else e.name
        for e in entries
    ]
    blocks = [pairs_table(rows, labels), main_table(rows, best=False)]
    return _report(folders, rows, [Section(title="Comparison", blocks=blocks)])


def _read(folders: Sequence[RunFolder]) -> list[Mem2ActEntry]:
    refuse_other_units(folders, "data")
    found = []
    for folder in folders:
        given = folder.manifest.settings
        settings = {name: given[name] for name in SETTINGS if name in given}
        settings.setdefault("top", None)  # each memory's own
        if given["shown"]:
            settings["order"] = given["seed"]
        settings["actmem"] = folder.manifest.versions.get("actmem", "")
        found += [
            Mem2ActEntry(row, str(folder.path), settings | model_settings(folder, row.model))
            for row in results(Mem2ActSuite(folder))
        ]
    refuse_mixed(found, ("actmem",))
    return found


def _report(folders: Sequence[RunFolder], rows: Sequence[Row], sections: list[Section]) -> Report:
    return Report(
        suite="mem2act",
        title="Mem2Act: are tool calls grounded in a long history?",
        facts=run_facts(
            folders, "data", ("budget", "top", "setting", "negatives", "pair"), listed=True
        ),
        sections=sections,
        incomplete=shortfalls(rows),
    )


def _floors(rows: Sequence[Row]) -> str:
    """Say what is missing to read the scores by; floors of calls need the model and a run."""
    lacking = [name for name in FLOORS if name not in {row.memory for row in rows}]
    if not lacking:
        return "Between none and oracle lies what a memory can make of the history."
    return f"To read them by, run {' and '.join(lacking)} too."


def grid_table(rows: Sequence[Row]) -> Table:
    """Return F1 by memory and model, repeats averaged; the best memory of each model is marked.

    Without hard negatives: the rows that have some are left out.
    """
    rows = [row for row in rows if not row.negatives]
    models = list(dict.fromkeys(row.model for row in rows))
    memories = list(dict.fromkeys(row.memory for row in rows))
    by_cell: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_cell.setdefault((row.memory, row.model), []).append(row)
    columns: list[list[Cell]] = []
    for model in models:
        cells, ranked = [], []
        for memory in memories:
            found = by_cell.get((memory, model), [])
            whole = all(row.status == "complete" for row in found)
            values = [row.scores.all.f1 for row in found if row.scores]
            known = [value for value in values if value is not None]
            mean = sum(known) / len(known) if known else None
            cells.append(cell(mean, note="" if whole else "INCOMPLETE") if found else NOTHING)
            ranked.append(whole and not any(row.privilege for row in found))
        columns.append(best_of(cells, ranked))
    return Table(
        name="grid",
        title="F1 by memory and model",
        columns=[
            Column(key="memory", title="memory", kind="text"),
            *(Column(key=model, title=model, kind="percent") for model in models),
        ],
        rows=[[cell(name), *parts] for name, *parts in zip(memories, *columns, strict=True)],
        note="The best memory of each model is marked; privileged ones do not compete.",
    )


def pairs_table(rows: Sequence[Row], labels: Sequence[str] | None = None) -> Table:
    """Return the differences in F1, paired over tasks.

    With ``labels`` all are set against each other; without, those of one group.
    """
    names = labels or [row.title for row in rows]
    whole = [
        (name, row)
        for name, row in zip(names, rows, strict=True)
        if row.scores is not None and row.status == "complete"
    ]
    found = []
    for (one, first), (two, second) in combinations(whole, 2):
        if labels or first.group == second.group:
            gap = compare(first.by_task, second.by_task, "f1")
            difference = Difference(
                value=gap.mean, interval=Interval(gap.low, gap.high), p=gap.p,
                clusters=gap.tasks, exact=False,
            )  # fmt: skip
            found.append(Pair(one, two, 1, difference))
    note = "Intervals (95 %) and p: bootstrap over tasks, both scores of a task drawn together."
    return differences_table(found, "F1", note)


def published_table() -> Table:
    """Return what the paper prints; its data are others, so the figures only tell the range."""
    return Table(
        name="published",
        title="Published figures",
        columns=[
            Column(key="what", title="what", kind="text"),
            Column(key="metric", title="metric", kind="text"),
            Column(key="value", title="value", kind="percent"),
        ],
        rows=[[cell(one.what), cell(one.metric), printed(one.value)] for one in figures()],
        note="Over the paper's own data and models.",
    )
