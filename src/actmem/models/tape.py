"""The tape of an episode: what its models said, written before it is used.

To go on with an episode that broke off, a fresh agent asks the same questions again. While the tape
holds recorded calls it answers from them, without any call; from the record's end on the model is
asked, and each reply is written down. A question that differs from the recorded one raises
``DivergedError``.

Each message stands in the trace once, at the first call whose prompt held it; a digest stands for
the whole prompt.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from actmem.errors import DivergedError
from actmem.hashing import canonical
from actmem.models.chat import Chat, Completion, Message, Usage
from actmem.models.structured import Schema, fit
from actmem.trace import Event


class Called(Event, frozen=True, tag="model", kw_only=True):
    """One call of a model in a trace."""

    dialogue: str
    """Which of the agent's dialogues asked."""
    messages: tuple[Message, ...] = ()
    """The prompt's messages that no earlier call of this dialogue held, replies left out."""
    dropped: int = 0
    """Messages that pruning took out of the history since the dialogue's last call."""
    prompt: str
    """``prompt_digest`` of the whole prompt."""
    completion: Completion
    """The reply, without ``parsed`` and ``problem``, which follow from text and schema."""


class PromptDigest:
    """The digest of a growing prompt, without reading it anew for each call."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._hash = hashlib.sha256()
        for message in messages:
            self.add(message)

    def add(self, message: Message) -> None:
        """Take in the next message."""
        self._hash.update(canonical(message))

    def text(self, schema: Schema | None) -> str:
        """Return the digest with ``schema``, as 16 hexadecimal digits."""
        total = self._hash.copy()
        if schema is not None:
            total.update(canonical([schema.name, schema.definition]))
        return total.hexdigest()[:16]


def prompt_digest(messages: Iterable[Message], schema: Schema | None) -> str:
    """Return the digest of a prompt and its schema, as 16 hexadecimal digits."""
    return PromptDigest(messages).text(schema)


def _forget(_: Called) -> None:
    """Write nothing: for calls outside of an episode."""


class Tape:
    """Answers from the record, then from the model. One tape an episode; not for several threads."""

    def __init__(
        self,
        recorded: Iterable[Called] = (),
        write: Callable[[Called], Any] = _forget,
        on_call: Callable[[Usage], None] | None = None,
    ) -> None:
        """``on_call`` is told what each live call took, after it is written down."""
        self._recorded = deque(recorded)
        self._write = write
        self._on_call = on_call
        self.usage = Usage()
        """The sum over all calls of the episode, recorded ones included."""

    @property
    def restoring(self) -> bool:
        """Whether the next call is answered from the record."""
        return bool(self._recorded)

    def call(
        self,
        chat: Chat,
        prompt: Sequence[Message],
        schema: Schema | None = None,
        *,
        dialogue: str = "agent",
        digest: str | None = None,
        new: Sequence[Message] | None = None,
        dropped: int = 0,
    ) -> Completion:
        """Return the reply to ``prompt``, recorded or live.

        ``new`` (default: the whole prompt) and ``dropped`` go into the trace; ``digest`` is given
        where the caller has it already.
        """
        digest = digest or prompt_digest(prompt, schema)
        if self._recorded:
            called = self._recorded.popleft()
            if (called.dialogue, called.prompt) != (dialogue, digest):
                raise DivergedError(f"the prompt of {dialogue!r} is not the recorded one")
            parsed, problem = fit(called.completion.text, schema)
            completion = msgspec.structs.replace(called.completion, parsed=parsed, problem=problem)
        else:
            completion = chat.complete(prompt, schema)
            bare = msgspec.structs.replace(completion, parsed=None, problem="")
            self._write(
                Called(
                    dialogue=dialogue,
                    messages=tuple(prompt if new is None else new),
                    dropped=dropped,
                    prompt=digest,
                    completion=bare,
                )
            )
            if self._on_call is not None:
                self._on_call(completion.usage)
        self.usage += completion.usage
        return completion
