"""Plain text for the terminal: defects, statistics, scores. Fractions are per cent here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from actmem.mem2act.analyse import MODES
from actmem.mem2act.defects import STRICT, Defect
from actmem.mem2act.retrieval import METRICS
from actmem.mem2act.score import MEANS, Result, Scores

if TYPE_CHECKING:
    from actmem.mem2act.compare import Pair
    from actmem.mem2act.results import Row


def percent(value: float | None) -> str:
    """Return a fraction as per cent with one decimal, n/a where undefined."""
    return "n/a" if value is None else f"{100 * value:.1f}"


def columns(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return lines of aligned columns: the first to the left, the others to the right."""
    table = [list(head), *(list(row) for row in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    return [
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
            ]
        ).rstrip()
        for row in table
    ]


def defect_lines(found: Sequence[Defect], tally: Mapping[str, int]) -> list[str]:
    """Return each defect, then how many there are of each kind and in how many places."""
    places = Counter(kind for kind, _ in {(defect.kind, defect.where) for defect in found})
    rows = [[kind, str(number), str(places[kind]), STRICT[kind]] for kind, number in tally.items()]
    width = max(map(len, tally))
    lines = [f"{one.where}: {one.message} [{one.kind}]" for one in found]
    lines += ["", f"{'defect':<{width}}  {'count':>5}  {'in':>5}"]
    return lines + [f"{row[0]:<{width}}  {row[1]:>5}  {row[2]:>5}  {row[3]}" for row in rows]


def stats_lines(found: Mapping[str, Any]) -> list[str]:
    """Return the statistics, groups below their name."""
    lines = []
    for name, value in found.items():
        label = name.replace("_", " ")
        if isinstance(value, dict):
            lines.append(label)
            lines += [f"  {key:<24}{number:>10}" for key, number in value.items()]
        else:
            text = "n/a" if value is None else f"{value:.3f}" if isinstance(value, float) else value
            lines.append(f"{label:<26}{text:>10}")
    return lines


def score_lines(result: Result) -> list[str]:
    """Return the scores over all tasks, the resolvable ones, and by level."""
    groups = {"all": result.all, "resolvable": result.resolvable, "all sources": result.complete}
    groups |= result.by_level
    head = ["tasks", "n", *(name.replace("normalised", "norm") for name in MEANS), "arg_f1"]
    lines = columns(head, [[name, *_cells(scores)] for name, scores in groups.items()])
    return [*lines, "", f"missing {result.missing}, unusable {result.unusable}; values in %"]


def _cells(scores: Scores) -> list[str]:
    values = [getattr(scores, name) for name in (*MEANS, "arg_f1")]
    return [str(scores.tasks), *map(percent, values)]


def result_lines(rows: Sequence[Row]) -> list[str]:
    """Return one line a system and model, reader's scores first, then retrieval and cost.

    A row below full coverage is marked.
    """
    lines: list[str] = []
    read = [row for row in rows if row.scores is not None]
    if read:
        head = ["system + model", "answered", "F1", "gain", "slot F1", "EM", "BLEU-1", "TSA",
                "F1 resolv.", "invalid", "s/call"]  # fmt: skip
        cells = [_reader_cells(row) for row in read]
        if any(row.cost.paid is not None for row in read):
            head.append("cost")
            cells = [[*c, _paid(row)] for c, row in zip(cells, read, strict=True)]
        lines += [*columns(head, cells), ""]
    head = ["system", "read", *METRICS, "tokens", "write s", "read ms p50", "p95"]
    lines += columns(head, map(_retrieval_cells, rows))
    calling = [row for row in rows if row.cost.write_usage.calls or row.cost.read_usage.calls]
    if calling:
        head = ["the memory's own calls", "writing", "tokens", "invalid", "s", "reading", "tokens",
                "invalid", "s"]  # fmt: skip
        lines += ["", *columns(head, map(_call_cells, calling))]
    told = (
        (row.memory, note) for row in rows for note in (row.privilege, row.constants.get("note"))
    )
    notes = sorted({f"{memory}: {note}" for memory, note in told if note})
    notes += [
        f"{row.title}: {row.cost.cut} of {row.answered} reads exceeded the budget and were cut"
        for row in rows
        if row.cost.cut
    ]
    return [*lines, "", "shares in %; retrieval over all tasks", *notes]


