"""Which endpoint a model or an embedder speaks to."""

from __future__ import annotations

import os

from actmem.models.keys import public_url

DEFAULT_URL = "https://api.openai.com/v1"


def given_url(base_url: str | None) -> str | None:
    """Return the URL that is given, else that of the environment; None where neither is set."""
    return base_url or os.environ.get("OPENAI_BASE_URL") or None


def recorded_url(base_url: str | None) -> str:
    """Return the URL that is spoken to as it may be recorded: without what could be secret.

    Raises ``InputError`` where it is no http(s) URL.
    """
    return public_url(given_url(base_url) or DEFAULT_URL)
