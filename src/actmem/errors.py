"""The error model.

Every failure that a person can cause or mend is an ``ActMemError``. Its text is one line that says
what is wrong, where, and what to do; the command line prints that line and leaves with the class's
``exit_code``, never with a traceback.

========================  ====  ==================================================================
error                     exit  raised when
========================  ====  ==================================================================
``InputError``            2     a file, option or setting is wrong; nothing has been written
``ActionError``           2     an agent's action is not legal; the world is unchanged
``ProviderError``         3     a model's endpoint failed for good, after the stated retries
``IncompleteError``       3     a run or an episode did not reach its end
``StoppedError``          3     a budget is spent; what was written can be resumed
``DivergedError``         3     a resumed agent did not repeat its record; the episode starts anew
``Interrupted``           130   the user pressed Ctrl-C during a run; the text says how to resume
========================  ====  ==================================================================

What a check finds is no error: ``check`` prints it and leaves with 1.

Anything else that escapes is a bug in ActMem, and shows its traceback. What an *agent* raises is
neither: the runner records it and marks the episode failed.
"""

from __future__ import annotations

from pathlib import Path


class ActMemError(Exception):
    """Base of all errors that a person can act on. ``str(error)`` is one line."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class InputError(ActMemError):
    """A file, option or setting is wrong. ``where`` names the file, line or option."""

    def __init__(self, message: str, where: str | Path | None = None) -> None:
        super().__init__(message if where is None else f"{where}: {message}")


class ActionError(ActMemError):
    """An action that the world refuses. ``field`` names the part of the action that is wrong."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(f"{field}: {message}")


class ProviderError(ActMemError):
    """A model could not be reached or did not answer, after all retries."""

    exit_code = 3


class IncompleteError(ActMemError):
    """An episode or a run did not reach its end."""

    exit_code = 3


class StoppedError(IncompleteError):
    """A run was stopped on purpose: its unfinished episodes stay as they are, to be resumed."""


class DivergedError(ActMemError):
    """A resumed agent decided otherwise than its trace says."""

    exit_code = 3


class Interrupted(ActMemError):  # noqa: N818  (nothing went wrong)
    """The user ended a run with Ctrl-C; it can be resumed."""

    exit_code = 130
