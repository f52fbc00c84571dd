"""What a chat model is: messages and an optional schema in, a completion with its usage out.

A ``Chat`` answers or raises ``ProviderError``. A reply that does not fit the schema is no error of
the provider: it comes back with ``parsed`` None and ``problem`` set, and is the model's own fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from actmem.models.structured import Schema

BYTES_PER_TOKEN = 3.0
"""Rather too few than too many, so that an estimate errs on the side of more tokens."""
TOKENS_PER_MESSAGE = 6
"""What a chat template puts around a message."""


class Message(Struct, frozen=True):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one call, or several added up, took."""

    calls: int = 0
    prompt_tokens: int = 0
    """All tokens of the prompts, cached ones included."""
    cached_tokens: int = 0
    """Tokens of the prompts that the provider took from its cache."""
    completion_tokens: int = 0
    retries: int = 0
    """Attempts beyond the first that the provider's failures cost."""
    seconds: float = 0.0
    """From the call to its reply, waiting between attempts included."""
    estimated: bool = False
    """True where a provider did not count and tokens are estimates."""
    cost: float | None = None
    """What it cost; None where that is not known."""

    def __add__(self, other: Usage) -> Usage:
        """Add up; a sum is an estimate where a part of it is, and of unknown cost likewise."""
        costs = [part.cost for part in (self, other) if part.calls]
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            retries=self.retries + other.retries,
            seconds=round(self.seconds + other.seconds, 6),
            estimated=self.estimated or other.estimated,
            cost=_sum(costs),
        )


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 10) if known and len(known) == len(costs) else None


class Completion(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model's reply to one call."""

    text: str
    """As the model gave it; valid Unicode."""
    parsed: Any = None
    """The reply as JSON data where a schema was given and the reply fits it."""
    problem: str = ""
    """Where a schema was given: why the reply does not fit it."""
    finish: str = ""
    """Why the model stopped: ``stop``, ``length`` (cut off), or the provider's own word."""
    schema_sent: Literal["", "native", "prompt"] = ""
    """How the model was told of the schema: by the provider's means, or in the prompt."""
    usage: Usage = Usage()


class Chat(Protocol):
    """A chat model. It may be called from several threads at once."""

    @property
    def name(self) -> str:
        """The model as it is named on the command line and in tables."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """All that may change a reply, for the trace's header; JSON data without any secret."""
        ...

    @property
    def window(self) -> int | None:
        """Most tokens of prompt and reply together; None where it is not known."""
        ...

    @property
    def parallel(self) -> int:
        """How many episodes at a time make sense with this model."""
        ...

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        """Return the model's reply to ``messages``.

        Raises ``ProviderError`` where there is none after all retries.
        """
        ...

    def close(self) -> None:
        """Give back what the model holds. A closed model is not called again."""
        ...


def estimate_tokens(messages: Iterable[Message]) -> int:
    """Return about how many tokens ``messages`` have, rather too many than too few."""
    return sum(
        int(len(message.content.encode("utf-8", "replace")) / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE
        for message in messages
    )


def clean(text: str) -> str:
    """Return ``text`` as valid Unicode: lone surrogates, which JSON allows, become U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def merged(messages: Iterable[Message]) -> list[Message]:
    """Return the messages with neighbours of one role joined: many chat templates insist."""
    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1].role == message.role:
            content = f"{joined[-1].content}\n\n{message.content}"
            joined[-1] = Message(message.role, content)
        else:
            joined.append(message)
    return joined
