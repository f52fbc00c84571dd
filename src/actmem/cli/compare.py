"""``actmem compare``."""

from __future__ import annotations

from pathlib import Path

import click

from actmem.cli.report_forms import builder, form_options, give, open_runs
from actmem.cli.week_options import PATH


@click.command()
@click.argument("runs", nargs=-1, required=True, type=PATH, metavar="RUN…")
@form_options
def compare(runs: tuple[Path, ...], output: Path | None, form: str | None) -> int:
    """Compare the agents of one or more runs pair by pair, on the same units.

    Runs may differ in what the agents were given; that is said beside the differences.
    """
    suite, folders = open_runs(runs)
    return give(builder(suite, f"{suite}_comparison")(folders), output, form)
