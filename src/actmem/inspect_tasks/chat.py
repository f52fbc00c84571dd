"""A model of Inspect's as a ``Chat``: called from an episode's thread, answered in the event loop."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import anyio.from_thread
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelName,
    ModelOutput,
    ResponseSchema,
)
from inspect_ai.model._generate_config import active_generate_config  # has no public name
from inspect_ai.util import JSONSchema, LimitExceededError

from actmem.errors import ActMemError, ProviderError, StoppedError
from actmem.models.chat import Completion, Message, Usage, clean, estimate_tokens, merged
from actmem.models.keys import redact
from actmem.models.openai import REFUSED
from actmem.models.prompts import with_schema
from actmem.models.structured import Schema, fit

CONFIG = GenerateConfig(
    temperature=0, max_tokens=1024, max_retries=4, timeout=600, attempt_timeout=300
)
"""As ``actmem run`` asks its models; Inspect's own options override it."""
NATIVE = frozenset(
    "anthropic azureai fireworks google grok groq litellm-proxy llama-cpp-python mistral ollama "
    "openai openai-api openrouter sglang together vllm".split()
)
"""Inspect's providers that send a response schema; the others drop it without a word."""

SchemaForm = Literal["auto", "native", "prompt"]
"""How a schema reaches the model: by the provider's means, in the prompt, or as the provider can."""
_KINDS: dict[str, type[ChatMessage]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


class InspectChat:
    """A model for one episode. ``complete`` must be called in a thread that anyio started."""

    parallel = 1

    def __init__(self, model: Model, schema: SchemaForm, window: int | None = None) -> None:
        self.name = str(model)
        self.window = window
        self.limit: LimitExceededError | None = None
        """The limit of Inspect's that ended the episode."""
        self.sent: list[ChatMessage] = []
        """The last call's messages."""
        self.last: ModelOutput | None = None
        """The last call's answer."""
        self._model = model
        self._native = schema == "native" or (schema == "auto" and ModelName(model).api in NATIVE)
        self._known: dict[tuple[int, Message], ChatMessage] = {}
        self.config = model.config.merge(active_generate_config())
        """What all calls are made with: the model's own, the task's and the command line's."""
        self.settings: Mapping[str, Any] = {
            "backend": "inspect", "model": self.name, "schema": schema, "window": window,
        } | self.config.model_dump(exclude_none=True, mode="json")  # fmt: skip

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        """Return the model's reply.

        Raises ``ProviderError`` for whatever a provider raises, and ``StoppedError`` where a limit
        of Inspect's is reached or the sample is cancelled.
        """
        started = time.monotonic()
        output, sent = self._answer(messages, schema)
        if output.error:
            raise self._failure(output.error)
        self.last = output
        text = redact(clean(output.completion), self._model.api.api_key)
        parsed, problem = fit(text, schema)
        return Completion(
            text=text,
            parsed=parsed,
            problem=problem,
            finish="length" if output.stop_reason == "max_tokens" else output.stop_reason,
            schema_sent=sent,
            usage=_usage(output, messages, text, time.monotonic() - started),
        )

    def close(self) -> None:
        """Do nothing: Inspect closes its models."""

    def _answer(
        self, messages: Sequence[Message], schema: Schema | None
    ) -> tuple[ModelOutput, Literal["", "native", "prompt"]]:
        """Ask, and say how the schema was sent. One that is refused goes into the prompt."""
        if schema is None:
            return self._generate(messages), ""
        if self._native:
            try:
                return self._generate(messages, _response_schema(schema)), "native"
            except _Refused:
                self._native = False
        return self._generate(with_schema(messages, schema)), "prompt"

    def _generate(
        self, messages: Sequence[Message], schema: ResponseSchema | None = None
    ) -> ModelOutput:
        self.sent = [self._message(place, m) for place, m in enumerate(merged(messages))]
        config = GenerateConfig(response_schema=schema)
        try:
            return anyio.from_thread.run(partial(self._model.generate, self.sent, config=config))
        except LimitExceededError as error:
            self.limit = error
            raise StoppedError(f"a limit of Inspect's is reached: {error}") from None
        except BaseException as error:
            # Cancelling is an Exception of concurrent.futures', or a BaseException of the loop's.
            if not isinstance(error, Exception) or type(error).__name__ == "CancelledError":
                raise StoppedError("the sample was cancelled") from None
            if schema is not None and _status(error) in REFUSED:
                raise _Refused from None
            raise self._failure(f"{type(error).__name__}: {error}") from None

    def _message(self, place: int, message: Message) -> ChatMessage:
        """Return the same object for the same message, so that the log holds it once."""
        if (place, message) not in self._known:
            self._known[place, message] = _KINDS[message.role](content=message.content)
        return self._known[place, message]

    def _failure(self, cause: str) -> ProviderError:
        line = " ".join(cause[:2000].split())
        return ProviderError(f"{self.name}: {redact(line, self._model.api.api_key)[:300]}")


class _Refused(ActMemError):  # noqa: N818 - an outcome of one request, never seen outside
    """A provider refused a request with a schema."""

    def __init__(self) -> None:
        super().__init__("refused")


def _status(error: Exception) -> int:
    """Return the HTTP status that a provider's error tells, 0 for none."""
    told = getattr(error, "status_code", None) or getattr(error, "code", None)
    return told if isinstance(told, int) else 0


def _response_schema(schema: Schema) -> ResponseSchema:
    """Return the schema in Inspect's form, which has no maxItems: that is checked on the reply."""
    definition = JSONSchema.model_validate(schema.definition)
    return ResponseSchema(name=schema.name, json_schema=definition, strict=True)


def _usage(output: ModelOutput, messages: Sequence[Message], text: str, seconds: float) -> Usage:
    told = output.usage
    if told is None:
        return Usage(
            calls=1,
            prompt_tokens=estimate_tokens(messages),
            completion_tokens=estimate_tokens([Message("assistant", text)]),
            seconds=round(seconds, 3),
            estimated=True,
        )
    cached = told.input_tokens_cache_read or 0
    return Usage(
        calls=1,
        prompt_tokens=told.input_tokens + cached + (told.input_tokens_cache_write or 0),
        cached_tokens=cached,
        completion_tokens=told.output_tokens,
        seconds=round(seconds, 3),
    )
