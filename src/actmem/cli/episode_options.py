"""Options that say which episodes a run has; ``run`` and ``plan`` share them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from actmem.cli.model_options import model_options
from actmem.cli.setup_options import read_cast, setup_options
from actmem.cli.week_options import KNOBS, PATH, knob_options, refuse_together

if TYPE_CHECKING:
    from actmem.run.plan import Manifest
    from actmem.week.make import Knobs
    from actmem.week.scenario import Scenario
    from actmem.week.suite import Cast

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--agent",
        "agents",
        multiple=True,
        metavar="NAME",
        help="A built-in agent, path/to/file.py:Class or cmd:PROGRAM; repeat it. [default: all that need no model, or none with --model]",
    ),
    click.option(
        "--weeks",
        type=click.IntRange(1),
        default=5,
        show_default=True,
        help="Number of weeks to make and play.",
    ),
    click.option(
        "--scenario",
        "files",
        multiple=True,
        type=PATH,
        metavar="FILE",
        help="Play this week instead; repeat it.",
    ),
    click.option(
        "--seed",
        type=int,
        help="Seed of the first week and of chance.  [default: the standard set]",
    ),
    click.option(
        "--repeats",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="How often each agent plays each week.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1, 64),
        default=1,
        show_default=True,
        help="Episodes played at a time.",
    ),
)


def episode_options(command: F) -> F:
    """Add the options of agents, weeks, setups, models and knobs to a command."""
    command = setup_options(model_options(knob_options(command)))
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def planned(given: dict[str, Any]) -> tuple[list[Scenario], Cast | None, Manifest]:
    """Return the weeks, the models in their setups, and the plan of the run that options give."""
    from actmem.cli.conduct import stdout_kept
    from actmem.week.agents import BUILT_IN
    from actmem.week.suite import make_manifest

    if given["files"]:
        refuse_together("scenario", "weeks", *KNOBS)
    scenarios = _scenarios(given["weeks"], given["files"], given["seed"], given["knobs"])
    cast = read_cast(given)
    agents = given["agents"]
    if not agents and cast is None:
        agents = tuple(BUILT_IN)
    with stdout_kept():  # an agent's file is loaded here, and may print
        manifest = make_manifest(
            scenarios,
            agents,
            seed=given["seed"] or 0,
            repeats=given["repeats"],
            nudge=given["nudge"],
            cast=cast,
        )
    return scenarios, cast, manifest


def _scenarios(
    weeks: int, files: tuple[Path, ...], seed: int | None, wanted: Knobs
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
