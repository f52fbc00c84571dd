"""Options of agents that runs of weeks and of trials share."""

from __future__ import annotations

import click

from actmem.cli.values import Finite

agents_option = click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help="A built-in agent, path/to/file.py:Class or cmd:PROGRAM; repeat it. [default: all that need no model, or none with --model]",
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Episodes played at a time.",
)
agent_seconds_option = click.option(
    "--agent-seconds",
    type=Finite(min=0, min_open=True),
    default=600,
    show_default=True,
    help="How long one answer of a cmd:PROGRAM may take.",
)
