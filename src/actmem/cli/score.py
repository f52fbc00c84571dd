"""``actmem score``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from actmem.cli.score_mem2act import score_mem2act
from actmem.cli.week_options import PATH, placed
from actmem.errors import InputError

if TYPE_CHECKING:
    from actmem.run.store import RunFolder


@click.group()
def score() -> None:
    """Score what was recorded."""


score.add_command(score_mem2act)


@score.command()
@click.option("--scenario", required=True, type=PATH, help="A week of ours or a PM-Bench week.")
@click.option("--log", required=True, type=PATH, help="A trace of ours or a PM-Bench run log.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def week(scenario: Path, log: Path, as_json: bool) -> None:
    """Score one log of one week: all counts, per day and in all."""
    import msgspec

    from actmem.report.terminal import print_json, show_score
    from actmem.week.logs import read_rows
    from actmem.week.obligations import prepare
    from actmem.week.pmbench import load_any
    from actmem.week.records import count_links, records
    from actmem.week.results import rates
    from actmem.week.score import score as score_rows

    plan = prepare(load_any(scenario))
    rows = placed(log, lambda: read_rows(plan, log))
    result = placed(log, lambda: score_rows(plan, rows))
    shares = rates(result.summary)
    links = count_links(records(plan, rows))
    if as_json:
        print_json(
            msgspec.to_builtins(result)
            | {"rates": msgspec.to_builtins(shares), "links": msgspec.to_builtins(links)}
        )
    else:
        show_score(result, shares, links)


@score.command()
@click.argument("run", metavar="DIR|LOG", type=PATH)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def run(run: Path, as_json: bool) -> int:
    """Score a run folder or an Inspect log again, from its scenarios and traces alone."""
    from actmem.run.store import RunFolder

    if not run.is_file():
        return _show(RunFolder.open(run), as_json)
    try:
        from actmem.inspect_tasks.log import unpacked
    except ImportError:
        raise InputError("needs the extra: pip install 'actmem[inspect]'", run) from None
    with unpacked(run) as folder:
        return _show(folder, as_json)


def _show(folder: RunFolder, as_json: bool) -> int:
    """Print the table of a run and return the exit code."""
    if folder.manifest.suite == "trials":
        from actmem.cli.run_trials import show_run as show_trials

        return show_trials(folder, as_json)
    if folder.manifest.suite == "mem2act":
        from actmem.cli.run_mem2act import show_run as show_mem2act

        return show_mem2act(folder, as_json)
    from actmem.cli.run import show_run

    return show_run(folder, as_json)
