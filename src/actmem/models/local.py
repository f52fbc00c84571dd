"""Models run in this process: a GGUF file in embedded llama.cpp (``xllamacpp``, extra ``local``).

Calls go straight into the library, no port is used by us. All local models of a process share one
slot: a call waits for the one before it, since two at a time would only slow each other down and
push each other's prompts out of the cache. Play one episode at a time (``parallel`` is 1), so that
an append-only history finds its tokens in the cache at every call.

At temperature 0 a reply repeats across restarts, but may differ with the number of threads and with
what the cache holds; both stand in the record.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from actmem.errors import InputError, ProviderError
from actmem.models.catalogue import catalogue, default_model, find_entry, locate
from actmem.models.chat import Completion, Message, Usage, clean, merged
from actmem.models.structured import Schema, fit

if TYPE_CHECKING:
    from actmem.models.registry import ModelOptions

DEFAULT_WINDOW = 8192
"""Tokens for a GGUF file of which the catalogue knows nothing: memory is taken for all of them."""
CACHE_MIB = 256
"""Memory for prompts beside the slot's own; llama.cpp's default takes up to 8 GiB."""
COMPACT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""JSON on one line. Free white space doubles a small model's tokens, or runs to the limit."""
LEAVE_SECONDS = 1.5
"""How long the process waits at its end for a call to stop."""

_SLOT = threading.Lock()
_leaving = threading.Event()
_loaded: dict[tuple[Any, ...], _Loaded] = {}


