"""Options that several verbs share: which weeks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from actmem.errors import InputError

if TYPE_CHECKING:
    from actmem.week.make import Knobs

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

KNOBS = ("profile", "days", "density", "channels")
"""Parameters that ``knob_options`` adds."""

PATH = click.Path(path_type=Path)


def knob_options(command: F) -> F:
    """Add the generator's knobs to a command, collected by ``knobs``."""
    for option in reversed(
        [
            click.option("--profile", type=click.Choice(["full", "paper"]), default="full",
                         show_default=True, help="What a week is made of."),
            click.option("--days", type=click.IntRange(1, 7), default=7, show_default=True,
                         help="Days in a week."),
            click.option("--density", type=click.FloatRange(0.5, 1.5), default=1.0,
                         show_default=True, help="Tasks and steps a day, relative to the profile."),
            click.option("--channels", metavar="A,B,…", help="Channels switched on  [default: all]"),
        ]
    ):  # fmt: skip
        command = option(command)
    return command


def placed(path: Path, read: Callable[[], T]) -> T:
    """Return ``read()``; an error that does not say so names the file it is about."""
    try:
        return read()
    except InputError as error:
        if str(error).startswith(str(path)):
            raise
        raise InputError(str(error), path) from None


def refuse_together(one: str, *others: str) -> None:
    """Refuse ``others`` (parameter names) where they are given beside ``one``, which rules them out."""
    context = click.get_current_context()
    for other in others:
        if context.get_parameter_source(other) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{other} says nothing beside --{one}; leave one out", context)


def knobs(profile: str, days: int, density: float, channels: str | None) -> Knobs:
    """Return the generator's knobs from the options."""
    from actmem.week.make import Knobs

    names = None
    if channels is not None:
        names = tuple(name.strip() for name in channels.split(",") if name.strip())
    return Knobs(profile=profile, days=days, density=density, channels=names)  # type: ignore[arg-type]  # click has checked it
