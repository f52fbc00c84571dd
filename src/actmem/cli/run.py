"""``actmem run``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from actmem.cli.episode_options import episode_options, planned
from actmem.cli.week_options import PATH
from actmem.mem2act.commands import run_mem2act
from actmem.trials.commands import run_trials


@click.group()
def run() -> None:
    """Play a suite and print the scored table."""


run.add_command(run_trials)
run.add_command(run_mem2act)


@run.command()
@episode_options
@click.option(
    "--agent-seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=600,
    show_default=True,
    help="How long one answer of a cmd:PROGRAM may take.",
)
@click.option("-o", "--output", type=PATH, help="Run folder; an unfinished run in it is resumed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def week(output: Path | None, as_json: bool, agent_seconds: float, **given: Any) -> int:
    """Play simulated weeks, with agents that need no model or with models in setups."""
    from actmem.cli.conduct import conducted
    from actmem.report.progress import progress
    from actmem.run.execute import execute
    from actmem.run.store import RunFolder
    from actmem.week.suite import WeekSuite, unit_files

    with conducted(output) as begun:
        scenarios, cast, manifest = planned(given)
        chats = cast.chats.values() if cast else ()
        workers = min([given["workers"], *(chat.parallel for chat in chats)])
        try:
            folder = RunFolder.prepare(output, manifest, unit_files(scenarios))
            begun(folder.path)
            steps = {s.scenario_name: sum(len(day.steps) for day in s.days) for s in scenarios}
            with progress(manifest.episodes, steps) as board:
                suite = WeekSuite(folder, board.step, cast, agent_seconds, board.call)
                board.take_up(suite.set_counts)
                execute(folder, suite, workers, board.ended)
        finally:
            for chat in chats:
                chat.close()
    return show_run(folder, as_json)


def show_run(folder: object, as_json: bool) -> int:
    """Print the results of a week's run folder and return the exit code: 3 below full coverage."""
    from actmem.report.terminal import print_json, show_results
    from actmem.run.store import RunFolder
    from actmem.week.suite import WeekSuite

    assert isinstance(folder, RunFolder)
    results = WeekSuite(folder).results()
    if as_json:
        print_json(
            {
                "suite": "week",
                "run": str(folder.path),
                "units": folder.manifest.units,
                "rows": [result.row() for result in results],
            }
        )
    else:
        show_results(results)
    for result in results:
        if not result.complete:
            missing = result.planned - result.scored - result.failed
            why = f": {result.errors[0]}" if result.errors else ""
            click.echo(
                f"incomplete: {result.agent}: {result.failed} failed, {missing} not ended "
                f"of {result.planned} episodes{why}",
                err=True,
            )
    return 0 if all(result.complete for result in results) else 3
