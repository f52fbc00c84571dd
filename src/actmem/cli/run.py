"""``actmem run``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from actmem.cli.week_options import KNOBS, PATH, knob_options, refuse_together
from actmem.mem2act.commands import run_mem2act
from actmem.trials.commands import run_trials

if TYPE_CHECKING:
    from actmem.week.make import Knobs
    from actmem.week.scenario import Scenario


@click.group()
def run() -> None:
    """Play a suite and print the scored table."""


run.add_command(run_trials)
run.add_command(run_mem2act)


@run.command()
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help="A built-in agent or path/to/file.py:Class; repeat it. [default: all that need no model]",
)
@click.option(
    "--weeks",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Number of weeks to make and play.",
)
@click.option(
    "--scenario",
    "files",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Play this week instead; repeat it.",
)
@click.option(
    "--seed", type=int, help="Seed of the first week and of chance.  [default: the standard set]"
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How often each agent plays each week.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Episodes played at a time.",
)
@click.option("-o", "--output", type=PATH, help="Run folder; an unfinished run in it is resumed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
@knob_options
def week(
    agents: tuple[str, ...], weeks: int, files: tuple[Path, ...], seed: int | None, repeats: int,
    workers: int, output: Path | None, as_json: bool, knobs: Knobs,
) -> int:  # fmt: skip
    """Play simulated weeks."""
    from actmem.cli.conduct import conducted, stdout_kept
    from actmem.report.terminal import progress
    from actmem.run.execute import execute
    from actmem.run.store import RunFolder
    from actmem.week.agents import BUILT_IN
    from actmem.week.suite import WeekSuite, make_manifest, unit_files

    if files:
        refuse_together("scenario", "weeks", *KNOBS)
    scenarios = _scenarios(weeks, files, seed, knobs)
    with stdout_kept():  # an agent's file is loaded here, and may print
        manifest = make_manifest(
            scenarios, agents or tuple(BUILT_IN), seed=seed or 0, repeats=repeats
        )
    folder = RunFolder.prepare(output, manifest, unit_files(scenarios))
    steps = {s.scenario_name: sum(len(day.steps) for day in s.days) for s in scenarios}
    with conducted(folder.path), progress(manifest.episodes, steps) as board:
        execute(folder, WeekSuite(folder, board.step), workers, board.ended)
    return show_run(folder, as_json)


def _scenarios(
    weeks: int,
    files: tuple[Path, ...],
    seed: int | None,
    wanted: Knobs,
) -> list[Scenario]:
    """Return the weeks of files, of a seed, or the first of the standard set."""
    from actmem.week.make import Knobs, make_weeks
    from actmem.week.pmbench import load_any
    from actmem.week.standard import standard_weeks

    if files:
        return [load_any(path) for path in files]
    if seed is None and wanted == Knobs():
        return standard_weeks(weeks)
    return list(make_weeks(1 if seed is None else seed, weeks, wanted))


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
