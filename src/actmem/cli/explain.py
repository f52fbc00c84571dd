"""``actmem explain``."""

from __future__ import annotations

from pathlib import Path

import click

from actmem.cli.week_options import PATH, placed, refuse_together


@click.group()
def explain() -> None:
    """Say why each task is or is not due, and what the agent saw and did."""


@explain.command()
@click.option("--scenario", required=True, type=PATH, help="A week of ours or a PM-Bench week.")
@click.option("--log", type=PATH, help="A trace of ours or a PM-Bench run log.")
@click.option("--step", metavar="ID", help="One step only.")
@click.option("--task", metavar="ID", help="One task only.")
def week(scenario: Path, log: Path | None, step: str | None, task: str | None) -> None:
    """Explain a step, a task, or the whole week."""
    if task is not None:
        refuse_together("task", "step")
    from actmem.week.explain import explain_step, explain_task, explain_week
    from actmem.week.logs import read_rows
    from actmem.week.obligations import prepare
    from actmem.week.pmbench import load_any
    from actmem.week.score import align

    plan = prepare(load_any(scenario))
    rows = None
    if log is not None:
        aligned = placed(log, lambda: align(plan, read_rows(plan, log)))
        rows = aligned.rows
        if aligned.missing:
            click.echo(
                f"{log}: {aligned.missing} of {len(rows)} steps have no row and are shown as empty "
                f"acts, the first is {aligned.first_missing}",
                err=True,
            )
    if task is not None:
        lines = explain_task(plan, task, rows)
    elif step is not None:
        lines = explain_step(plan, step, rows)
    else:
        lines = explain_week(plan, rows)
    for line in lines:
        click.echo(line)
