"""``actmem make trials``."""

from __future__ import annotations

from pathlib import Path

import click

from actmem.cli.week_options import PATH


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
