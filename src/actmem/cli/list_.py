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
    """List the built-in agents: floors and ceiling of the suites."""
    from actmem.trials.agents.floors import ABOUT, PRIVILEGE
    from actmem.week.agents import BUILT_IN

    click.echo("week:")
    for name, entry in BUILT_IN.items():
        click.echo(_line(name, entry.about, entry.privilege))
    click.echo("trials:")
    for name, about in ABOUT.items():
        click.echo(_line(name, about, PRIVILEGE.get(name, "")))
    click.echo("path/to/file.py:Class  your own: a class with decide(observation)")
    click.echo("cmd:PROGRAM  your own: a program that reads and writes lines of JSON")


@list_.command()
def setups() -> None:
    """List the setups that put a model to work on the week and on trials."""
    from actmem.trials.agents.setups import SETUPS as TRIALS
    from actmem.week.agents.setups import SETUPS as WEEK

    click.echo("week:")
    for name, week in WEEK.items():
        click.echo(_line(name, week.about))
    click.echo("trials:")
    for name, trials in TRIALS.items():
        click.echo(_line(name, trials.about, trials.privilege))


@list_.command()
def memories() -> None:
    """List the memories of mem2act, and what they need."""
    from actmem.memory.registry import BUILT_IN

    for name, entry in BUILT_IN.items():
        needs = ["a model"] * entry.model + [f"actmem[{entry.extra}]"] * bool(entry.extra)
        needed = f"  (needs {' and '.join(needs)})" if needs else ""
        click.echo(_line(name, f"{entry.about}{needed}", entry.privilege))
    click.echo("path/to/file.py:Class  your own: a class with write(turns) and read(query, budget)")
    click.echo("cmd:PROGRAM            one that speaks JSON lines")


def _line(name: str, about: str, privilege: str = "") -> str:
    note = f"  [privileged: {privilege}]" if privilege else ""
    return f"  {name:<18}{about}{note}"
