"""``actmem check``."""

from __future__ import annotations

from pathlib import Path

import click

from actmem.cli.week_options import PATH


@click.group()
def check() -> None:
    """Check what others made, and what comes with ActMem."""


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
def bank() -> int:
    """Check the content bank: counts, shared words, duplicates, slots, clock readings."""
    from actmem.week.content.bank import domains
    from actmem.week.content.lint import lint

    findings = lint(domains())
    for finding in findings:
        click.echo(finding)
    frames = sum(len(domain.frames) for domain in domains())
    click.echo(
        f"{len(domains())} domains, {frames} frames: {len(findings) or 'no'} findings", err=True
    )
    return 1 if findings else 0
