"""What lies behind the rates of weeks: evidence, broken links, and what the runs took."""

from __future__ import annotations

from actmem.report.cells import NOTHING, cell, coverage, share
from actmem.report.document import Cell, Column, Table
from actmem.report.week_data import Entry, WeekData
from actmem.report.week_rates import Line, lines
from actmem.report.week_tables import HEAD, PRIVILEGE
from actmem.week.explain import BROKEN
from actmem.week.records import LINKS
from actmem.week.results import add_links


def evidence_table(data: WeekData) -> Table:
    """Return hits with and without evidence, and at which link obligations broke."""
    return Table(
        name="evidence",
        title="Hits with and without evidence, and where obligations broke",
        columns=[
            *HEAD,
            Column(key="with_evidence", title="with",
                   help="Acts on time by an agent that had seen that the condition was met."),
            Column(key="without_evidence", title="without",
                   help="Acts on time without: a guess, or knowledge from elsewhere."),
            Column(key="guessed", title="guessed", kind="percent", help="Share of hits without."),
            *(Column(key=link, title=link, help=BROKEN[link]) for link in LINKS),
            PRIVILEGE,
        ],
        rows=[_evidence(line) for line in lines(data)],
        note="Counts over all models and episodes. Links: "
        + "; ".join(f"{link}: {BROKEN[link]}" for link in LINKS)
        + ".",
    )  # fmt: skip


def _evidence(line: Line) -> list[Cell]:
    links = add_links([entry.result.links for entry in line.entries])
    known, guessed = links.hits_with_evidence, links.hits_without_evidence
    return [
        cell(line.name),
        cell(line.source),
        cell(known),
        cell(guessed),
        share(guessed, known + guessed),
        *(cell(links.broken[link]) for link in LINKS),
        cell(line.privilege, note="" if line.complete else "INCOMPLETE"),
    ]


def costs_table(data: WeekData) -> Table:
    """Return what each agent took, and how much of it failed."""
    return Table(
        name="costs",
        title="What it took, and what failed",
        columns=[
            Column(key="agent", title="agent", kind="text"),
            HEAD[1],
            Column(key="scored", title="scored", kind="text", help="Episodes played to their end."),
            Column(key="calls", title="calls", help="Calls of the model."),
            Column(key="tokens", title="tokens", help="Tokens of prompts and replies."),
            Column(key="cached", title="cached", kind="percent",
                   help="Share of the prompts' tokens that came from the provider's cache."),
            Column(key="written", title="written", help="Tokens of the replies."),
            Column(key="seconds", title="seconds", kind="number",
                   help="Of all calls, one after another, waiting included."),
            Column(key="retries", title="retries", help="Calls made again after a failure."),
            Column(key="invalid", title="invalid", kind="percent",
                   help="Share of the steps that an empty act stands in for."),
            Column(key="failed", title="failed", kind="percent",
                   help="Share of the episodes that ended in a failure."),
            Column(key="pruned", title="pruned",
                   help="How often a long history lost its oldest half."),
            PRIVILEGE,
        ],
        rows=[_cost(entry) for entry in data.entries],
        note=_cost_note(data),
    )  # fmt: skip


def _cost(entry: Entry) -> list[Cell]:
    one, usage = entry.result, entry.result.usage
    counted = one.model and entry.source != "log"
    steps = sum(played.score.steps for played in entry.played)
    took = [
        cell(one.calls),
        cell(one.tokens),
        share(usage.cached_tokens, usage.prompt_tokens),
        cell(usage.completion_tokens),
        cell(round(usage.seconds, 1)),
        cell(usage.retries),
    ]
    return [
        cell(entry.name),
        cell(entry.source),
        coverage(one.scored, one.planned),
        *(took if counted else [NOTHING] * len(took)),
        share(one.invalid, steps) if entry.source != "log" else NOTHING,
        share(one.failed, one.planned),
        cell(one.pruned) if counted else NOTHING,
        cell(one.privilege),
    ]


def _cost_note(data: WeekData) -> str:
    parts = ["Replayed votes make no call of their own."]
    if any(entry.source == "log" for entry in data.entries):
        parts.append("Logs hold no calls and no invalid replies.")
    if estimated := [e.name for e in data.entries if e.result.usage.estimated]:
        parts.append(f"Tokens are estimates for {', '.join(estimated)}.")
    if pruned := [e.name for e in data.entries if e.result.pruned]:
        parts.append(f"Histories were pruned, and early messages lost, for {', '.join(pruned)}.")
    return " ".join(parts)
