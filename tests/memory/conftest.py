"""An embedder without weights, and small histories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import NDArray

from actmem.errors import ProviderError
from actmem.memory.hashed import HashedWords
from actmem.memory.model import Model
from actmem.memory.protocol import DAY, Turn
from actmem.memory.registry import Parts
from actmem.models.chat import Chat, Completion, Message
from actmem.models.estimate import typical
from actmem.models.scripted import ScriptedChat
from actmem.models.structured import Schema


class HashingEmbedder(HashedWords):
    """Counts the texts of each call."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        self.calls.append(len(texts))
        return super().embed(texts)


def parts(chat: Chat | None = None, folder: Path = Path("unused")) -> Parts:
    """Return what memories are made of, without weights; ``{}`` is the reply to everything."""
    return Parts(HashingEmbedder, lambda: Model(chat or ScriptedChat(["{}"])), lambda: folder)


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


def history(*texts: str) -> list[Turn]:
    """Return turns of sessions of four, user and assistant in turn."""
    return [
        Turn(i, i // 4, i // 4 * DAY + i % 4, "assistant" if i % 2 else "user", text)
        for i, text in enumerate(texts)
    ]


@pytest.fixture(scope="session")
def turns() -> Callable[..., list[Turn]]:
    """Return ``history``."""
    return history


class Answering:
    """A model that answers each schema as a function of the prompt says, and keeps the prompts.

    A value that is no function is the reply to every prompt, a text one that fits no schema. Beyond
    ``dies`` calls it raises.
    """

    parallel = 1

    def __init__(
        self,
        replies: Mapping[str, Any],
        *,
        dies: int = 10**6,
        error: BaseException | None = None,
        window: int | None = None,
    ) -> None:
        self.name, self.window = "answering", window
        self.settings: dict[str, Any] = {"backend": "answering"}
        self.prompts: list[tuple[str, str]] = []
        """The schema and the last message of each call."""
        self._replies = dict(replies)
        self._dies = dies
        self._error = error or ProviderError("answering: no route to host")

    def asked(self, schema: str) -> list[str]:
        """Return the prompts of one schema."""
        return [prompt for name, prompt in self.prompts if name == schema]

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        if len(self.prompts) >= self._dies:
            raise self._error
        name = schema.name if schema else ""
        self.prompts.append((name, messages[-1].content))
        reply = self._replies[name]
        reply = reply(messages[1].content) if callable(reply) else reply
        return ScriptedChat([{"reply": reply}]).complete(messages, schema)

    def close(self) -> None: ...


class Typical(Answering):
    """A model that replies what is typical of each schema."""

    def __init__(self, **options: Any) -> None:
        super().__init__({}, **options)

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        if schema is not None:
            self._replies[schema.name] = typical(schema.definition)
        return super().complete(messages, schema)
