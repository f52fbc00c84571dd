"""``actmem report``."""

from __future__ import annotations

from pathlib import Path

import click

from actmem.cli.report_forms import builder, form_options, give, open_runs
from actmem.cli.week_options import PATH, refuse_together


@click.command()
@click.argument("runs", nargs=-1, type=PATH, metavar="RUN…")
@click.option("--scenario", type=PATH, help="A week whose run logs are reported on instead.")
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="A PM-Bench run log of that week, named MODEL__SETUP.jsonl; repeat it.",
)
@form_options
def report(
    runs: tuple[Path, ...],
    scenario: Path | None,
    logs: tuple[Path, ...],
    output: Path | None,
    form: str | None,
) -> int:
    """Report on run folders of one suite that play the same units.

    Tables with intervals, differences, floors and published figures: in the terminal, as text for
    other programs, or as one HTML page.
    """
    if scenario is not None:
        refuse_together("scenario", "runs")
        return give(builder("week", "log_report")(scenario, logs), output, form)
    if logs:
        raise click.UsageError("--log needs the week: --scenario FILE")
    if not runs:
        raise click.UsageError("name a run folder, or --scenario with --log")
    suite, folders = open_runs(runs)
    return give(builder(suite, f"{suite}_report")(folders), output, form)