def _covered(row: Row) -> str:
    covered = f"{row.answered}/{row.planned}"
    return covered if row.status == "complete" else f"{covered} INCOMPLETE"


def _reader_cells(row: Row) -> list[str]:
    assert row.scores is not None
    scores = row.scores.all
    cells = [scores.f1, row.gain, scores.slot_f1, scores.em, scores.bleu1, scores.tsa]
    return [
        row.title,
        _covered(row),
        *map(percent, [*cells, row.scores.resolvable.f1]),
        str(row.invalid),
        _number(row.cost.answer_p50, 1, 1),
    ]


def _paid(row: Row) -> str:
    return "n/a" if row.cost.paid is None else f"{row.cost.paid:.4g}"


def _retrieval_cells(row: Row) -> list[str]:
    found = row.retrieval["all"]
    return [
        row.title,
        _covered(row),
        *(percent(found.means[name]) for name in METRICS),
        _number(found.tokens, 1, 0),
        _number(row.cost.write_seconds, 1, 1),
        _number(row.cost.read_p50, 1000, 1),
        _number(row.cost.read_p95, 1000, 1),
    ]


def _call_cells(row: Row) -> list[str]:
    cells = [row.title]
    for used in (row.cost.write_usage, row.cost.read_usage):
        cells += [str(used.calls), str(used.tokens), str(used.invalid), f"{used.seconds:.1f}"]
    return cells


def _number(value: float | None, factor: float, digits: int) -> str:
    return "n/a" if value is None else f"{factor * value:.{digits}f}"


def analysis_lines(rows: Sequence[Row]) -> list[str]:
    """Return the analyses, a table each, a column a system."""
    read = [row for row in rows if row.analysis is not None]
    if not read:
        return []
    found = [row.analysis for row in read if row.analysis is not None]
    head = [row.title for row in read]
    lines: list[str] = []
    for title, name, value, count in (
        ("F1 by level", "by_level", "f1", "tasks"),
        ("F1 by position of the evidence", "by_position", "f1", "tasks"),
        ("slot accuracy by grounding", "by_grounding", "accuracy", "slots"),
        ("slot accuracy by value class", "by_class", "accuracy", "slots"),
    ):
        groups = [getattr(one, name) for one in found]
        table = [
            [group, str(getattr(groups[0][group], count)),
             *(percent(getattr(part[group], value)) for part in groups)]
            for group in groups[0]
        ]  # fmt: skip
        lines += ["", *columns([title, "n", *head], table)]
    modes = [one.modes for one in found]
    table = [[mode, *(percent(part.share_of_errors[mode]) for part in modes)] for mode in MODES]
    lines += ["", *columns(["error modes, of wrong slots", *head], table)]
    table = [[mode, *(percent(part.rate[mode]) for part in modes)] for mode in MODES]
    table.append(
        ["defaults from a passage", *(percent(part.invented_from_passages) for part in modes)]
    )
    return [*lines, "", *columns(["error modes, of all slots", *head], table)]


def pair_lines(pairs: Sequence[Pair]) -> list[str]:
    """Return the differences in F1 with their intervals."""
    table = [
        [
            f"{pair.one} less {pair.two}",
            f"{100 * pair.difference.mean:+.1f}",
            f"{100 * pair.difference.low:+.1f} to {100 * pair.difference.high:+.1f}",
            f"{pair.difference.p:.3f}",
        ]
        for pair in pairs
    ]
    return (
        ["", *columns(["F1, paired over tasks", "points", "95 %", "p, uncorrected"], table)]
        if table
        else []
    )
