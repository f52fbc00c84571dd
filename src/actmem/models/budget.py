"""A budget of tokens over all the models of a run."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from actmem.errors import StoppedError
from actmem.models.chat import Chat, Completion, Message
from actmem.models.structured import Schema


class Budget:
    """Counts tokens of prompts and replies, cached ones included; for any number of threads."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.spent = 0
        self._lock = threading.Lock()

    def check(self) -> None:
        """Raise ``StoppedError`` where nothing is left."""
        if self.spent >= self.limit:
            raise StoppedError(
                f"stopped: {self.spent} of {self.limit} tokens are spent; "
                "the same command in this run folder goes on, with a budget of its own"
            )

    def add(self, tokens: int) -> None:
        """Count tokens that were spent."""
        with self._lock:
            self.spent += tokens


class BudgetedChat:
    """A model whose calls end when a budget is spent. A call that has begun may overrun it."""

    def __init__(self, chat: Chat, budget: Budget) -> None:
        self._chat = chat
        self._budget = budget

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
        self._budget.add(completion.usage.prompt_tokens + completion.usage.completion_tokens)
        return completion

    def close(self) -> None:
        """Close the model."""
        self._chat.close()
