"""``actmem run mem2act``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from actmem.cli.emit import emit
from actmem.cli.mem2act_options import mem2act_options, planned
from actmem.cli.week_options import PATH

if TYPE_CHECKING:
    from actmem.run.store import RunFolder


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

    def plan() -> Planned:
        data, chats, embedder, manifest = planned(given)
        return Planned(
            manifest,
            unit_file(data),
            {data.name: len(data.sessions) + len(data.tasks)},
            lambda folder, board: Mem2ActSuite(
                folder, chats, embedder.open, board.step, board.call, prices(given)
            ),
            tuple(chats.values()),
        )

    return show_run(carry_out(output, workers, plan), as_json, analyses)


def show_run(folder: RunFolder, as_json: bool, analyses: bool = False) -> int:
    """Print the results of a run folder and return the exit code: 3 below full coverage."""
    from msgspec import to_builtins

    from actmem.cli.conduct import incomplete
    from actmem.extra import load as load_extra
    from actmem.mem2act import table
    from actmem.mem2act.results import results, shortfalls
    from actmem.mem2act.suite import NAME, Mem2ActSuite

    rows = results(Mem2ActSuite(folder))
    compared: list[Any] = []
    if (as_json or analyses) and any(row.scores for row in rows):
        compared = load_extra("actmem.mem2act.compare", "--analyses").pairs(rows)
    plain = {
        "suite": NAME,
        "run": str(folder.name),
        "units": folder.manifest.units,
        "settings": {k: v for k, v in folder.manifest.settings.items() if k != "shown"},
        "rows": [row.plain() for row in rows],
        "pairs": [to_builtins(pair) for pair in compared],
    }
    lines = table.result_lines(rows)
    if analyses:
        lines += [*table.analysis_lines(rows), *table.pair_lines(compared)]
    emit(lines, plain, as_json)
    return incomplete(shortfalls(rows))
