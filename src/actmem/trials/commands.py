"""The commands ``run trials`` and ``make trials``, for the command line to take up."""

from __future__ import annotations

from pathlib import Path

import click

PATH = click.Path(path_type=Path)


@click.command(name="trials")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help="A built-in agent or path/to/file.py:Class; repeat it. [default: all that need no model]",
)
@click.option("--subset", "subsets", metavar="A,B,C", help="Subsets to play. [default: all]")
@click.option("--trial", "ids", multiple=True, metavar="ID", help="Play this trial; repeat it.")
@click.option("--file", type=PATH, help="Play trials that `make trials` wrote instead.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the agents.")
@click.option("--repeats", type=click.IntRange(1), default=1, show_default=True,
              help="How often each agent plays each trial.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True,
              help="Episodes played at a time.")  # fmt: skip
@click.option("-o", "--output", type=PATH, help="Run folder; an unfinished run in it is resumed.")
@click.option("--published", is_flag=True, help="Print the source's tables below the results.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def run_trials(
    agents: tuple[str, ...], subsets: str | None, ids: tuple[str, ...], file: Path | None,
    seed: int, repeats: int, workers: int, output: Path | None, as_json: bool,
    published: bool,
) -> int:  # fmt: skip
    """Play the trials suite: unit tests of one intention each."""
    from actmem.run.execute import execute
    from actmem.run.store import RunFolder
    from actmem.trials.agents.floors import FLOORS
    from actmem.trials.select import choose, load
    from actmem.trials.suite import TrialsSuite, make_manifest, unit_files

    trials = choose(subsets, ids, load(file) if file else None)
    manifest = make_manifest(trials, agents or tuple(FLOORS), seed=seed, repeats=repeats)
    folder = RunFolder.prepare(output, manifest, unit_files(trials))
    click.echo(
        f"run folder: {folder.path} (resume with the same command and -o {folder.path})", err=True
    )
    execute(folder, TrialsSuite(folder), workers)
    return show_run(folder.path, as_json, published)


def show_run(path: Path, as_json: bool, published: bool = False) -> int:
    """Print the results of a run folder and return the exit code: 3 below full coverage."""
    import json

    from actmem.run.store import RunFolder
    from actmem.trials import table
    from actmem.trials.suite import NAME, TrialsSuite

    folder = RunFolder.open(path)
    results = TrialsSuite(folder).results()
    if as_json:
        rows = [result.row() for result in results]
        found = {"suite": NAME, "run": str(path), "units": folder.manifest.units, "rows": rows}
        click.echo(json.dumps(found, indent=1))
    else:
        click.echo("\n".join(table.lines(results)))
        if published:
            click.echo("\n" + "\n".join(table.published()))
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


@click.command(name="trials")
@click.option("--seed", type=int, help="Seed of fresh trials. [default: the released set]")
@click.option(
    "--subset", "subset", type=click.Choice(["A", "B", "C"]), help="Subset of fresh ones."
)
@click.option("--count", type=click.IntRange(1), help="Number of fresh trials. [default: 80]")
@click.option("-o", "--output", type=PATH, default=Path("trials.jsonl"), show_default=True,
              help="File to write: one trial a line.")  # fmt: skip
def make_trials(seed: int | None, subset: str | None, count: int | None, output: Path) -> None:
    """Write trials: fresh ones, or without options the released set."""
    from typing import cast

    from actmem.files import write_atomic
    from actmem.hashing import canonical
    from actmem.trials.make import make, released
    from actmem.trials.trial import Subset

    if seed is None and subset is None and count is None:
        trials = list(released())
    else:
        drawn = make(1 if seed is None else seed, cast("Subset", subset or "A"), count or 80)
        trials = list(drawn)
    write_atomic(output, b"".join(canonical(trial) + b"\n" for trial in trials))
    click.echo(f"wrote {len(trials)} trials to {output}", err=True)
