"""Any OpenAI-compatible endpoint, through the ``openai`` package (extra ``openai``).

The package does the wire format, this module what a measurement needs: a bound on attempts, time
and bytes; every failure as a ``ProviderError`` of one line; no key in any output. Servers differ,
so a request that is refused is put otherwise once: without the native schema (it then goes into
the prompt) or with the newer name of the token limit. What worked is kept for later calls, and
each completion says how the schema was sent.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import msgspec
from msgspec import Struct

from actmem.errors import InputError, ProviderError
from actmem.extra import load
from actmem.models.chat import Completion, Message, Usage, clean, estimate_tokens, merged
from actmem.models.endpoint import DEFAULT_URL, given_url, recorded_url
from actmem.models.keys import read_key, redact
from actmem.models.prompts import with_schema
from actmem.models.structured import Schema, fit

MAX_BYTES = 512 * 1024
"""Most bytes of a response. A longer one is a fault of the server, not an answer."""
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""Status codes that another attempt may mend."""
REFUSED = frozenset({400, 404, 415, 422, 501})
"""Status codes that may mean: not in this form."""


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds of a call. Times are in seconds."""

    retries: int = 4
    """Attempts beyond the first."""
    attempt_seconds: float = 300.0
    """Time limit of one attempt."""
    total_seconds: float = 600.0
    """Time limit of the call: no attempt starts after it, and none lasts beyond it."""
    backoff_seconds: float = 0.5
    """Wait before the second attempt; it doubles, up to 30 s, unless the server names a time."""
    max_bytes: int = MAX_BYTES


class _Form(Struct, frozen=True):
    """How requests are put to this server."""

    native_schema: bool = True
    limit_name: str = "max_tokens"


class _Failure(Exception):  # noqa: N818 - an outcome of one attempt, never seen outside
    """One attempt failed. ``cause`` is a line, ``again`` says whether another may help."""

    def __init__(self, cause: str, again: bool, status: int = 0, wait: float | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.again = again
        self.status = status
        self.wait = wait


class OpenAIChat:
    """A model behind an OpenAI-compatible endpoint."""

    parallel = 64

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key_variable: str = "OPENAI_API_KEY",
        temperature: float | None = 0.0,
        seed: int | None = None,
        max_tokens: int = 1024,
        window: int | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Make the client; nothing is sent yet.

        ``temperature`` None sends none, for models that refuse it. Raises ``InputError`` where the
        extra, the key or a usable URL is missing. A server of one's own needs no key.
        """
        given = given_url(base_url)
        self._url = recorded_url(base_url)
        self._key = read_key(key_variable)
        if self._key is None and not given:
            raise InputError(
                "is not set; put the key there, or give --base-url for a server that needs none",
                f"environment variable {key_variable}",
            )
        self.name = f"openai/{model}"
        self.window = window
        self._model = model
        self._limits = limits or Limits()
        self._body: dict[str, Any] = {"model": model}
        if temperature is not None:
            self._body["temperature"] = temperature
        if seed is not None:
            self._body["seed"] = seed
        self._max_tokens = max_tokens
        self._form = _Form()
        self._client = client(given or DEFAULT_URL, self._key, self._limits)
        self.settings: Mapping[str, Any] = {
            "backend": "openai",
            "model": model,
            "endpoint": self._url,
            "temperature": temperature,
            "seed": seed,
            "max_tokens": max_tokens,
            "window": window,
        }

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        """Return the reply; raises ``ProviderError`` with a one-line cause after all retries."""
        started = time.monotonic()
        deadline = started + self._limits.total_seconds
        tries = 0
        form = self._form
        while True:
            try:
                completion = self._attempt(messages, schema, form, deadline)
                break
            except _Failure as failure:
                other = _other_form(form, failure, schema)
                if other is not None:
                    form = other
                    continue
                tries += 1
                wait = self._wait(failure, tries, deadline)
            time.sleep(wait)
        self._form = form
        usage = msgspec.structs.replace(
            completion.usage, retries=tries, seconds=round(time.monotonic() - started, 3)
        )
        return msgspec.structs.replace(completion, usage=usage)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _wait(self, failure: _Failure, tries: int, deadline: float) -> float:
        """Return how long to wait before the next attempt, or raise where there is none."""
        limits = self._limits
        problem = ""
        wait = min(limits.backoff_seconds * 2.0 ** (tries - 1), 30.0) * random.uniform(0.75, 1.25)
        if failure.wait is not None:
            wait = failure.wait
        if failure.again and tries > limits.retries:
            problem = f" ({tries} attempts)"
        elif failure.again and time.monotonic() + wait >= deadline:
            asked = f", the server asks to wait {wait:.0f} s" if failure.wait is not None else ""
            problem = f" ({tries} attempts{asked}; the limit is {limits.total_seconds:.0f} s)"
        if not failure.again or problem:
            cause = redact(failure.cause, self._key)
            raise ProviderError(f"{self.name} at {self._url}: {cause}{problem}") from None
        return wait

    def _attempt(
        self, messages: Sequence[Message], schema: Schema | None, form: _Form, deadline: float
    ) -> Completion:
        """Send one request and read its answer; any fault is a ``_Failure``."""
        openai = import_module("openai")
        body: dict[str, Any] = {**self._body, form.limit_name: self._max_tokens}
        told = messages
        if schema is not None and form.native_schema:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": schema.name,
                    "schema": schema.definition,
                    "strict": True,
                },
            }
        elif schema is not None:
            told = with_schema(messages, schema)
        body["messages"] = [{"role": m.role, "content": m.content} for m in merged(told)]
        seconds = min(self._limits.attempt_seconds, max(deadline - time.monotonic(), 0.05))
        try:
            raw = self._client.chat.completions.with_raw_response.create(**body, timeout=seconds)
            data = raw.http_response.content
        except openai.APIStatusError as error:
            raise _status_failure(error, body) from None
        except openai.APITimeoutError:
            raise _Failure(f"no answer within {seconds:.3g} s", True) from None
        except (TypeError, AttributeError, NameError):
            raise  # a bug, here or in the client, and no fault of the provider's
        except Exception as error:
            raise _client_failure(error, seconds) from None
        return self._read(data, messages, schema, form)

    def _read(
        self, data: bytes, messages: Sequence[Message], schema: Schema | None, form: _Form
    ) -> Completion:
        """Turn a response's body into a completion."""
        try:
            body = json.loads(data)
            choice = body["choices"][0]
            message = choice["message"]
            text = _text(message.get("content")) or _text(message.get("refusal"))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            start = data[:80].decode("utf-8", "replace")
            raise _Failure(f"the answer is no chat completion: {start!r}", True) from None
        text = redact(clean(text), self._key)
        parsed, problem = fit(text, schema)
        return Completion(
            text=text,
            parsed=parsed,
            problem=problem,
            finish=clean(str(choice.get("finish_reason") or ""))[:40],
            schema_sent="" if schema is None else "native" if form.native_schema else "prompt",
            usage=_usage(body.get("usage"), messages, text),
        )


