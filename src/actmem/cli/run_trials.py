"""``actmem run trials``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from actmem.cli.agent_options import agent_seconds_option
from actmem.cli.trials_options import planned, trials_options
from actmem.cli.week_options import PATH

if TYPE_CHECKING:
    from actmem.run.store import RunFolder


@click.command(name="trials")
@trials_options
@agent_seconds_option
@click.option("-o", "--output", type=PATH, help="Run folder; an unfinished run in it is resumed.")
@click.option("--published", is_flag=True, help="Print the source's tables below the results.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def run_trials(
    output: Path | None, published: bool, as_json: bool, agent_seconds: float, **given: Any
) -> int:
    """Play the trials suite: unit tests of one intention each."""
    from actmem.cli.conduct import Planned, carry_out
    from actmem.trials.suite import TrialsSuite, open_memories, unit_files

    def plan() -> Planned:
        trials, cast, manifest = planned(given)
        open_memories(cast)
        return Planned(
            manifest,
            unit_files(trials),
            {trial.id: trial.steps for trial in trials},
            lambda folder, board: TrialsSuite(folder, board.step, cast, agent_seconds, board.call),
            tuple(cast.chats.values()) if cast else (),
        )

    return show_run(carry_out(output, given["workers"], plan), as_json, published)


def show_run(folder: RunFolder, as_json: bool, published: bool = False) -> int:
    """Print the results of a run folder and return the exit code: 3 below full coverage."""
    import json

    from actmem.cli.conduct import coverage
    from actmem.trials import table
    from actmem.trials.suite import NAME, TrialsSuite

    results = TrialsSuite(folder).results()
    if as_json:
        rows = [result.row() for result in results]
        found = {
            "suite": NAME,
            "run": str(folder.name),
            "units": folder.manifest.units,
            "rows": rows,
        }
        click.echo(json.dumps(found, indent=1))
    else:
        click.echo("\n".join(table.lines(results)))
        if published:
            click.echo("\n" + "\n".join(table.published()))
    return coverage(results)
