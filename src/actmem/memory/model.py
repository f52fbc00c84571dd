"""The chat model as a memory sees it: every call is taped, counted, and made in one of three ways.

``ask`` is for a memory of ours: one prompt, one bounded schema, data or None back. ``answer`` does
the same with messages of any number, for adapters of libraries that bring their own prompts;
``complete`` is a single call without asking again.

A call that fails is remembered, and every later one fails in the same way: a library that swallows
errors cannot go on as if the model had had nothing to say. Whoever drives a memory looks at
``failure`` after each call into it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

from actmem.hashing import digest
from actmem.memory.protocol import Usage
from actmem.models.chat import Chat, Completion, Message
from actmem.models.prompts import prompts
from actmem.models.structured import Schema, answer
from actmem.models.tape import Tape

STEP = "memory/"
"""What the dialogues of a memory's steps begin with in a trace."""
RETRIES = 1
"""How often ``ask`` asks again after an invalid reply: a history has thousands of steps."""
MAX_SHOWN = 1_000
"""Most characters of an invalid reply that the model is shown again."""
RESERVE = 512
"""Tokens of a model's window that are kept free for a step's instruction and reply."""


class Model:
    """One chat model for one memory in one episode, over the episode's tape.

    As long as the tape holds recorded replies, calls are answered from it. A memory must therefore
    ask the same questions in the same order whenever it is written the same turns: no clock and no
    random ids in a prompt, one call at a time.
    """

    def __init__(self, chat: Chat, tape: Tape | None = None) -> None:
        self.chat = chat
        self.usage = Usage()
        """What the calls took so far, recorded ones included."""
        self.failure: BaseException | None = None
        """What ended the calls: the provider's failure, a record that does not fit, a full disk."""
        self._tape = tape or Tape()
        self._recorded: dict[str, set[str]] = {}
        self._restored = 0.0
        self._lock = threading.RLock()

    def room(self, most: int) -> int:
        """Return how much text a prompt may hold: ``most`` tokens, fewer for a small window.

        The tokens are those of ``tokens``; a model's own may be twice as many.
        """
        window = self.chat.window
        return most if window is None else max(0, min(most, (window - RESERVE) // 2))

    def clock(self) -> float:
        """Return seconds that run on as if recorded replies took their time again."""
        return time.perf_counter() + self._restored

    def complete(
        self, step: str, messages: Sequence[Message], schema: Schema | None = None
    ) -> Completion:
        """Return the reply to ``messages``; ``step`` names the memory's step in the trace.

        A reply that does not fit ``schema`` has ``parsed`` None and is counted as invalid. Raises
        ``ProviderError`` where the model fails, and what the tape raises.
        """
        with self._lock:
            if self.failure is not None:
                raise self.failure
            recorded = self._tape.restoring
            new = self._unrecorded(step, messages)
            try:
                completion = self._tape.call(
                    self.chat, messages, schema, dialogue=f"{STEP}{step}", new=new
                )
            except BaseException as error:
                self.failure = error
                raise
            used = completion.usage
            self._restored += used.seconds if recorded else 0.0
            self.usage += Usage(
                calls=1,
                tokens=used.prompt_tokens + used.completion_tokens,
                invalid=bool(completion.problem),
                seconds=used.seconds,
            )
            return completion

    def _unrecorded(self, step: str, messages: Sequence[Message]) -> list[Message]:
        """Return the messages that no earlier call of the step held: a trace has each once."""
        known = self._recorded.setdefault(step, set())
        found = [message for message in messages if digest(message) not in known]
        known.update(map(digest, found))
        return found

    def ask(self, step: str, instruction: str, content: str, schema: Schema) -> Any:
        """Return the object in the reply; None where no reply fits ``schema``.

        ``instruction`` is the system message, the same at each call of a step, so that a prompt
        cache holds it.
        """
        messages = [Message("system", instruction), Message("user", content)]
        return self.answer(step, messages, schema)

    def answer(self, step: str, messages: Sequence[Message], schema: Schema) -> Any:
        """Return the object in the reply to ``messages``, as ``ask`` does."""
        prompt = list(messages)
        for attempt in range(RETRIES + 1):
            completion = self.complete(step, prompt, schema)
            if not completion.problem:
                return completion.parsed
            if attempt < RETRIES:
                said = answer(completion.text)[:MAX_SHOWN] or prompts()["empty"]
                again = prompts()["again"].format(problem=completion.problem)
                prompt += [Message("assistant", said), Message("user", again)]
        return None
