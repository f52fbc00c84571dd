"""Options that say which episodes a run of trials has; ``run`` and ``plan`` share them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from actmem.cli.agent_options import agents_option, workers_option
from actmem.cli.budget_options import prices
from actmem.cli.model_options import embedder_option, model_options_with
from actmem.cli.options import options, repeats_option
from actmem.cli.setup_options import (
    open_chats,
    refuse_without_model,
    setup_names,
    setup_options,
)
from actmem.cli.week_options import PATH
from actmem.trials import MAX_TOKENS

if TYPE_CHECKING:
    from actmem.run.agent_suite import Cast
    from actmem.run.plan import Manifest
    from actmem.trials.agents.setups import SetupOptions
    from actmem.trials.trial import Trial

trials_options = options(
    agents_option,
    click.option("--subset", "subsets", metavar="A,B,C", help="Subsets to play. [default: all]"),
    click.option("--trial", "ids", multiple=True, metavar="ID", help="Play this trial; repeat it."),
    click.option("--file", type=PATH, help="Play trials that `make trials` wrote instead."),
    click.option("--seed", type=int, default=1, show_default=True, help="Seed of the agents."),
    repeats_option("each agent plays each trial"),
    workers_option,
    click.option(
        "--passage-tokens",
        type=click.IntRange(1),
        default=200,
        show_default=True,
        help="Tokens of what a memory adds to a prompt.",
    ),
    embedder_option,
    setup_options("base"),
    model_options_with(MAX_TOKENS),
)
"""Add the options of agents, trials, setups and models to a command."""


def planned(given: dict[str, Any]) -> tuple[list[Trial], Cast[SetupOptions] | None, Manifest]:
    """Return the trials, the models in their setups, and the plan of the run that options give."""
    from actmem.cli.conduct import stdout_kept
    from actmem.trials.agents.floors import FLOORS
    from actmem.trials.select import choose, load
    from actmem.trials.suite import make_manifest

    trials = choose(given["subsets"], given["ids"], load(given["file"]) if given["file"] else None)
    cast = _cast(given)
    agents = given["agents"]
    if not agents and cast is None:
        agents = tuple(FLOORS)
    with stdout_kept():  # an agent's file is loaded here, and may print
        manifest = make_manifest(
            trials, agents, seed=given["seed"], repeats=given["repeats"], cast=cast
        )
    return trials, cast, manifest


def _cast(given: dict[str, Any]) -> Cast[SetupOptions] | None:
    """Return which models play in which setups, None where no model is given."""
    if not given["models"]:
        refuse_without_model("setups", "passage_tokens", "embedder")
        return None
    from actmem.memory.open import find_embedder
    from actmem.models.wording import words
    from actmem.run.agent_suite import Cast
    from actmem.trials.agents.setups import SetupOptions, bound, built_in, find_setup

    names = setup_names(given, "base")
    for name in names:
        find_setup(name)
    chosen = SetupOptions(
        words=words(built_in(), given["prompts"]),
        history_tokens=given["history_tokens"],
        passage_tokens=given["passage_tokens"],
        characters=bound(given["max_tokens"]),
        embedder=find_embedder(
            given["embedder"], base_url=given["base_url"], key_variable=given["key_env"]
        ),
    )
    return Cast(names, open_chats(given), chosen, prices(given))
