"""A budget over all the models of a run: in tokens, in money, or both."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from actmem.errors import StoppedError
from actmem.models.chat import Chat, Completion, Message, Usage
from actmem.models.price import Price
from actmem.models.structured import Schema


class Budget:
    """Counts tokens of prompts and replies, cached ones included, and costs; for many threads."""

    def __init__(self, tokens: int | None = None, cost: float | None = None) -> None:
        """``tokens`` and ``cost`` are the limits; None for none."""
        self.tokens = tokens
        self.cost = cost
        self.spent = Usage()
        self._lock = threading.Lock()

    def check(self) -> None:
        """Raise ``StoppedError`` where nothing is left."""
        tokens = self.spent.prompt_tokens + self.spent.completion_tokens
        cost = self.spent.cost or 0.0
        spent = ""
        if self.tokens is not None and tokens >= self.tokens:
            spent = f"{tokens} of {self.tokens} tokens are spent"
        elif self.cost is not None and self.spent.calls and cost >= self.cost:
            spent = f"a cost of {cost:.4g} has come up, {self.cost:g} was the limit"
        if spent:
            raise StoppedError(
                f"stopped: {spent}; the same command in this run folder goes on, with a budget of "
                "its own"
            )

    def add(self, usage: Usage) -> None:
        """Count what a call took."""
        with self._lock:
            self.spent += usage


class BudgetedChat:
    """A model whose calls are priced, and end when a budget is spent.

    A call that has begun may overrun the budget.
    """

    def __init__(self, chat: Chat, budget: Budget, price: Price | None = None) -> None:
        self._chat = chat
        self._budget = budget
        self._price = price

    @property
    def name(self) -> str:
        """The model's name."""
        return self._chat.name

    @property
    def settings(self) -> Mapping[str, Any]:
        """The model's settings: a budget moves no number."""
        return self._chat.settings

    @property
    def window(self) -> int | None:
        """The model's window."""
        return self._chat.window

    @property
    def parallel(self) -> int:
        """How many episodes at a time make sense with the model."""
        return self._chat.parallel

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        """Return the model's reply; raises ``StoppedError`` where the budget is spent."""
        self._budget.check()
        completion = self._chat.complete(messages, schema)
        if self._price is not None and completion.usage.cost is None:
            usage = msgspec.structs.replace(
                completion.usage, cost=round(self._price.cost(completion.usage), 10)
            )
            completion = msgspec.structs.replace(completion, usage=usage)
        self._budget.add(completion.usage)
        return completion

    def close(self) -> None:
        """Close the model."""
        self._chat.close()
