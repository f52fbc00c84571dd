"""``actmem check agent``: what an agent does on three tiny weeks, a line a rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from actmem.cli.episode_options import cast_options, read_cast
from actmem.cli.values import Finite

if TYPE_CHECKING:
    from actmem.models.chat import Chat
    from actmem.models.tape import Tape
    from actmem.week.agents import Agent
    from actmem.week.agents.setups import SetupOptions
    from actmem.week.obligations import WeekPlan
    from actmem.week.observed import Candidate

VERDICTS = {True: "ok", False: "FAIL", None: "-"}


@click.command()
@click.argument("name", required=False)
@click.option(
    "--claim",
    "claims",
    type=click.Choice(["deterministic", "restores"]),
    multiple=True,
    help="What the agent is to be held to beyond what it claims itself; repeat it.",
)
@click.option(
    "--seconds",
    type=Finite(min=0, min_open=True),
    default=120,
    show_default=True,
    help="How long one decision may take.",
)
@cast_options
def agent(name: str | None, claims: tuple[str, ...], seconds: float, **given: Any) -> int:
    """Play three tiny weeks with an agent and say which rules it keeps.

    NAME is a built-in agent, path/to/file.py:Class or cmd:PROGRAM; or give --model and --setups.
    """
    from actmem.cli.conduct import stdout_kept
    from actmem.week.contract import check_contract

    broken = False
    for title, candidate in _candidates(name, frozenset(claims), seconds, given):
        with stdout_kept():
            findings = check_contract(candidate, seconds)
        click.echo(title)
        for rule, ok, message in findings:
            broken = broken or ok is False
            click.echo(f"  {rule:<15}{VERDICTS[ok]:<6}{' '.join(message.split())}")
    return 1 if broken else 0


def _candidates(
    name: str | None, claims: frozenset[str], seconds: float, given: dict[str, Any]
) -> Iterator[tuple[str, Candidate]]:
    """Yield what is to be checked, with its title."""
    from functools import partial

    from actmem.week.agents import find_agent
    from actmem.week.agents.setups import find_setup
    from actmem.week.observed import Candidate

    cast = read_cast(given)
    if (name is None) == (cast is None):
        raise click.UsageError("give the name of an agent, or --model and --setups")
    if name is not None:
        spec = find_agent(name, seconds)
        yield (
            name,
            Candidate(
                make=lambda seed, plan, _: spec.make(seed, plan),
                claims=claims,
                privilege=spec.privilege,
                nudge=given["nudge"],
            ),
        )
    if cast is not None:
        live = [name for name in cast.setups if not find_setup(name).replays]  # a vote is no agent
        if not live:
            raise click.UsageError("--setups names no setup that plays itself")
        try:
            for model, chat in cast.chats.items():
                for setup in live:
                    candidate = Candidate(
                        make=partial(_setup, setup, chat, cast.options),
                        claims=claims | {"restores"},
                        nudge=given["nudge"],
                    )
                    yield f"{setup} {model}", candidate
        finally:
            for chat in cast.chats.values():
                chat.close()


def _setup(
    setup: str, chat: Chat, options: SetupOptions, _: int, __: WeekPlan, tape: Tape
) -> Agent:
    from actmem.week.agents.setups import make_agent

    return make_agent(setup, chat, tape, options)
