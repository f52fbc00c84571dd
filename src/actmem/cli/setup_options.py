"""Options that put models to work on a suite: which models, in which setups, told what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from click.core import ParameterSource

from actmem.cli.budget_options import BUDGET_OPTIONS, budgeted
from actmem.cli.model_options import read_model_options
from actmem.cli.options import F, options

if TYPE_CHECKING:
    from actmem.models.chat import Chat
    from actmem.models.registry import ModelOptions


def setup_options(default: str) -> Callable[[F], F]:
    """Return what adds the options of setups to a command; ``default`` names what is played."""
    return options(
        click.option(
            "--model",
            "models",
            multiple=True,
            metavar="MODEL",
            help="openai/NAME, local, local:NAME, scripted:FILE, …; repeat it (actmem list models).",
        ),
        click.option(
            "--setups",
            metavar="A,B,…",
            help=f"How the models are put to work (actmem list setups).  [default: {default}]",
        ),
        *BUDGET_OPTIONS,
        click.option(
            "--history-tokens",
            type=click.IntRange(1000),
            default=32_000,
            show_default=True,
            help="Tokens above which the oldest half of a history goes.",
        ),
        click.option(
            "--prompts",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Prompt files of your own, in place of the built-in ones of the same name.",
        ),
    )


def setup_names(given: dict[str, Any], default: str) -> list[str]:
    """Return the setups that options name."""
    wanted = default if given["setups"] is None else given["setups"]
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    if not names:
        raise click.UsageError("--setups names none")
    return names


OF_ENDPOINTS = ("base_url", "key_env")
"""Parameters that say something of an endpoint: of a model's, or of an embedder's."""
OF_MODELS = (*OF_ENDPOINTS, "price", "max_cost", "max_tokens_total", "history_tokens", "prompts",
             "temperature", "model_seed", "window", "threads", "max_tokens")  # fmt: skip
"""Parameters that say something of models, in whatever command has them."""


def refuse_without_model(*parameters: str, embeds: bool = False) -> None:
    """Refuse what the user said of models, and of ``parameters``, where there is none.

    With ``embeds`` there is an endpoint all the same, that of an embedder.
    """
    context = click.get_current_context()
    for option in (*parameters, *(o for o in OF_MODELS if not (embeds and o in OF_ENDPOINTS))):
        if context.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{option.replace('_', '-')} needs a --model")


def open_chats(given: dict[str, Any]) -> dict[str, Chat]:
    """Return the models that options name, within their common budget; nothing is sent yet."""
    from actmem.models.registry import ENDPOINT, open_model

    embedder = given.get("embedder", "")
    chats: dict[str, Chat] = {
        name: open_model(name, own)
        for name, own in options_by_model(given["models"], embedder, given).items()
    }
    if not chats:
        refuse_without_model(embeds=embedder.startswith(ENDPOINT))
    return budgeted(chats, given)


def options_by_model(
    models: Sequence[str], embedder: str, given: dict[str, Any]
) -> dict[str, ModelOptions]:
    """Return the options of each model.

    What is said of an endpoint is for the models and the embedder that are of one; where none is,
    ``open_model`` refuses it.
    """
    from actmem.models.registry import ENDPOINT, ModelOptions

    whole = here = read_model_options(given)
    if any(name.startswith(ENDPOINT) for name in (embedder, *models)):
        own = ModelOptions().key_variable
        here = msgspec.structs.replace(whole, base_url=None, key_variable=own)
    return {name: whole if name.startswith(ENDPOINT) else here for name in models}
