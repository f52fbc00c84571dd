"""The dialogue of an agent with its model: a history that only grows, and asking again.

Messages are only ever appended, so that a provider's prompt cache holds from call to call. The one
exception is pruning: above a budget of tokens the oldest half of the history goes at once (a cache
then misses once, not at every call), while what is pinned stays.

The state depends on what was said and on the replies alone, counts of tokens included: over a
``Tape`` with recorded replies a dialogue goes through the same states without a call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from msgspec import Struct

from actmem.errors import ActionError, ActMemError, InputError
from actmem.models.chat import Chat, Completion, Message, Usage, estimate_tokens
from actmem.models.prompts import prompts
from actmem.models.structured import ReplyError, Schema, answer
from actmem.models.tape import PromptDigest, Tape

HISTORY_TOKENS = 32_000
"""Tokens above which a history is pruned, unless the model's window is smaller."""
RESERVE_TOKENS = 2_000
"""Tokens of the window that are kept free for the reply; a quarter of a small window."""
RETRIES = 3
"""How often a model is asked again after an invalid reply."""
MAX_SHOWN = 4_000
"""Most characters of a reply that the history keeps; only a runaway reply has more."""

T = TypeVar("T")


class InvalidReplyError(ActMemError):
    """The model gave no valid reply however often it was asked."""

    exit_code = 3

    def __init__(self, problem: str, attempts: int) -> None:
        self.problem = problem
        self.attempts = attempts
        super().__init__(f"no valid reply in {attempts} attempts: {problem}")


class _Entry(Struct):
    message: Message
    tokens: int
    pin: str = ""


class Dialogue:
    """A conversation with one model.

    ``budget`` is the most tokens of history; ``invalid`` counts replies that could not be used,
    ``pruned`` how often and ``dropped`` how many messages went out of the history.
    """

    def __init__(
        self,
        chat: Chat,
        tape: Tape | None = None,
        *,
        name: str = "agent",
        budget: int = HISTORY_TOKENS,
        retries: int = RETRIES,
    ) -> None:
        self._chat = chat
        self._tape = tape or Tape()
        self._name = name
        self._retries = retries
        self.limit = budget
        if chat.window is not None:
            self.limit = min(budget, chat.window - min(RESERVE_TOKENS, chat.window // 4))
        self._entries: list[_Entry] = []
        self._digest = PromptDigest()
        self._unrecorded: list[Message] = []
        self._counted = (0, 0)  # tokens that the provider counted, and of how many entries
        self._dropped_since = 0
        self.usage = Usage()
        self.invalid = 0
        self.pruned = 0
        self.dropped = 0

    @property
    def messages(self) -> tuple[Message, ...]:
        """The history as the model would see it now."""
        return tuple(entry.message for entry in self._entries)

    @property
    def tokens(self) -> int:
        """Tokens of the history: as the provider counted them, and an estimate for what is new."""
        counted, entries = self._counted
        return counted + sum(entry.tokens for entry in self._entries[entries:])

    def say(
        self, content: str, role: Literal["system", "user", "assistant"] = "user", pin: str = ""
    ) -> None:
        """Append a message. With ``pin`` it stays when the history is pruned.

        A later message with the same pin takes its place: the new day's plan unpins the old one.
        """
        message = Message(role, content)
        if pin:
            for entry in self._entries:
                if entry.pin == pin:
                    entry.pin = ""
        self._unrecorded.append(message)
        self._append(message, pin)

    def ask(self, decode: Callable[[Any], T], schema: Schema | None = None) -> T:
        """Ask the model and return what ``decode`` makes of its reply.

        ``decode`` is given the parsed object where there is a schema, else the reply's text. Where
        it raises ``ActionError``, ``InputError`` or ``ReplyError``, or the reply does not fit the
        schema, the model is told so and asked again. Raises ``InvalidReplyError`` after the last
        attempt, and ``ProviderError`` as the model does.
        """
        problem = ""
        for attempt in range(self._retries + 1):
            if attempt:
                self.say(prompts()["again"].format(problem=problem))
            completion = self._call(schema)
            problem = completion.problem
            if not problem:
                try:
                    return decode(completion.parsed if schema is not None else completion.text)
                except (ActionError, InputError, ReplyError) as error:
                    problem = str(error)
            if completion.finish == "length":
                problem += " (the reply was cut off: it was too long)"
            self.invalid += 1
        raise InvalidReplyError(problem, self._retries + 1)

    def _call(self, schema: Schema | None) -> Completion:
        self._prune()
        completion = self._tape.call(
            self._chat,
            self.messages,
            schema,
            dialogue=self._name,
            digest=self._digest.text(schema),
            new=self._unrecorded,
            dropped=self._dropped_since,
        )
        self._unrecorded = []
        self._dropped_since = 0
        if not completion.usage.estimated:
            self._counted = (completion.usage.prompt_tokens, len(self._entries))
        self.usage += completion.usage
        text = answer(completion.text) or prompts()["empty"]
        self._append(Message("assistant", text[:MAX_SHOWN]))
        return completion

    def _append(self, message: Message, pin: str = "") -> None:
        self._entries.append(_Entry(message, estimate_tokens([message]), pin))
        self._digest.add(message)

    def _prune(self) -> None:
        """Drop the oldest half, and again half of the rest, until the history fits."""
        while self.tokens > self.limit:
            doomed = self._oldest_half()
            if not doomed:
                return  # only what is pinned and what is to be answered now is left
            self._entries = [e for i, e in enumerate(self._entries) if i not in doomed]
            self._digest = PromptDigest(self.messages)
            self._counted = (0, 0)
            self._dropped_since += len(doomed)
            self.dropped += len(doomed)
            self.pruned += 1

    def _oldest_half(self) -> set[int]:
        """Return the entries to drop: half of the tokens that may go, to the end of an exchange."""
        replies = [i for i, e in enumerate(self._entries) if e.message.role == "assistant"]
        ended = replies[-1] + 1 if replies else 0
        free = [i for i in range(ended) if not self._entries[i].pin]
        total = sum(self._entries[i].tokens for i in free)
        doomed: set[int] = set()
        taken = 0
        for i in free:
            role = self._entries[i].message.role
            # The kept history must begin with a message to the model, not with its reply.
            if 2 * taken >= total and role != "assistant":
                break
            doomed.add(i)
            taken += self._entries[i].tokens
        return doomed
