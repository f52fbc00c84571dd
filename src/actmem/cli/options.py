"""Options put together: each command's are a list, in the order in which its help shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def options(*added: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return the decorator that adds options, or groups of them, to a command."""

    def add(command: F) -> F:
        for option in reversed(added):
            command = option(command)
        return command

    return add


def repeats_option(what: str) -> Callable[[F], F]:
    """Return the option of repeats; ``what`` is said of one in its help."""
    return click.option(
        "--repeats",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help=f"How often {what}.",
    )
