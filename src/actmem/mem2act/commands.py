"""The commands of the mem2act suite, for the command line to take up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from actmem.cli.mem2act_options import mem2act_options, planned

PATH = click.Path(path_type=Path)


@click.command(name="mem2act")
@click.argument("data", metavar="DIR|mini|mini-10")
@click.option("--strict", is_flag=True,
              help="Also list each value that needs no memory or does not follow from its quotes.")  # fmt: skip
@click.option("--stats", "show_stats", is_flag=True, help="Print what the data consist of instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def check_mem2act(data: str, strict: bool, show_stats: bool, as_json: bool) -> int:
    """Count and list what is wrong with a data set in the Mem2ActBench format."""
    from actmem.mem2act import table
    from actmem.mem2act.data import load
    from actmem.mem2act.defects import counts, defects
    from actmem.mem2act.stats import stats

    loaded = load(data)
    if show_stats:
        found = stats(loaded)
        table.emit(table.stats_lines(found), found, as_json)
        return 0
    listed = defects(loaded, strict)
    tally = counts(listed, strict)
    plain = {
        "data": loaded.name,
        "digest": loaded.digest,
        "tasks": len(loaded.tasks),
        "resolvable": sum(map(loaded.resolvable, loaded.tasks)),
        "complete": sum(map(loaded.complete, loaded.tasks)),
        "counts": tally,
        "defects": [
            {"kind": one.kind, "where": one.where, "message": one.message} for one in listed
        ],
    }
    table.emit(table.defect_lines(listed, tally), plain, as_json)
    click.echo(
        f"{loaded.name}: {len(loaded.tasks)} tasks, {plain['resolvable']} resolvable, "
        f"{len(listed) or 'no'} defects",
        err=True,
    )
    return 1 if listed else 0


@click.command(name="mem2act")
@click.option("--predictions", required=True, type=PATH, help="JSON lines: qa_id, name, arguments.")
@click.option(
    "--data", required=True, metavar="DIR", help="The data set that they answer, or mini."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def score_mem2act(predictions: Path, data: str, as_json: bool) -> int:
    """Score predicted tool calls; exit code 3 where tasks have no prediction."""
    from actmem.mem2act import table
    from actmem.mem2act.data import load
    from actmem.mem2act.predictions import read_predictions
    from actmem.mem2act.score import score

    loaded = load(data)
    result = score(loaded, read_predictions(predictions, loaded))
    table.emit(table.score_lines(result), result.row(), as_json)
    if result.missing:
        click.echo(
            f"incomplete: {result.missing} of {len(loaded.tasks)} tasks have no prediction "
            "and score 0",
            err=True,
        )
    return 3 if result.missing else 0


@click.command(name="mem2act")
@mem2act_options
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True,
              help="Systems that answer at a time.")  # fmt: skip
@click.option("-o", "--output", type=PATH, help="Run folder; an unfinished run in it is resumed.")
@click.option("--analyses", is_flag=True, help="Print where scores come from, and pairs, as well.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def run_mem2act(
    workers: int, output: Path | None, analyses: bool, as_json: bool, **given: Any
) -> int:
    """Have memories answer a data set's tasks, and score the calls."""
    from actmem.cli.budget_options import prices
    from actmem.cli.conduct import Planned, carry_out
    from actmem.mem2act.suite import Mem2ActSuite, unit_file
    from actmem.memory.open import open_embedder

    def plan() -> Planned:
        data, chats, manifest = planned(given)
        return Planned(
            manifest,
            unit_file(data),
            {data.name: len(data.sessions) + len(data.tasks)},
            lambda folder, board: Mem2ActSuite(
                folder, chats, open_embedder, board.step, board.call, prices(given)
            ),
            tuple(chats.values()),
        )

    return show_run(carry_out(output, workers, plan).path, as_json, analyses)


def show_run(path: Path, as_json: bool, analyses: bool = False) -> int:
    """Print the results of a run folder and return the exit code: 3 below full coverage."""
    from msgspec import to_builtins

    from actmem.mem2act import table
    from actmem.mem2act.results import results
    from actmem.mem2act.suite import NAME, Mem2ActSuite
    from actmem.memory.extra import load as load_extra
    from actmem.run.store import RunFolder

    folder = RunFolder.open(path)
    rows = results(Mem2ActSuite(folder))
    compared: list[Any] = []
    if (as_json or analyses) and any(row.scores for row in rows):
        compared = load_extra("actmem.mem2act.compare", "--analyses").pairs(rows)
    plain = {
        "suite": NAME,
        "run": str(path),
        "units": folder.manifest.units,
        "settings": {k: v for k, v in folder.manifest.settings.items() if k != "shown"},
        "rows": [row.plain() for row in rows],
        "pairs": [to_builtins(pair) for pair in compared],
    }
    lines = table.result_lines(rows)
    if analyses:
        lines += [*table.analysis_lines(rows), *table.pair_lines(compared)]
    table.emit(lines, plain, as_json)
    for row in rows:
        if row.status != "complete":
            why = f": {row.error}" if row.error else ""
            click.echo(
                f"incomplete: {row.agent}: {row.answered} of {row.planned} tasks{why}", err=True
            )
    return 0 if all(row.status == "complete" for row in rows) else 3
