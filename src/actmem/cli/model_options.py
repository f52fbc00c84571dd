"""Options of every command that asks a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from actmem.cli.options import F, options
from actmem.models.registry import ModelOptions


def _temperature(_: click.Context, __: click.Parameter, value: str) -> float | None:
    """Return a number, or None for ``none``."""
    if value.lower() == "none":
        return None
    try:
        return float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither a number nor 'none'") from None


embedder_option = click.option(
    "--embedder",
    metavar="minilm|openai/NAME",
    default="minilm",
    show_default=True,
    help="What memories embed with; openai/NAME is asked at --base-url.",
)

_OPTIONS = (
    click.option("--base-url", metavar="URL", help="Endpoint of openai/NAME."),
    click.option(
        "--key-env",
        default="OPENAI_API_KEY",
        show_default=True,
        metavar="VARIABLE",
        help="Environment variable that holds the key.",
    ),
    click.option(
        "--temperature",
        metavar="NUMBER|none",
        callback=_temperature,
        default="0",
        show_default=True,
        help="'none' sends no temperature, for models that refuse one.",
    ),
    click.option("--model-seed", type=int, help="Seed of the model's sampling, where it has one."),
    click.option("--window", type=int, help="Tokens of prompt and reply that the model takes."),
    click.option("--threads", type=int, help="Threads of a local model. [default: all but one]"),
)


def model_options_with(max_tokens: int) -> Callable[[F], F]:
    """Return what adds the options of a model to a command, with the most tokens of a reply."""
    return options(
        *_OPTIONS,
        click.option(
            "--max-tokens",
            type=int,
            default=max_tokens,
            show_default=True,
            help="Most tokens of a reply.",
        ),
    )


model_options = model_options_with(ModelOptions().max_tokens)
"""Add the options of a model to a command; ``read_model_options`` takes them."""


def read_model_options(given: dict[str, Any]) -> ModelOptions:
    """Make the options of a model from a command's keyword arguments."""
    return ModelOptions(
        base_url=given["base_url"],
        key_variable=given["key_env"],
        temperature=given["temperature"],
        seed=given["model_seed"],
        max_tokens=given["max_tokens"],
        window=given["window"],
        threads=given["threads"],
    )
