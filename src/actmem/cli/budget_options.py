"""Options that bound what the models of a run may take, in tokens and in money."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from actmem.cli.values import Finite
from actmem.errors import InputError

if TYPE_CHECKING:
    from actmem.models.chat import Chat
    from actmem.models.price import Price

BUDGET_OPTIONS = (
    click.option(
        "--max-tokens-total",
        type=click.IntRange(1),
        help="Stop when this command's calls have taken so many tokens; it can be resumed.",
    ),
    click.option(
        "--price",
        multiple=True,
        metavar="[MODEL=]NEW,CACHED,OUT",
        help="Price of a million tokens of prompt, of cached prompt and of reply; repeat it.",
    ),
    click.option(
        "--max-cost",
        type=Finite(min=0, min_open=True),
        help="Stop when this command's calls have cost so much; needs prices, can be resumed.",
    ),
)


def prices(given: Mapping[str, Any]) -> dict[str, Price]:
    """Return the prices that options give, by model."""
    from actmem.models.price import read_prices

    return read_prices(given["price"], list(dict.fromkeys(given["models"])))


def budgeted(chats: dict[str, Chat], given: Mapping[str, Any]) -> dict[str, Chat]:
    """Return the models with their prices, within one budget."""
    from actmem.models.budget import Budget, BudgetedChat

    tokens, cost, known = given["max_tokens_total"], given["max_cost"], prices(given)
    unknown = [name for name in chats if name not in known]
    if cost is not None and unknown:
        raise InputError(
            f"the price of {unknown[0]} is not known; add --price {unknown[0]}=NEW,CACHED,OUT",
            "--max-cost",
        )
    if tokens is None and not known:
        return chats
    budget = Budget(tokens, cost)
    return {name: BudgetedChat(chat, budget, known.get(name)) for name, chat in chats.items()}
