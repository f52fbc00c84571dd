"""``actmem plan``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
import msgspec

from actmem.cli.budget_options import prices
from actmem.cli.episode_options import episode_options, planned
from actmem.cli.mem2act_options import mem2act_options
from actmem.cli.mem2act_options import planned as planned_mem2act
from actmem.cli.options import options
from actmem.cli.trials_options import planned as planned_trials
from actmem.cli.trials_options import trials_options
from actmem.cli.values import Finite

if TYPE_CHECKING:
    from actmem.models.estimate import Estimate
    from actmem.models.price import Price
    from actmem.run.plan import Manifest


@click.group()
def plan() -> None:
    """Say what a run would take, before any call."""


estimate_options = options(
    click.option(
        "--speed",
        nargs=2,
        type=Finite(min=0, min_open=True),
        metavar="READ WRITE",
        help="Tokens a second that the model reads and writes, for the time.",
    ),
    click.option(
        "--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout."
    ),
)
"""Add the options of an estimate to a command; ``_show`` takes them."""


@plan.command()
@episode_options
@click.option(
    "--queries",
    type=click.IntRange(0, 20),
    default=1,
    show_default=True,
    help="Channels that a model is taken to ask at each step.",
)
@estimate_options
def week(
    queries: int,
    speed: tuple[float, float] | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Estimate calls and tokens of models in setups on weeks; nothing is sent or written."""
    from actmem.week.estimate import estimates

    scenarios, cast, manifest = planned(given)
    if cast is None:
        return _no_calls(manifest)
    found = estimates(manifest, scenarios, cast.chats, cast.options, queries)
    _show(_rows(found, speed, prices(given)), as_json)
    return 0


@plan.command()
@trials_options
@estimate_options
def trials(
    speed: tuple[float, float] | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Estimate calls and tokens of models in setups on trials; nothing is sent or written."""
    from actmem.trials.estimate import estimates

    chosen, cast, manifest = planned_trials(given)
    if cast is None:
        return _no_calls(manifest)
    found = estimates(manifest, chosen, cast.chats, cast.options)
    _show(_rows(found, speed, prices(given)), as_json)
    return 0


@plan.command()
@mem2act_options
@estimate_options
def mem2act(
    speed: tuple[float, float] | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Estimate calls and tokens of memories and models on a data set; nothing is sent or written."""
    from actmem.cli.conduct import stdout_kept
    from actmem.mem2act.estimate import STAND_IN, estimates

    data, chats, _, manifest = planned_mem2act(given, STAND_IN)
    if not chats:
        return _no_calls(manifest)
    with stdout_kept():  # a memory may print
        found = estimates(data, manifest, chats)
    _show(_rows(found, speed, prices(given)), as_json)
    return 0


def _no_calls(manifest: Manifest) -> int:
    click.echo(f"{len(manifest.episodes)} episodes, no model call", err=True)
    return 0


def _rows(
    found: Sequence[Estimate],
    speed: tuple[float, float] | None,
    known: Mapping[str, Price],
) -> list[dict[str, Any]]:
    """Return a row an estimate, with hours and cost where speed and a price are given."""
    rows = []
    for one in found:
        row = msgspec.to_builtins(one)
        if speed:
            row["hours"] = round(one.seconds(*speed) / 3600, 3)
        if known:
            cached = one.prompt_tokens - one.new_tokens
            price = known.get(one.model)
            tokens = (one.new_tokens, cached, one.completion_tokens)
            row["cost"] = None if price is None else round(price.of(*tokens), 4)
        rows.append(row)
    return rows


def _show(rows: list[dict[str, Any]], as_json: bool) -> None:
    """Print a row a setup, model and phase, and their sum, in which phases are no more episodes."""
    counted = [name for name in rows[0] if name not in ("setup", "model", "phase")]
    once = {(row["setup"], row["model"]): row for row in rows}.values()
    total = {
        name: _sum([row[name] for row in (once if name in ("episodes", "steps") else rows)])
        for name in counted
    }
    if as_json:
        from actmem.report.terminal import print_json

        print_json({"rows": rows, "total": total})
        return
    heads = {"prompt_tokens": "prompt", "new_tokens": "new", "completion_tokens": "written"}
    names = [heads.get(name, name) for name in counted]
    titles = [f"{row['setup']} {row['phase']}".rstrip() for row in rows]
    width = max(16, *map(len, titles)) + 2
    click.echo(f"{'setup':<{width}}" + "".join(f"{name:>14}" for name in names) + "  model")
    for title, row in zip([*titles, "total"], [*rows, {"model": ""} | total], strict=True):
        cells = "".join(_cell(row[name]) for name in counted)
        click.echo(f"{title:<{width}}{cells}  {row['model']}".rstrip())


def _sum(values: list[float | None]) -> float | None:
    """Return the sum; None where a part is not known."""
    known = [value for value in values if value is not None]
    return round(sum(known), 4) if len(known) == len(values) else None


def _cell(value: float | None) -> str:
    return f"{'n/a':>14}" if value is None else f"{value:>14,}"
