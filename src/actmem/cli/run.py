"""``actmem run``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from actmem.cli.model_options import model_options
from actmem.cli.setup_options import read_cast, setup_options
from actmem.cli.week_options import PATH, knob_options, knobs

if TYPE_CHECKING:
    from actmem.week.scenario import Scenario


@click.group()
def run() -> None:
    """Play a suite and print the scored table."""


@run.command()
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help="A built-in agent or path/to/file.py:Class; repeat it. [default: all that need no model, or none with --model]",
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
@setup_options
@model_options
@knob_options
def week(
    agents: tuple[str, ...], weeks: int, files: tuple[Path, ...], seed: int | None, repeats: int,
    workers: int, output: Path | None, as_json: bool, profile: str, days: int, density: float,
    channels: str | None, **given: Any,
) -> int:  # fmt: skip
    """Play simulated weeks, with agents that need no model or with models in setups."""
    from actmem.report.terminal import progress
    from actmem.run.execute import execute
    from actmem.run.store import RunFolder
    from actmem.week.agents import BUILT_IN
    from actmem.week.suite import WeekSuite, make_manifest, unit_files

    scenarios = _scenarios(weeks, files, seed, (profile, days, density, channels))
    cast = read_cast(given)
    if not agents and cast is None:
        agents = tuple(BUILT_IN)
    manifest = make_manifest(
        scenarios, agents, seed=seed or 0, repeats=repeats, nudge=given["nudge"], cast=cast
    )
    folder = RunFolder.prepare(output, manifest, unit_files(scenarios))
    click.echo(
        f"run folder: {folder.path} (resume with the same command and -o {folder.path})", err=True
    )
    steps = {s.scenario_name: sum(len(day.steps) for day in s.days) for s in scenarios}
    chats = cast.chats.values() if cast else ()
    workers = min([workers, *(chat.parallel for chat in chats)])
    try:
        with progress(manifest.episodes, steps) as board:
            execute(folder, WeekSuite(folder, board.step, cast), workers, board.ended)
    finally:
        for chat in chats:
            chat.close()
    return show_run(folder, as_json)


def _scenarios(
    weeks: int,
    files: tuple[Path, ...],
    seed: int | None,
    given: tuple[str, int, float, str | None],
) -> list[Scenario]:
    """Return the weeks of files, of a seed, or the first of the standard set."""
    from actmem.week.make import Knobs, make_weeks
    from actmem.week.pmbench import load_any
    from actmem.week.standard import standard_weeks

    if files:
        return [load_any(path) for path in files]
    wanted = knobs(*given)
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
