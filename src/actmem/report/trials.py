"""The report of trials: the tables of the source over runs of our own, and what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from actmem.report.cells import NOTHING, cell, coverage, printed, share, with_best
from actmem.report.document import Cell, Column, Report, Section, Table
from actmem.report.pairs import Pair, differences_table
from actmem.report.same import refuse_mixed, refuse_other_models, refuse_twice
from actmem.report.stats import Interval, difference
from actmem.report.trials_data import TrialsData, TrialsEntry, read_trials
from actmem.report.trials_plots import trials_plots
from actmem.run.coverage import shortfalls
from actmem.run.store import RunFolder
from actmem.trials.stats import Rates
from actmem.trials.suite import TrialsSuite
from actmem.trials.table import paper

HARD = "C"
"""The subset on which the source splits errors and types."""
AGENT = Column(key="agent", title="agent", kind="text", help="Setup and model, or an agent's name.")
FROM = Column(key="from", title="from", kind="text", help="run, played now, or published.")
PRIVILEGE = Column(key="privilege", title="privilege", kind="text")
OTHER_TRIALS = "Published figures are of other trials than these; no-go trials are ours alone."


def trials_report(folders: Sequence[RunFolder]) -> Report:
    """Return the report of run folders that play the same trials.

    Raises ``InputError`` where they do not, or where version, prompts or bounds differ.
    """
    data = read_trials(folders)
    refuse_twice(data.entries)
    refuse_mixed(data.entries, TrialsSuite.of_setups)
    refuse_other_models(data.entries)
    return _report(
        data,
        [
            Section(
                title="Results",
                text="A trial counts as passed where the intention was carried out at its moment, "
                "nothing false was done, and the ongoing task was met. What broke off passes nothing.",
                blocks=[
                    subsets_table(data),
                    *trials_plots(data.results),
                    reminder_table(data),
                    pairs_table(data.entries),
                ],
            ),
            Section(title="Errors", blocks=[errors_table(data), types_table(data)]),
            Section(title="Detection and costs", blocks=[detection_table(data), costs_table(data)]),
        ],
    )


def trials_comparison(folders: Sequence[RunFolder]) -> Report:
    """Return the differences between all agents of run folders that play the same trials."""
    data = read_trials(folders)
    names = [entry.name for entry in data.entries]
    entries = [
        entry._replace(where=f"{entry.where.rpartition('/')[2]}: {entry.name}")
        if names.count(entry.name) > 1
        else entry._replace(where=entry.name)
        for entry in data.entries
    ]
    table = pairs_table(entries, [entry.where for entry in entries])
    return _report(data, [Section(title="Comparison", blocks=[table, subsets_table(data)])])


def _report(data: TrialsData, sections: Sequence[Section]) -> Report:
    return Report(
        suite="trials",
        title="Trials: can one intention survive an ongoing activity?",
        facts=data.facts,
        sections=sections,
        incomplete=shortfalls(data.results),
    )


def _rate(rates: Rates | None) -> Cell:
    """Return an accuracy with its Wilson interval."""
    if rates is None or rates.accuracy is None:
        return cell(None)
    return cell(rates.accuracy, Interval(*rates.interval) if rates.interval else None)


def _rows(
    data: TrialsData, own: Callable[[TrialsEntry], list[Cell]]
) -> tuple[list[list[Cell]], list[bool]]:
    rows = [
        [cell(e.name), cell(e.source), coverage(e.result.scored, e.result.planned), *own(e)]
        for e in data.entries
    ]
    return rows, [entry.ranked for entry in data.entries]


SCORED = Column(key="scored", title="scored", kind="text", help="Trials played to their end.")


def subsets_table(data: TrialsData) -> Table:
    """Return Table 1: accuracy by subset, published figures below."""
    subsets = _groups(data, "subset")
    rows, ranked = _rows(
        data,
        lambda e: [
            *(_rate(e.result.groups["subset"].get(name)) for name in subsets),
            _rate(e.result.rates),
            cell(e.result.privilege),
        ],
    )
    for model, setup, *cells in paper()["table_1"]["rows"]:
        known = dict(zip("ABC", cells, strict=True))
        row = [cell(f"{setup} {model}"), cell("published"), NOTHING]
        rows.append([*row, *(printed(known.get(name)) for name in subsets), NOTHING, NOTHING])
        ranked.append(False)
    return Table(
        name="subsets",
        title="Accuracy by subset (Table 1)",
        columns=[
            AGENT, FROM, SCORED,
            *(Column(key=name, title=name, kind="percent", help=f"Of the trials of subset {name}.")
              for name in subsets),
            Column(key="accuracy", title="all", kind="percent", help="Of all trials."),
            PRIVILEGE,
        ],
        rows=with_best(rows, ranked, range(3, 4 + len(subsets))),
        note=f"Intervals: 95 %, Wilson, over the planned trials. {OTHER_TRIALS}",
    )  # fmt: skip


def _groups(data: TrialsData, by: str) -> list[str]:
    return sorted({name for result in data.results for name in result.groups[by]})


def reminder_table(data: TrialsData) -> Table:
    """Return Table 2: what it gains on C to have the intention repeated at every step."""
    by_cell = {(e.result.model, e.result.setup): e for e in data.entries if e.result.setup}
    rows = []
    for model in dict.fromkeys(model for model, _ in by_cell):
        base, told = by_cell.get((model, "base")), by_cell.get((model, "pm-prompt"))
        if base is None or told is None or not len(base.parts(HARD)):
            continue
        gap = difference(told.parts(HARD), base.parts(HARD))
        whole = base.result.complete and told.result.complete
        note = "" if whole else "INCOMPLETE"
        rows.append(
            [
                cell(model, note=note), cell(base.source),
                *(_rate(e.result.groups["subset"].get(HARD)) for e in (base, told)),
                cell(gap.value, gap.interval), cell(gap.p if whole else None),
            ]
        )  # fmt: skip
    for model, base_rate, told_rate in paper()["table_2"]["rows"]:
        gain = printed(told_rate - base_rate)
        rates = [printed(base_rate), printed(told_rate), gain, NOTHING]
        rows.append([cell(model), cell("published"), *rates])
    return Table(
        name="reminder",
        title="Gain of a standing reminder on subset C (Table 2)",
        columns=[
            Column(key="model", title="model", kind="text"),
            FROM,
            Column(key="base", title="base", kind="percent"),
            Column(key="pm_prompt", title="pm-prompt", kind="percent",
                   help="The intention is repeated at every step."),
            Column(key="gain", title="gain", kind="percent", help="In points, paired over trials."),
            Column(key="p", title="p", kind="number", help="By exchange within trials."),
        ],
        rows=rows,
        note=OTHER_TRIALS,
    )  # fmt: skip


def pairs_table(entries: Sequence[TrialsEntry], labels: Sequence[str] | None = None) -> Table:
    """Return the differences in accuracy between all agents, paired over trials."""
    names = labels or [entry.name for entry in entries]
    known = [(name, e) for name, e in zip(names, entries, strict=True) if e.result.complete]
    players = [(name, e) for name, e in known if not e.floor or e.name == "keyword"]
    compared = players if any(not e.floor for _, e in players) else known
    pairs = [
        Pair(one, two, 1, difference(first.parts(), second.parts()))
        for (one, first), (two, second) in combinations(compared, 2)
    ]
    out = [name for name, e in zip(names, entries, strict=True) if not e.result.complete]
    note = "Intervals: 95 %, over trials, drawn for both together."
    if out:
        note += f" Left out, since not all of it was played: {', '.join(out)}."
    return differences_table(pairs, "accuracy", note, "trials")


def errors_table(data: TrialsData) -> Table:
    """Return Figure 2: what went wrong on C."""
    fields = {
        "miss_rate": ("miss", "Go trials on which the intention was never carried out."),
        "late_rate": ("late", "Go trials on which it came after its moment."),
        "false_alarm_rate": (
            "false alarm",
            "Trials in which it came at another moment, or wrongly.",
        ),
        "wrong_content_rate": ("content", "Trials with the right act on the wrong thing."),
        "slip_rate": ("slip", "Trials with another act that nothing asked for."),
        "ongoing": ("ongoing", "Share of the ongoing task's goals that were met."),
        "stated": ("stated", "Trials in which the intention was stated with intend."),
        "encoded": ("encoded", "Of these, those whose last statement held it."),
    }

    def own(entry: TrialsEntry) -> list[Cell]:
        hard = entry.result.groups["subset"].get(HARD)
        return [cell(getattr(hard, field) if hard else None) for field in fields]

    return Table(
        name="errors",
        title="Errors on subset C (Figure 2)",
        columns=[
            AGENT, FROM, SCORED,
            *(Column(key=field, title=title, kind="percent", help=text)
              for field, (title, text) in fields.items()),
        ],
        rows=_rows(data, own)[0],
        note="Misses and late acts over go trials, the others over all trials of the subset.",
    )  # fmt: skip


def types_table(data: TrialsData) -> Table:
    """Return Figure 3: accuracy on C by the type of the condition."""
    types = [name for name in _groups(data, "subset_type") if name.startswith(f"{HARD} ")]
    rows, ranked = _rows(
        data, lambda e: [_rate(e.result.groups["subset_type"].get(name)) for name in types]
    )
    return Table(
        name="types",
        title="Accuracy on subset C by type (Figure 3)",
        columns=[
            AGENT, FROM, SCORED,
            *(Column(key=name.replace(" ", "_"), title=name, kind="percent") for name in types),
        ],
        rows=with_best(rows, ranked, range(3, 3 + len(types))),
        note="Intervals: 95 %, Wilson.",
    )  # fmt: skip


def detection_table(data: TrialsData) -> Table:
    """Return how well go and no-go trials are told apart."""

    def own(entry: TrialsEntry) -> list[Cell]:
        rates, groups = entry.result.rates, entry.result.groups["go"]
        return [
            _rate(groups.get("go")), _rate(groups.get("no-go")),
            cell(rates.no_go_false_alarm_rate), cell(rates.d_prime), cell(rates.criterion),
        ]  # fmt: skip

    return Table(
        name="detection",
        title="Go against no-go trials",
        columns=[
            AGENT, FROM, SCORED,
            Column(key="go", title="go", kind="percent", help="Accuracy where there is a moment."),
            Column(key="no_go", title="no-go", kind="percent", help="Accuracy where there is none."),
            Column(key="no_go_false_alarm", title="false alarms", kind="percent",
                   help="Of the no-go trials, those with a false alarm."),
            Column(key="d_prime", title="d'", kind="number", help="Log-linear correction."),
            Column(key="criterion", title="c", kind="number", help="Above 0: rather withholds."),
        ],
        rows=_rows(data, own)[0],
        note="Intervals: 95 %, Wilson.",
    )  # fmt: skip


def costs_table(data: TrialsData) -> Table:
    """Return what each agent took, and how much of it failed."""

    def own(entry: TrialsEntry) -> list[Cell]:
        one, usage = entry.result, entry.result.usage
        steps = sum(episode.trial.steps for episode in entry.played)
        took = [
            cell(one.calls), cell(one.tokens),
            share(usage.cached_tokens, usage.prompt_tokens), cell(round(usage.seconds, 1)), cell(one.cost),
        ]  # fmt: skip
        return [
            *(took if one.model else [NOTHING] * len(took)),
            share(one.invalid, steps),
            share(one.failed, one.planned),
            cell(one.pruned) if one.model else NOTHING,
            cell(one.privilege),
        ]

    return Table(
        name="costs",
        title="What it took, and what failed",
        columns=[
            AGENT, FROM, SCORED,
            Column(key="calls", title="calls"),
            Column(key="tokens", title="tokens", help="Of prompts and replies."),
            Column(key="cached", title="cached", kind="percent", help="Of the prompts' tokens."),
            Column(key="seconds", title="seconds", kind="number", help="Of all calls."),
            Column(key="cost", title="cost", kind="number",
                   help="Of all calls, at the prices given; n/a where one is not known."),
            Column(key="invalid", title="invalid", kind="percent",
                   help="Share of the steps lost to replies that are no legal call."),
            Column(key="failed", title="failed", kind="percent", help="Share of the trials."),
            Column(key="pruned", title="pruned", help="How often a history lost its oldest half."),
            PRIVILEGE,
        ],
        rows=_rows(data, own)[0],
    )  # fmt: skip
