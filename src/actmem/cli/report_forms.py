"""What the verbs that report share: which runs, and in which form the report is given."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from actmem.cli.conduct import incomplete
from actmem.cli.options import options
from actmem.cli.week_options import PATH
from actmem.errors import InputError

if TYPE_CHECKING:
    from actmem.report.document import Report
    from actmem.run.store import RunFolder

SUITES = ("week", "trials", "mem2act")

form_options = options(
    click.option("-o", "--output", type=PATH, metavar="FILE",
                 help="Write one HTML page that opens offline."),
    click.option("--json", "form", flag_value="json", help="Print JSON on stdout."),
    click.option("--csv", "form", flag_value="csv", help="Print the tables as CSV on stdout."),
    click.option("--markdown", "form", flag_value="markdown", help="Print Markdown on stdout."),
)  # fmt: skip
"""Add the options of a report's form to a command; ``give`` takes them."""


def open_runs(paths: Sequence[Path]) -> tuple[str, list[RunFolder]]:
    """Open run folders and return their suite; ``InputError`` where they are of several."""
    from actmem.run.store import RunFolder

    folders = [RunFolder.open(path) for path in paths]
    seen: set[Path] = set()
    for folder in folders:
        if folder.path.resolve() in seen:
            raise InputError("is named twice", folder.path)
        seen.add(folder.path.resolve())
        suite, first = folder.manifest.suite, folders[0]
        if suite not in SUITES:
            raise InputError(f"is a run of an unknown suite {suite!r}", folder.path)
        if suite != first.manifest.suite:
            raise InputError(
                f"is a run of {suite}, {first.path} is one of {first.manifest.suite}: "
                "report on them apart",
                folder.path,
            )
    return folders[0].manifest.suite, folders


def builder(suite: str, name: str) -> Any:
    """Return a function of the suite's report; the packages of the extra are checked for first."""
    from actmem.extra import load

    for package in ("numpy", "scipy"):
        load(package, "a report", "report")
    return getattr(import_module(f"actmem.report.{suite}"), name)


def give(report: Report, output: Path | None, form: str | None) -> int:
    """Write or print a report and return the exit code: 3 where rows are below full coverage."""
    if output is not None:
        from actmem.errors import InputError
        from actmem.files import write_atomic
        from actmem.report.page import render_html

        near = output.resolve().parents[:2]  # a run's files stand in its folder or one below
        in_run = any((folder / "manifest.json").is_file() for folder in near)
        if in_run and output.suffix != ".html":
            raise InputError("lies in a run's folder; name a page, *.html", output)
        write_atomic(output, render_html(report).encode())
        click.echo(f"wrote {output}", err=True)
    if form is not None or output is None:
        _print(report, form)
    return incomplete(report.incomplete)


def _print(report: Report, form: str | None) -> None:
    if form is None:
        from actmem.report.terminal import show_report

        show_report(report)
        return
    from actmem.report.text import markdown, plain, to_csv

    if form == "json":
        from actmem.report.terminal import print_json

        print_json(plain(report))
    else:
        text = markdown(report) if form == "markdown" else to_csv(report)
        click.echo(text, nl=False)
