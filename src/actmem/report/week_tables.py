"""The tables of the PM-Bench paper over runs of our own, floors and published figures beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from actmem.report.cells import NOTHING, best_of, cell, coverage, printed, with_best
from actmem.report.document import Cell, Column, Table
from actmem.report.week_data import WeekData
from actmem.report.week_rates import (
    CHANNEL,
    CLOCK_RATE,
    CROSS_DAY,
    NARRATIVE,
    PRECISION,
    RECALL,
    SET_F1,
    UPDATE,
    Clusters,
    Line,
    Rate,
    lines,
    on_channel,
)
from actmem.week.agents.setups import SETUPS
from actmem.week.paper import paper

HEAD = (
    Column(key="setup", title="setup", kind="text", help="Setup, or agent that is none."),
    Column(key="from", title="from", kind="text",
           help="run, log, played now (floors that no run had), or published."),
)  # fmt: skip
PRIVILEGE = Column(
    key="privilege", title="privilege", kind="text", help="What it gets that others do not."
)
ODD_CELL = (
    "The published heartbeat run of Qwen3-8B (71.9) bears the marks of failed calls that were "
    "scored as perfect play; without that model the published ledger (65.0) is ahead of the "
    "heartbeat (64.1)."
)


def rate_column(rate: Rate) -> Column:
    """Return the column of a rate."""
    return Column(key=rate.key, title=rate.title, kind="percent", help=rate.help)


def beside(data: WeekData, line: Line) -> bool:
    """Say whether published figures may stand beside a line: same week, same kind of nudge."""
    if list(data.units.values()) != [paper().week.digest] or line.name not in SETUPS:
        return False
    nudged = SETUPS[line.name].heartbeat
    return not nudged or all(e.settings.get("nudge") == "informed" for e in line.entries)


def _head(line: Line) -> list[Cell]:
    return [cell(line.name), cell(line.source)]


def _rows(
    data: WeekData,
    own: Callable[[Line], list[Cell]],
    published: Callable[[Line], list[Cell]],
) -> tuple[list[list[Cell]], list[bool]]:
    """Return a row a line, each followed by the published one, and which of them are ranked."""
    rows, ranked = [], []
    for line in lines(data):
        rows.append([*_head(line), *own(line)])
        ranked.append(line.ranked)
        if beside(data, line):
            rows.append([cell(line.name), cell("published"), *published(line)])
            ranked.append(False)
    return rows, ranked


def _sentences(*texts: str) -> str:
    return " ".join(text for text in texts if text)


def setups_table(data: WeekData, clusters: Clusters) -> Table:
    """Return Table 2: a row a setup, pooled over its models."""
    counted = {
        "fp": ("FP", "set_fp", "Handles chosen that were not due, over all episodes."),
        "fp_week": ("FP/week", "set_fp", "The same for each week that a model plays."),
        "clock_queries": ("q. clock", "clock_queries", "Queries of the clock."),
        "channel_queries": ("q. channels", "hidden_channel_queries", "Queries of other channels."),
        "queries": ("queries", "state_query_calls", "All queries, as the published column counts."),
    }

    def own(line: Line) -> list[Cell]:
        members = line.entries
        scored = sum(e.result.scored for e in members)
        planned = sum(e.result.planned for e in members)
        total = {
            name: sum(e.result.counts[name] for e in members) for _, name, _ in counted.values()
        }
        cells = [cell(len(members)), coverage(scored, planned)]
        cells.append(cell(clusters.value(members, SET_F1), clusters.interval(members, SET_F1)))
        cells.append(cell(clusters.micro(members, SET_F1)))
        cells += [cell(clusters.value(members, rate)) for rate in (PRECISION, CROSS_DAY, UPDATE)]
        for key, (_, name, _) in counted.items():
            cells.append(cell(round(total[name] / planned, 1) if key == "fp_week" else total[name]))
        return [*cells, cell(line.privilege)]

    def published(line: Line) -> list[Cell]:
        row = paper().table_2.row(line.name)
        models = paper().week.models
        rates = ("macro_set_f1", "micro_set_f1", "precision", "cross_day_hit", "update_hit")
        cells = [cell(models), NOTHING, *(printed(row[name]) for name in rates)]
        cells += [cell(int(row["fp"])), cell(round(row["fp"] / models, 1)), NOTHING, NOTHING]
        return [*cells, cell(int(row["queries"])), NOTHING]

    rows, ranked = _rows(data, own, published)
    columns = [
        *HEAD,
        Column(key="models", title="models", help="Models that the row is the mean of."),
        Column(key="scored", title="scored", kind="text",
               help="Episodes played to their end, of the planned ones; the rest are empty acts."),
        Column(key="macro_set_f1", title="Set-F1", kind="percent", help=SET_F1.help),
        Column(key="micro_set_f1", title="micro", kind="percent",
               help="Set-F1 of the counts of all models pooled."),
        *(rate_column(rate) for rate in (PRECISION, CROSS_DAY, UPDATE)),
        *(Column(key=key, title=title, kind="number" if key == "fp_week" else "count", help=text)
          for key, (title, _, text) in counted.items()),
        PRIVILEGE,
    ]  # fmt: skip
    note = f"Intervals: 95 %, over {clusters.words}."
    return Table(
        name="setups",
        title="By setup (Table 2 of the paper)",
        columns=columns,
        rows=with_best(rows, ranked, range(4, 9)),
        note=_sentences(note, _unranked(data)),
    )


def _unranked(data: WeekData) -> str:
    names = [line.name for line in lines(data) if not line.complete]
    return f"Not ranked, since not all of it was played: {', '.join(names)}." if names else ""


def models_table(data: WeekData, clusters: Clusters) -> Table:
    """Return Table 3: Set-F1 by model and setup, the best setup of each model marked."""
    found = lines(data)
    setups = [line.name for line in found if line.name in SETUPS]
    by_cell = {
        (e.result.model, e.result.setup): e for e in data.entries if e.result.setup
    }  # fmt: skip
    rows: list[list[Cell]] = []
    for model in dict.fromkeys(model for model, _ in by_cell):
        cells, ranked = [], []
        for setup in setups:
            entry = by_cell.get((model, setup))
            one = Line(setup, (entry,)) if entry else None
            ranked.append(bool(one and one.ranked))
            cells.append(_f1(one, clusters) if one else NOTHING)
        source = next(e.source for (name, _), e in by_cell.items() if name == model)
        rows.append([cell(model), cell(source), *best_of(cells, ranked), NOTHING])
    for line in found:
        if line.name not in setups:
            rows.append([*_head(line), *[NOTHING] * len(setups), _f1(line, clusters)])
    shown = {line.name for line in found if beside(data, line)}
    for model in paper().table_3.rows if shown else ():
        row = paper().table_3.row(model)
        cells = [printed(row[setup]) if setup in shown else NOTHING for setup in setups]
        rows.append([cell(model), cell("published"), *cells, NOTHING])
    return Table(
        name="models",
        title="Set-F1 by model and setup (Table 3)",
        columns=[
            Column(key="model", title="model", kind="text", help="Model, or agent without setup."),
            HEAD[1],
            *(Column(key=setup, title=setup, kind="percent", help=SETUPS[setup].about)
              for setup in setups),
            Column(key="alone", title="alone", kind="percent", help="Agents that are no setup."),
        ],
        rows=rows,
        note=_sentences(
            f"The best setup of each model is marked. Intervals: 95 %, over {clusters.words}.",
            ODD_CELL if "heartbeat" in shown else "",
        ),
    )  # fmt: skip


def _f1(line: Line, clusters: Clusters) -> Cell:
    return cell(
        clusters.value(line.entries, SET_F1),
        clusters.interval(line.entries, SET_F1),
        "" if line.complete else "INCOMPLETE",
    )


def slices_table(data: WeekData, clusters: Clusters) -> Table:
    """Return the slices of Figure 4: hit rates by what has to be watched."""
    rates = (NARRATIVE, CLOCK_RATE, CHANNEL)

    def published(line: Line) -> list[Cell]:
        slices = ("narrative", "clock", "channel")
        return [*(printed(paper().figure_4[name].get(line.name)) for name in slices), NOTHING]

    return _rate_table(
        data,
        clusters,
        rates,
        published,
        name="slices",
        title="Hit rates by what has to be watched (Figure 4)",
        note="A task counts as done however it was known: see the table of evidence.",
    )


def intervals_table(data: WeekData, clusters: Clusters) -> Table:
    """Return the main rates with their intervals, which the paper lacks."""
    return _rate_table(
        data,
        clusters,
        (SET_F1, PRECISION, RECALL, CROSS_DAY, UPDATE),
        None,
        name="intervals",
        title="Main rates with intervals",
        note="",
    )


def channels_table(data: WeekData, clusters: Clusters) -> Table:
    """Return Table 7: hit rates of proactive tasks by channel."""
    numbers: dict[str, int] = {}
    for played in data.entries[-1].played:  # the oracle: what there is to do
        for day in played.score.per_day.values():
            for name, counts in day.by_monitoring_channel.items():
                numbers[name] = numbers.get(name, 0) + counts["total"]
    names = sorted(numbers)

    def published(line: Line) -> list[Cell]:
        row = paper().table_7.row(line.name)
        return [*(printed(row.get(name)) for name in names), NOTHING]

    rates = [on_channel(name) for name in names]
    table = _rate_table(
        data, clusters, rates, published, name="channels",
        title="Hit rates of tasks on hidden channels (Table 7)",
        note="In brackets: how many tasks there are in the weeks; few tell little.", bounds=False,
    )  # fmt: skip
    counted = [
        Column(key=c.key, title=f"{c.title} ({numbers[c.key]})", kind=c.kind, help=c.help)
        if c.key in numbers
        else c
        for c in table.columns
    ]
    return Table(
        name=table.name, title=table.title, columns=counted, rows=table.rows, note=table.note
    )


def _rate_table(
    data: WeekData,
    clusters: Clusters,
    rates: Sequence[Rate],
    published: Callable[[Line], list[Cell]] | None,
    *,
    name: str,
    title: str,
    note: str,
    bounds: bool = True,
) -> Table:
    """Return a table of a rate a column, with intervals where ``bounds``."""

    def own(line: Line) -> list[Cell]:
        members = line.entries
        cells = [
            cell(
                clusters.value(members, rate), clusters.interval(members, rate) if bounds else None
            )
            for rate in rates
        ]
        return [*cells, cell(line.privilege, note="" if line.complete else "INCOMPLETE")]

    if published is None:
        rows, ranked = [], []
        for line in lines(data):
            rows.append([*_head(line), *own(line)])
            ranked.append(line.ranked)
    else:
        rows, ranked = _rows(data, own, published)
    over = f"Intervals: 95 %, over {clusters.words}." if bounds else ""
    return Table(
        name=name,
        title=title,
        columns=[*HEAD, *(rate_column(rate) for rate in rates), PRIVILEGE],
        rows=with_best(rows, ranked, range(2, 2 + len(rates))),
        note=_sentences(note, over),
    )
