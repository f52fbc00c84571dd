"""``actmem make``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from actmem.cli.make_trials import make_trials
from actmem.cli.week_options import PATH, knob_options

if TYPE_CHECKING:
    from actmem.week.make import Knobs


@click.group()
def make() -> None:
    """Make scenarios and trials."""


make.add_command(make_trials)


@make.command()
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the first week.")
@click.option("--weeks", "--count", type=click.IntRange(1), default=1, show_default=True,
              help="Number of weeks: seeds S, S+1, …")  # fmt: skip
@click.option("-o", "--output", type=PATH, default=Path(), help="A .json file or a folder.")
@click.option("--format", "form", type=click.Choice(["actmem", "pmbench"]), default="actmem",
              show_default=True, help="File format; pmbench holds the profile paper.")  # fmt: skip
@click.option("--stats", is_flag=True, help="Print the weeks' composition beside the paper's.")
@knob_options
def week(
    seed: int,
    weeks: int,
    output: Path,
    form: str,
    stats: bool,
    knobs: Knobs,
) -> None:
    """Make weeks and write them to files."""
    from actmem.errors import InputError
    from actmem.files import write_atomic
    from actmem.hashing import canonical
    from actmem.week.make import make_weeks
    from actmem.week.pmbench import write_week
    from actmem.week.scenario import dump

    if output.suffix == ".json" and weeks > 1:
        raise InputError("one file cannot hold several weeks; give a folder", output)
    made = list(make_weeks(seed, weeks, knobs))
    files = {}
    for scenario in made:
        path = output if output.suffix == ".json" else output / f"{scenario.scenario_name}.json"
        files[path] = (
            dump(scenario) if form == "actmem" else canonical(write_week(scenario)) + b"\n"
        )
    for path, data in files.items():
        write_atomic(path, data)
        click.echo(f"wrote {path}", err=True)
    rejected = sum(s.generator.attempt for s in made if s.generator is not None)
    drawn = len(made) + rejected
    click.echo(f"rejected {rejected} of {drawn} draws ({100 * rejected / drawn:.0f} %)", err=True)
    if stats:
        from actmem.report.terminal import show_composition

        show_composition(made)
