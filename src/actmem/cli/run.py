"""``actmem run``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from actmem.cli.agent_options import agent_seconds_option
from actmem.cli.episode_options import episode_options, planned
from actmem.cli.run_mem2act import run_mem2act
from actmem.cli.run_trials import run_trials
from actmem.cli.week_options import PATH

if TYPE_CHECKING:
    from actmem.report.progress import Board
    from actmem.run.store import RunFolder


@click.group()
def run() -> None:
    """Play a suite and print the scored table."""


run.add_command(run_trials)
run.add_command(run_mem2act)


@run.command()
@episode_options
@agent_seconds_option
@click.option("-o", "--output", type=PATH, help="Run folder; an unfinished run in it is resumed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def week(output: Path | None, as_json: bool, agent_seconds: float, **given: Any) -> int:
    """Play simulated weeks, with agents that need no model or with models in setups."""
    from actmem.cli.conduct import Planned, carry_out
    from actmem.week.suite import WeekSuite, unit_files

    def plan() -> Planned:
        def suite(folder: RunFolder, board: Board) -> WeekSuite:
            found = WeekSuite(folder, board.step, cast, agent_seconds, board.call)
            board.take_up(found.set_counts)
            return found

        scenarios, cast, manifest = planned(given)
        return Planned(
            manifest,
            unit_files(scenarios),
            {s.scenario_name: sum(len(day.steps) for day in s.days) for s in scenarios},
            suite,
            tuple(cast.chats.values()) if cast else (),
        )

    return show_run(carry_out(output, given["workers"], plan), as_json)


def show_run(folder: RunFolder, as_json: bool) -> int:
    """Print the results of a week's run folder and return the exit code: 3 below full coverage."""
    from actmem.cli.conduct import coverage
    from actmem.report.terminal import print_json, show_results
    from actmem.week.suite import WeekSuite

    results = WeekSuite(folder).results()
    if as_json:
        print_json(
            {
                "suite": "week",
                "run": str(folder.name),
                "units": folder.manifest.units,
                "rows": [result.row() for result in results],
            }
        )
    else:
        show_results(results)
    return coverage(results)
