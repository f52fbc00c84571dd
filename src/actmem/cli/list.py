"""``actmem list``."""

from __future__ import annotations

import click


@click.group(name="list")
def list_() -> None:
    """List what can be named on the command line."""


@list_.command()
def agents() -> None:
    """List the built-in agents of the week suite."""
    from actmem.week.agents import BUILT_IN

    for name, entry in BUILT_IN.items():
        note = f"  [privileged: {entry.privilege}]" if entry.privilege else ""
        click.echo(f"{name:<10}{entry.about}{note}")
    click.echo("path/to/file.py:Class  your own: a class with decide(observation)")
