"""Keeping keys out of every output."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit, urlunsplit

from actmem.errors import InputError

HIDDEN = "[key]"
"""What stands in place of a key."""
_LOOKS_LIKE_KEY = re.compile(
    r"\bsk-[\w*.-]{4,}|\bgsk_\w{8,}|\bhf_\w{8,}|\bAIza[\w-]{16,}|(?i:\bbearer\s+)[\w*.+/=~-]{8,}"
)

_NAMES_A_KEY = re.compile(r"(?i)(_KEY|_TOKEN|_SECRET|PASSWORD)$")


def read_key(variable: str) -> str | None:
    """Return the key in an environment variable; None where it is unset or empty.

    Raises ``InputError``, which does not show it, for one that no header can hold.
    """
    key = os.environ.get(variable, "").strip()
    if not key:
        return None
    if not re.fullmatch(r"[!-~]+", key):
        raise InputError("holds characters that no key has", f"environment variable {variable}")
    return key


def redact(text: str, key: str | None) -> str:
    """Return ``text`` with ``key``, and whatever looks like a key, replaced by ``[key]``."""
    if key and len(key) >= 4:  # replacing a shorter word would only spoil the text
        text = text.replace(key, HIDDEN)
    return _LOOKS_LIKE_KEY.sub(HIDDEN, text)


def known_keys() -> list[str]:
    """Return the values of all environment variables whose names say that they hold a key."""
    named = (value for name, value in os.environ.items() if _NAMES_A_KEY.search(name))
    return [value for value in named if len(value) >= 8]  # a shorter word is none


def hide_keys(text: str) -> str:
    """Return ``text`` with all known keys, and whatever looks like one, replaced by ``[key]``."""
    for key in known_keys():
        text = text.replace(key, HIDDEN)
    return redact(text, None)


def public_url(url: str) -> str:
    """Return a URL without user name, password, query and fragment.

    Raises ``InputError``, which does not show it, where it is no http(s) URL.
    """
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        parts, port = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("is no URL that begins with http:// or https://", "--base-url")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return urlunsplit((parts.scheme, host + port, parts.path.rstrip("/"), "", ""))