def _other_form(form: _Form, failure: _Failure, schema: Schema | None) -> _Form | None:
    """Return another way to put a request that the server refused; None where there is none.

    Each way is tried once a call: a form only ever moves away from the first.
    """
    if failure.status not in REFUSED:
        return None
    if form.limit_name == "max_tokens" and "max_completion_tokens" in failure.cause:
        return msgspec.structs.replace(form, limit_name="max_completion_tokens")
    if failure.status != 404 and schema is not None and form.native_schema:
        return msgspec.structs.replace(form, native_schema=False)
    return None


def _status_failure(error: Any, body: Mapping[str, Any]) -> _Failure:
    status = int(error.status_code)
    told = error.body if isinstance(error.body, dict) else {}
    told = told["error"] if isinstance(told.get("error"), dict) else told
    message = " ".join(clean(str(told.get("message") or told.get("detail") or "")).split())[:300]
    name = {401: "the key is not accepted", 403: "not allowed", 404: "not found",
            429: "too many requests"}.get(status, "refused" if status < 500 else "server error")  # fmt: skip
    cause = f"{name} (status {status}{': ' + message if message else ''})"
    if told.get("param") == "temperature" and "temperature" in body:
        cause += "; leave the temperature to the model with --temperature none"
    spent = "insufficient_quota" in (told.get("code"), told.get("type"))
    return _Failure(cause, status in RETRIED and not spent, status, _retry_after(error.response))


