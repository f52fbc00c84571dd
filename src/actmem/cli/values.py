"""Values of options that are checked before anything else sees them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import click

from actmem.errors import InputError


class Finite(click.FloatRange):
    """A number in a range; ``nan``, which compares with nothing, and infinity are refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no number that can be compared", param, ctx)
        return number


def refuse_keys(names: Iterable[str]) -> None:
    """Refuse names of agents and memories that hold a key: names are recorded and printed."""
    from actmem.models.keys import known_keys

    keys = known_keys()
    for name in names:
        if any(key in name for key in keys):
            raise InputError("holds a key; let the program read it from its environment", "cmd:…")
