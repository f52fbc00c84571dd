"""``actmem check``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from actmem.cli.check_agent import agent
from actmem.cli.check_mem2act import check_mem2act
from actmem.cli.check_memory import check_memory
from actmem.cli.check_model import model
from actmem.cli.week_options import KNOBS, PATH, knob_options, refuse_together

if TYPE_CHECKING:
    from actmem.week.leaks import Leak
    from actmem.week.make import Knobs


@click.group()
def check() -> None:
    """Check what others made, and what comes with ActMem."""


check.add_command(agent)
check.add_command(model)
check.add_command(check_mem2act)
check.add_command(check_memory)


@check.command()
@click.argument("paths", nargs=-1, required=True, type=PATH)
def week(paths: tuple[Path, ...]) -> int:
    """Check week files: every invariant, then the perfect-play audit."""
    from actmem.week.check import check as check_week
    from actmem.week.pmbench import load_any

    broken = 0
    for path in paths:
        violations = check_week(load_any(path))
        broken += bool(violations)
        for violation in violations:
            click.echo(f"{path}: {violation.where}: {violation.message} [{violation.rule}]")
        click.echo(f"{path}: {len(violations) or 'no'} violations", err=True)
    return 1 if broken else 0


@check.command()
@click.option("--leaks", is_flag=True, help="Print what weeks give away to patterns instead.")
@click.option(
    "--weeks",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    help="With --leaks: number of weeks to make.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="With --leaks: first seed.")
@click.option(
    "--scenario",
    "files",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="With --leaks: this week instead; repeat it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")
@knob_options
def bank(
    leaks: bool, weeks: int, seed: int, files: tuple[Path, ...], as_json: bool, knobs: Knobs,
) -> int:  # fmt: skip
    """Check the content bank, or with --leaks the weeks that come out of it."""
    if leaks:
        if files:
            refuse_together("scenario", "weeks", "seed", *KNOBS)
        from actmem.week.leaks import leaks as leak_table
        from actmem.week.make import make_weeks
        from actmem.week.pmbench import load_any

        scenarios = [load_any(path) for path in files] or list(make_weeks(seed, weeks, knobs))
        return _show_leaks(leak_table(scenarios), as_json)
    from actmem.week.content.bank import domains
    from actmem.week.content.lint import lint

    findings = lint(domains())
    frames = sum(len(domain.frames) for domain in domains())
    if as_json:
        from actmem.report.terminal import print_json

        print_json({"domains": len(domains()), "frames": frames, "findings": findings})
    for finding in () if as_json else findings:
        click.echo(finding)
    click.echo(
        f"{len(domains())} domains, {frames} frames: {len(findings) or 'no'} findings", err=True
    )
    return 1 if findings else 0


def _show_leaks(table: list[Leak], as_json: bool) -> int:
    if as_json:
        from actmem.report.terminal import print_json

        print_json([leak._asdict() for leak in table])
    for leak in () if as_json else table:
        verdict = "" if leak.value <= leak.bar else "  over"
        click.echo(f"{leak.name:<44}{leak.value:6.3f}  bar {leak.bar:.2f}{verdict}")
    return 1 if any(leak.value > leak.bar for leak in table) else 0
