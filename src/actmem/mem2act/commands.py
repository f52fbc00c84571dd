"""The commands of the mem2act suite, for the command line to take up."""

from __future__ import annotations

from pathlib import Path

import click

PATH = click.Path(path_type=Path)


@click.command(name="mem2act")
@click.argument("data", metavar="DIR")
@click.option("--stats", "show_stats", is_flag=True, help="Print what the data consist of instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def check_mem2act(data: str, show_stats: bool, as_json: bool) -> int:
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
    listed = defects(loaded)
    tally = counts(listed)
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
@click.option("--data", required=True, metavar="DIR", help="The data set that they answer.")
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
