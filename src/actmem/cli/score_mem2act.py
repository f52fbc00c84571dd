"""``actmem score mem2act``."""

from __future__ import annotations

from pathlib import Path

import click

from actmem.cli.emit import emit
from actmem.cli.week_options import PATH


@click.command(name="mem2act")
@click.option("--predictions", required=True, type=PATH, help="JSON lines: qa_id, name, arguments.")
@click.option(
    "--data", required=True, metavar="DIR", help="The data set that they answer, or mini."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def score_mem2act(predictions: Path, data: str, as_json: bool) -> int:
    """Score predicted tool calls; exit code 3 where tasks have no prediction."""
    from actmem.cli.conduct import incomplete
    from actmem.mem2act import table
    from actmem.mem2act.data import load
    from actmem.mem2act.predictions import read_predictions
    from actmem.mem2act.score import score

    loaded = load(data)
    result = score(loaded, read_predictions(predictions, loaded))
    emit(table.score_lines(result), result.row(), as_json)
    line = f"{result.missing} of {len(loaded.tasks)} tasks have no prediction and score 0"
    return incomplete([line] if result.missing else [])
