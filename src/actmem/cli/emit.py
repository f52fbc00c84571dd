"""Printing results on stdout: JSON, or lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click


def emit(lines: Iterable[str], plain: Any, as_json: bool) -> None:
    """Print ``plain`` as JSON, or the lines."""
    if as_json:
        click.echo(json.dumps(plain, indent=1))
    else:
        for line in lines:
            click.echo(line)
