"""Options that say which episodes a run of weeks has; ``run`` and ``plan`` share them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from actmem.cli.agent_options import agents_option, workers_option
from actmem.cli.budget_options import prices
from actmem.cli.model_options import model_options
from actmem.cli.options import options, repeats_option
from actmem.cli.setup_options import (
    open_chats,
    refuse_without_model,
    setup_names,
    setup_options,
)
from actmem.cli.week_options import KNOBS, PATH, knob_options, refuse_together

if TYPE_CHECKING:
    from actmem.run.agent_suite import Cast
    from actmem.run.plan import Manifest
    from actmem.week.agents.setups import SetupOptions
    from actmem.week.scenario import Scenario

cast_options = options(
    click.option(
        "--preset",
        type=click.Choice(["paper"]),
        help="'paper': all eight setups of PM-Bench, six live and two replayed.",
    ),
    click.option(
        "--form",
        type=click.Choice(["list", "flags"]),
        default="list",
        show_default=True,
        help="Replies name handles, or give a flag for each; flags suit small models.",
    ),
    click.option(
        "--nudge",
        type=click.Choice(["neutral", "channels", "informed", "task-reminder"]),
        default="channels",
        show_default=True,
        help="What a heartbeat says; the last two are privileged.",
    ),
    setup_options("single"),
    model_options,
)
"""Add the options of models in setups to a command; ``read_cast`` takes them."""

episode_options = options(
    agents_option,
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
    repeats_option("each agent plays each week"),
    workers_option,
    cast_options,
    knob_options,
)
"""Add the options of agents, weeks, setups, models and knobs to a command."""


def planned(given: dict[str, Any]) -> tuple[list[Scenario], Cast[SetupOptions] | None, Manifest]:
    """Return the weeks, the models in their setups, and the plan of the run that options give."""
    from actmem.cli.conduct import stdout_kept
    from actmem.week.agents import BUILT_IN
    from actmem.week.standard import choose_weeks
    from actmem.week.suite import make_manifest

    if given["files"]:
        refuse_together("scenario", "weeks", *KNOBS)
    scenarios = choose_weeks(given["weeks"], given["files"], given["seed"], given["knobs"])
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


def read_cast(given: dict[str, Any]) -> Cast[SetupOptions] | None:
    """Return which models play in which setups, None where no model is given."""
    if given["setups"] and given["preset"]:
        raise click.UsageError("--setups or --preset, not both")
    if not given["models"]:
        refuse_without_model("setups", "preset")
        return None
    from actmem.models.wording import words
    from actmem.run.agent_suite import Cast
    from actmem.week.agents.setups import SETUPS, SetupOptions, find_setup
    from actmem.week.agents.wording import built_in

    names = list(SETUPS) if given["preset"] else setup_names(given, "single")
    for name in names:
        find_setup(name)
    chosen = SetupOptions(
        words=words(built_in(), given["prompts"]),
        form=given["form"],
        history_tokens=given["history_tokens"],
    )
    return Cast(names, open_chats(given), chosen, prices(given))