def _retry_after(response: Any) -> float | None:
    """Return the seconds that the server asks to wait; a date is left to our own backoff."""
    try:
        seconds = float(response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < 1e6 else None


def _client_failure(error: BaseException, seconds: float) -> _Failure:
    """Say what lies at the bottom of an error of the client; its text may hold anything."""
    while not isinstance(error, _TooLargeError | _TooSlowError):
        deeper = error.__cause__ or error.__context__
        if deeper is None:
            told = f"{type(error).__name__}: {str(error)[:120]}".rstrip(": ")
            return _Failure(f"no connection: {told}", True)
        error = deeper
    if isinstance(error, _TooLargeError):
        return _Failure(str(error), False)
    return _Failure(f"no whole answer within {seconds:.3g} s", True)


def _text(content: Any) -> str:
    """Return a message's content as text: a string, or a list of parts of which some are text."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _usage(told: Any, messages: Sequence[Message], text: str) -> Usage:
    """Read what the server counted; what it does not tell is estimated, and marked so."""
    told = told if isinstance(told, dict) else {}
    details = told.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    prompt, completion = _count(told, "prompt_tokens"), _count(told, "completion_tokens")
    cached = _count(details, "cached_tokens") or _count(told, "prompt_cache_hit_tokens") or 0
    cost = told.get("cost")
    priced = type(cost) in (int, float) and 0 <= cost < float("inf")
    estimated = prompt is None or completion is None
    if prompt is None:
        prompt = estimate_tokens(messages)
    if completion is None:
        completion = estimate_tokens([Message("assistant", text)])
    return Usage(
        calls=1, prompt_tokens=prompt, cached_tokens=min(cached, prompt),
        completion_tokens=completion, estimated=estimated, cost=float(cost) if priced else None,
    )  # fmt: skip


def _count(told: Mapping[str, Any], name: str) -> int | None:
    value = told.get(name)
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**40
    return value if good else None


class _TooLargeError(Exception):
    """A response has more bytes than are read."""


class _TooSlowError(Exception):
    """A response had begun and did not end in time."""


def client(url: str, key: str | None, limits: Limits) -> Any:
    """Return a client of the ``openai`` package whose responses are bounded in size and time."""
    openai = load("openai", "openai/…", "openai")
    http = openai.DefaultHttpxClient()
    send = http.send

    def bounded_send(request: Any, **options: Any) -> Any:
        """Read each body whole, within bounds, whatever its status: errors are bodies too."""
        seconds = request.extensions.get("timeout", {}).get("read") or limits.attempt_seconds
        deadline = time.monotonic() + seconds
        response = send(request, **{**options, "stream": True})
        try:
            data = _read_bounded(response, limits.max_bytes, deadline)
        finally:
            response.close()
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in ("content-encoding", "content-length", "transfer-encoding")
        ]
        return type(response)(response.status_code, headers=headers, content=data, request=request)

    http.send = bounded_send
    # The package insists on a key; a server that needs none ignores this one.
    return openai.OpenAI(api_key=key or "none", base_url=url, max_retries=0, http_client=http)


def _read_bounded(response: Any, limit: int, deadline: float) -> bytes:
    data = bytearray()
    for chunk in response.iter_bytes():
        data += chunk
        if len(data) > limit:
            raise _TooLargeError(f"the answer is larger than {limit} bytes")
        if time.monotonic() > deadline:
            raise _TooSlowError
    return bytes(data)
