"""``actmem make trials``."""

from __future__ import annotations

from pathlib import Path

import click

from actmem.cli.week_options import PATH


@click.command(name="trials")
@click.option(
    "--seed", type=int, help="Seed of fresh trials. [default: the released set, of seed 1]"
)
@click.option("--subset", type=click.Choice(["A", "B", "C"]), help="Subset of fresh ones.")
@click.option("--count", type=click.IntRange(1), help="Number of fresh ones. [default: 80]")
@click.option("-o", "--output", type=PATH, default=Path("trials.jsonl"), show_default=True,
              help="File to write: one trial a line.")  # fmt: skip
def make_trials(seed: int | None, subset: str | None, count: int | None, output: Path) -> None:
    """Write trials: fresh ones, or without options the released set."""
    from typing import cast

    from actmem.files import write_atomic
    from actmem.hashing import canonical
    from actmem.trials.make import make
    from actmem.trials.released import released
    from actmem.trials.trial import Subset

    if seed is None and subset is None and count is None:
        trials = list(released())
    elif seed is None or subset is None:
        raise click.UsageError(
            "fresh trials need --seed and --subset; seed 1 is the released set's"
        )
    else:
        trials = list(make(seed, cast("Subset", subset), count or 80))
    write_atomic(output, b"".join(canonical(trial) + b"\n" for trial in trials))
    click.echo(f"wrote {len(trials)} trials to {output}", err=True)
