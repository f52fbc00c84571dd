"""What an agent raises: told apart from the user's Ctrl-C, and named in one line of a trace."""

from __future__ import annotations

import threading

from actmem.models.keys import hide_keys


def is_interrupt(error: BaseException) -> bool:
    """Say whether ``error`` is the user's Ctrl-C, which only the main thread receives.

    Whatever else an agent raises, ``SystemExit`` included, is a failed episode and not a crash.
    """
    in_main = threading.current_thread() is threading.main_thread()
    return isinstance(error, KeyboardInterrupt) and in_main


def describe(value: object) -> str:
    """Name a value in at most a line: its type, and its text where that is short."""
    try:
        text = one_line(str(value))
    except Exception:  # an agent's object may not even print
        text = ""
    return f"{type(value).__name__}: {text}" if text else type(value).__name__


def one_line(text: str) -> str:
    """Return the text as one line of at most 200 characters that a trace and a terminal can show.

    Keys, and signs that steer a terminal or turn the direction of writing, are replaced.
    """
    line = " ".join(hide_keys(text[:1000]).split())[:200]
    line = line.encode("utf-8", "backslashreplace").decode()
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in line)
