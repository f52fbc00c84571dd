"""Models by name, as the command line gives them.

==================  ================================================================
``openai/NAME``     the model NAME of an OpenAI-compatible endpoint
``local``           the catalogue's default model, run in this process
``local:NAME``      a fetched model of the catalogue
``local:PATH``      any GGUF file
``scripted:FILE``   replies from a script
``replay:FILE``     the replies recorded in a trace, in order
==================  ================================================================
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from actmem.errors import InputError
from actmem.models.chat import Chat

ENDPOINT = "openai/"
"""How the name of a model, or of an embedder, of an endpoint begins."""
FORMS = "openai/NAME, local, local:NAME, local:FILE.gguf, scripted:FILE, replay:FILE"


class ModelOptions(Struct, frozen=True, kw_only=True):
    """What may be set for a model. Not every backend has a use for every option."""

    base_url: str | None = None
    """Endpoint of ``openai/…``; default: the environment's OPENAI_BASE_URL, then OpenAI's own."""
    key_variable: str = "OPENAI_API_KEY"
    """Environment variable that holds the key of ``openai/…``."""
    temperature: float | None = 0.0
    """None leaves it to the model."""
    seed: int | None = None
    max_tokens: int = 1024
    """Most tokens of a reply."""
    window: int | None = None
    """Tokens of prompt and reply together; default: the catalogue's for ``local``, else unknown."""
    threads: int | None = None
    """Threads that generate in ``local``; default: one fewer than the machine has cores."""


def open_model(name: str, options: ModelOptions | None = None) -> Chat:
    """Return the model that ``name`` means. Nothing is sent or loaded before its first call.

    Raises ``InputError`` for an unknown form, a missing file, extra or key, and unusable options.
    """
    options = options or ModelOptions()
    check_options(options)
    head, colon, rest = name.partition(":")
    if name.startswith(ENDPOINT) and name != ENDPOINT:
        from actmem.models.openai import OpenAIChat

        return OpenAIChat(
            name.removeprefix(ENDPOINT),
            base_url=options.base_url,
            key_variable=options.key_variable,
            temperature=options.temperature,
            seed=options.seed,
            max_tokens=options.max_tokens,
            window=options.window,
        )
    if options.base_url:
        raise InputError(f"is for openai/NAME, not for {name}", "--base-url")
    if options.key_variable != ModelOptions().key_variable:
        raise InputError(f"is for openai/NAME, not for {name}", "--key-env")
    if head == "scripted" and rest:
        from actmem.models.scripted import ScriptedChat

        return ScriptedChat.load(Path(rest), options.window)
    if head == "replay" and rest:
        from actmem.models.replay import ReplayChat

        return ReplayChat.from_trace(Path(rest))
    if head == "local" and bool(colon) == bool(rest):
        from actmem.models.local import open_local

        return open_local(rest, options)
    raise InputError(f"there is no model {name!r}; models are {FORMS}")


def check_options(options: ModelOptions) -> None:
    """Raise ``InputError`` for an option out of its range."""
    if options.temperature is not None and not 0 <= options.temperature <= 2:
        raise InputError(f"{options.temperature} is not in 0 to 2", "--temperature")
    if not 1 <= options.max_tokens <= 65_536:
        raise InputError(f"{options.max_tokens} is not in 1 to 65536", "--max-tokens")
    if options.window is not None and not 512 <= options.window <= 10_000_000:
        raise InputError(f"{options.window} is not in 512 to 10000000", "--window")
    if options.threads is not None and not 1 <= options.threads <= 512:
        raise InputError(f"{options.threads} is not in 1 to 512", "--threads")
