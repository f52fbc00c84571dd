"""What calls cost: prices that the user states, since no list of ours would stay true.

An endpoint that tells the cost of a call itself is believed; for the others a price turns the tokens
of a call into its cost. Costs are in the currency of the prices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import NamedTuple

from actmem.errors import InputError
from actmem.models.chat import Usage

MILLION = 1_000_000


class Price(NamedTuple):
    """Prices of a million tokens."""

    new: float
    """Of a prompt, read for the first time."""
    cached: float
    """Of a prompt, taken from the provider's cache."""
    written: float
    """Of a reply."""

    def cost(self, usage: Usage) -> float:
        """Return what the tokens of ``usage`` cost."""
        return self.of(
            usage.prompt_tokens - usage.cached_tokens, usage.cached_tokens, usage.completion_tokens
        )

    def of(self, new: int, cached: int, written: int) -> float:
        """Return what so many tokens cost."""
        return (new * self.new + cached * self.cached + written * self.written) / MILLION


def read_prices(texts: Iterable[str], models: Sequence[str]) -> dict[str, Price]:
    """Return prices by model from texts such as ``0.25,0.025,2`` or ``openai/NAME=0.25,0.025,2``.

    One without a model is the price of all that have none of their own. Raises ``InputError`` for
    a malformed text, an unknown model, and two prices of one model.
    """
    named: dict[str, Price] = {}
    for text in texts:
        model, _, numbers = text.rpartition("=")
        if model and model not in models:
            raise InputError(f"{model!r} is none of the models {', '.join(models)}", "--price")
        if model in named:
            raise InputError(f"{model or 'all models'}: there are two prices", "--price")
        named[model] = _price(numbers)
    common = named.pop("", None)
    return {model: common for model in models if common is not None} | named


def _price(text: str) -> Price:
    try:
        new, cached, written = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"{text!r} is not three numbers NEW,CACHED,OUT, as in 0.25,0.025,2", "--price"
        ) from None
    price = Price(new, cached, written)
    if not all(isfinite(part) and part >= 0 for part in price):
        raise InputError(f"{text!r}: a price is 0 or more", "--price")
    return price
