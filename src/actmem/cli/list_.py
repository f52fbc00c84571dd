"""``actmem list``."""

from __future__ import annotations

import click

from actmem.cli.list_models import models


@click.group(name="list")
def list_() -> None:
    """List what can be named on the command line."""


list_.add_command(models)


@list_.command()
def agents() -> None:
    """List the built-in agents of the week suite."""
    from actmem.week.agents import BUILT_IN

    for name, entry in BUILT_IN.items():
        note = f"  [privileged: {entry.privilege}]" if entry.privilege else ""
        click.echo(f"{name:<10}{entry.about}{note}")
    click.echo("path/to/file.py:Class  your own: a class with decide(observation)")
    click.echo("cmd:PROGRAM  your own: a program that reads and writes lines of JSON")


@list_.command()
def setups() -> None:
    """List the setups that put a model to work on the week."""
    from actmem.week.agents.setups import SETUPS

    for name, setup in SETUPS.items():
        click.echo(f"{name:<14}{setup.about}")
