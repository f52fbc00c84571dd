"""Options that several verbs share: which weeks."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from actmem.cli.options import F, options
from actmem.cli.values import Finite
from actmem.errors import InputError

T = TypeVar("T")

COUNTS = {
    "dependencies": "tasks that wait for another",
    "time_checks": "tasks with a window of time",
    "channel_updates": "updates of channel tasks",
    "early_updates": "updates announced on an earlier day",
    "second_updates": "tasks that are updated twice",
    "recurrences": "series with an exception",
    "conditions": "conditions on a channel's value",
}
"""Knobs that set how many of a kind a week holds, with what they count."""
KNOBS = ("profile", "days", "density", "channels", *COUNTS)
"""Parameters that ``knob_options`` adds."""

PATH = click.Path(path_type=Path)


def knob_options(command: F) -> F:
    """Add the generator's knobs to a command, which receives them as ``knobs: Knobs``."""

    @wraps(command)
    def with_knobs(**params: Any) -> Any:
        from actmem.week.make import Knobs

        given = {name: params.pop(name) for name in KNOBS}
        if given["channels"] is not None:
            names = (name.strip() for name in given["channels"].split(","))
            given["channels"] = tuple(name for name in names if name)
        return command(**params, knobs=Knobs(**given))

    counts = (
        click.option(f"--{name.replace('_', '-')}", name, type=click.IntRange(0, 50), metavar="N",
                     help=f"Number of {counted} a week.  [default: the profile's]")
        for name, counted in COUNTS.items()
    )  # fmt: skip
    add = options(
        click.option("--profile", type=click.Choice(["full", "paper"]), default="full",
                     show_default=True, help="What a week is made of."),
        click.option("--days", type=click.IntRange(1, 7), default=7, show_default=True,
                     help="Days in a week."),
        click.option("--density", type=Finite(0.5, 1.5), default=1.0,
                     show_default=True, help="Tasks and steps a day, relative to the profile."),
        click.option("--channels", metavar="A,B,…", help="Channels switched on  [default: all]"),
        *counts,
    )  # fmt: skip
    return add(with_knobs)  # type: ignore[return-value]


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
            raise click.UsageError(
                f"--{other.replace('_', '-')} says nothing beside --{one}; leave one out", context
            )
