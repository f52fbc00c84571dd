"""Options that put models to work on the week: which models, in which setups, told what."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from actmem.cli.model_options import read_model_options
from actmem.cli.week_options import PATH
from actmem.errors import InputError

if TYPE_CHECKING:
    from actmem.models.chat import Chat
    from actmem.models.price import Price
    from actmem.week.suite import Cast

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
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
        help="How the models are put to work (actmem list setups).  [default: single]",
    ),
    click.option(
        "--preset",
        type=click.Choice(["paper"]),
        help="'paper': all eight setups of PM-Bench, six live and two replayed.",
    ),
    click.option(
        "--max-tokens-total",
        type=click.IntRange(1),
        help="Stop when this command's calls have taken so many tokens; it can be resumed.",
    ),
    click.option(
        "--price",
        "prices",
        multiple=True,
        metavar="[MODEL=]NEW,CACHED,OUT",
        help="Price of a million tokens of prompt, of cached prompt and of reply; repeat it.",
    ),
    click.option(
        "--max-cost",
        type=click.FloatRange(min=0, min_open=True),
        help="Stop when this command's calls have cost so much; needs prices, can be resumed.",
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
    click.option(
        "--history-tokens",
        type=click.IntRange(1000),
        default=32_000,
        show_default=True,
        help="Tokens above which the oldest half of a history goes.",
    ),
    click.option(
        "--prompts",
        type=PATH,
        metavar="DIR",
        help="Prompt files of your own, in place of the built-in ones of the same name.",
    ),
)


def setup_options(command: F) -> F:
    """Add the options of setups to a command; ``read_cast`` takes them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_cast(given: dict[str, Any]) -> Cast | None:
    """Return which models play in which setups, None where no model is given."""
    if given["setups"] and given["preset"]:
        raise click.UsageError("--setups or --preset, not both")
    if not given["models"]:
        for option in ("setups", "preset", "prices", "max_cost"):
            if given[option]:
                name = option.removesuffix("s") if option == "prices" else option
                raise click.UsageError(f"--{name.replace('_', '-')} needs a --model")
        return None
    from actmem.models.price import read_prices
    from actmem.models.registry import open_model
    from actmem.week.agents.setups import SETUPS, SetupOptions, find_setup
    from actmem.week.agents.wording import words
    from actmem.week.suite import Cast

    names = (
        list(SETUPS)
        if given["preset"]
        else [name.strip() for name in (given["setups"] or "single").split(",") if name.strip()]
    )
    for name in names:
        find_setup(name)
    options = SetupOptions(
        words=words(given["prompts"]), form=given["form"], history_tokens=given["history_tokens"]
    )
    model_options = read_model_options(given)
    chats: dict[str, Chat] = {
        name: open_model(name, model_options) for name in dict.fromkeys(given["models"])
    }
    prices = read_prices(given["prices"], list(chats))
    return Cast(names, _budgeted(chats, prices, given), options, prices)


def _budgeted(
    chats: dict[str, Chat], prices: dict[str, Price], given: dict[str, Any]
) -> dict[str, Chat]:
    """Return the models with their prices, within one budget."""
    from actmem.models.budget import Budget, BudgetedChat

    tokens, cost = given["max_tokens_total"], given["max_cost"]
    unknown = [name for name in chats if name not in prices]
    if cost is not None and unknown:
        raise InputError(
            f"the price of {unknown[0]} is not known; add --price {unknown[0]}=NEW,CACHED,OUT",
            "--max-cost",
        )
    if tokens is None and not prices:
        return chats
    budget = Budget(tokens, cost)
    return {name: BudgetedChat(chat, budget, prices.get(name)) for name, chat in chats.items()}