class _Loaded:
    """A loaded model and the chats that use it. llama.cpp stops when the object is collected."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.users = 0


def open_local(name: str, options: ModelOptions) -> LocalChat:
    """Return a local model: the catalogue's default, one by name, or a file by path.

    Raises ``InputError`` where extra or file are missing. The weights are loaded at the first call.
    """
    name = name or default_model()
    window = options.window
    if name in catalogue():
        entry = find_entry(name)
        if entry.kind != "chat":
            raise InputError(f"{name} is no chat model but an {entry.kind}", "--model")
        path = locate(name)[0]
        window = window or entry.window
        sha256 = entry.files[0].sha256
    else:
        path = Path(name).expanduser()
        if not path.is_file():
            known = ", ".join(n for n, e in catalogue().items() if e.kind == "chat")
            raise InputError(f"there is no such file, nor a model of that name ({known})", path)
        sha256 = _sha256(path)
    return LocalChat(
        path,
        name=f"local:{name}",
        sha256=sha256,
        window=window or DEFAULT_WINDOW,
        temperature=options.temperature,
        seed=options.seed,
        max_tokens=options.max_tokens,
        threads=options.threads,
    )


class LocalChat:
    """A GGUF model in this process."""

    parallel = 1

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        sha256: str,
        window: int = DEFAULT_WINDOW,
        temperature: float | None = 0.0,
        seed: int | None = None,
        max_tokens: int = 1024,
        threads: int | None = None,
    ) -> None:
        if find_spec("xllamacpp") is None:
            raise InputError("needs the extra: pip install 'actmem[local]'", name)
        _check_gguf(path)
        self.name = name
        self.window: int = window
        self._path = path
        cores = _cores()
        self._threads = threads or max(1, cores - 1)
        self._batch_threads = max(cores, self._threads)
        self._body: dict[str, Any] = {"max_tokens": max_tokens, "cache_prompt": True}
        self._body["seed"] = 0 if seed is None else seed
        if temperature is not None:
            self._body["temperature"] = temperature
        self._model: _Loaded | None = None
        self.settings: Mapping[str, Any] = {
            "backend": "local",
            "file": path.name,
            "sha256": sha256,
            "runtime": f"xllamacpp {version('xllamacpp')}",
            "window": window,
            "threads": self._threads,
            "batch_threads": self._batch_threads,
            "temperature": temperature,
            "seed": self._body["seed"],
            "max_tokens": max_tokens,
        }

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        """Return the reply; raises ``ProviderError`` for a prompt beyond the window."""
        started = time.monotonic()
        body = dict(self._body)
        body["messages"] = [{"role": m.role, "content": m.content} for m in merged(messages)]
        with _SLOT:
            server = self._load()
            if schema is not None:
                body["grammar"] = _grammar(schema)
            text, finish, usage = _generate(server, body, self.name)
        if _leaving.is_set():
            # The process is ending and this is a daemon thread. Half a reply must not be recorded,
            # nor a failure that is none, so that the episode can go on at this very call.
            threading.Event().wait()
        text = clean(text)
        parsed, problem = fit(text, schema)
        return Completion(
            text=text,
            parsed=parsed,
            problem=problem,
            finish=finish,
            schema_sent="" if schema is None else "native",
            usage=_usage(usage, time.monotonic() - started),
        )

    def close(self) -> None:
        """Free the weights, once no other chat uses them. A running call ends first."""
        with _SLOT:
            if self._model is None:
                return
            self._model.users -= 1
            if not self._model.users:
                for key in [k for k, loaded in _loaded.items() if loaded is self._model]:
                    del _loaded[key]
            self._model = None

    def _load(self) -> Any:
        """Return the loaded model; called in the slot."""
        if self._model is None:
            key = (self._path.resolve(), self.window, self._threads, self._batch_threads)
            if key not in _loaded:
                if not _loaded:
                    atexit.register(_leave)
                _loaded[key] = _Loaded(self._start())
            self._model = _loaded[key]
            self._model.users += 1
        return self._model.server

    def _start(self) -> Any:
        xllamacpp: Any = import_module("xllamacpp")
        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.n_ctx = self.window
        params.n_parallel = 1
        params.cpuparams.n_threads = self._threads
        params.cpuparams_batch.n_threads = self._batch_threads
        params.cache_ram_mib = CACHE_MIB
        params.fit_params = False  # the window is what was asked for, not what fits
        params.warmup = False
        params.verbosity = -1
        # llama.cpp opens a port whether we use it or not: on loopback, and with nothing on it.
        params.hostnames = ["127.0.0.1"]
        params.ui = False
        params.endpoint_slots = False
        params.cors_origins = ""
        try:
            return xllamacpp.Server(params)
        except (RuntimeError, ValueError) as error:
            raise InputError(f"cannot be loaded by llama.cpp: {error}", self._path) from None


def _generate(server: Any, body: dict[str, Any], name: str) -> tuple[str, str, dict[str, Any]]:
    """Run one request and return text, finish reason and the counted tokens.

    The reply is streamed only so that it can be stopped when the process leaves.
    """
    text: list[str] = []
    finish = ""
    usage: dict[str, Any] = {}
    error: dict[str, Any] = {}

    def take(chunk: dict[str, Any]) -> bool:
        nonlocal finish
        error.update(chunk.get("error") or {})
        usage.update(chunk.get("usage") or {})
        for choice in chunk.get("choices") or ():
            text.append(choice.get("delta", {}).get("content") or "")
            finish = choice.get("finish_reason") or finish
        return _leaving.is_set()

    body = {**body, "stream": True, "stream_options": {"include_usage": True}}
    try:
        whole = server.handle_chat_completions(body, take)
    except (RuntimeError, ValueError) as cause:
        raise ProviderError(f"{name}: {cause}") from None
    if isinstance(whole, dict):
        error.update(whole.get("error") or {})
    if error.get("type") == "exceed_context_size_error":
        raise ProviderError(
            f"{name}: the prompt of {error.get('n_prompt_tokens')} tokens is larger than the "
            f"window of {error.get('n_ctx')}; give a larger --window or fewer --history-tokens"
        )
    if error:
        raise ProviderError(f"{name}: {error.get('message')}")
    if not usage and not _leaving.is_set():
        raise ProviderError(f"{name}: llama.cpp ended without an answer")
    return "".join(text), finish, usage


def _usage(told: Mapping[str, Any], seconds: float) -> Usage:
    details = told.get("prompt_tokens_details") or {}
    return Usage(
        calls=1,
        prompt_tokens=int(told["prompt_tokens"]),
        cached_tokens=int(details.get("cached_tokens", 0)),
        completion_tokens=int(told["completion_tokens"]),
        seconds=round(seconds, 3),
    )


def _grammar(schema: Schema) -> str:
    """Return the schema as llama.cpp's grammar, with JSON on one line."""
    xllamacpp: Any = import_module("xllamacpp")
    convert: Callable[[dict[str, Any]], str] = xllamacpp.json_schema_to_grammar
    return convert({**schema.definition, "x-guidance": COMPACT})


def _leave() -> None:
    """At the process's end: stop the running call and free all models.

    A prompt that is still being read cannot be stopped, and freeing the model under it would crash;
    the process is then ended at once, as interrupted. That only happens after Ctrl-C.
    """
    _leaving.set()
    if not _SLOT.acquire(timeout=LEAVE_SECONDS):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)
    _loaded.clear()
    _SLOT.release()


def _check_gguf(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path) from None
    if magic != b"GGUF":
        raise InputError("is no GGUF file", path)


def _cores() -> int:
    """Return how many cores this process may use: under ``taskset``, fewer than there are."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
