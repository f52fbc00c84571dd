"""``actmem plan``."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from actmem.cli.episode_options import episode_options, planned


@click.group()
def plan() -> None:
    """Say what a run would take, before any call."""


@plan.command()
@episode_options
@click.option(
    "--queries",
    type=click.IntRange(0, 20),
    default=1,
    show_default=True,
    help="Channels that a model is taken to ask at each step.",
)
@click.option(
    "--speed",
    nargs=2,
    type=click.FloatRange(min=0, min_open=True),
    metavar="READ WRITE",
    help="Tokens a second that the model reads and writes, for the time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
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
        click.echo(f"{len(manifest.episodes)} episodes, no model call", err=True)
        return 0
    rows = []
    for one in estimates(manifest, scenarios, cast.chats, cast.options, queries):
        row = msgspec.to_builtins(one)
        if speed:
            row["hours"] = round(one.seconds(*speed) / 3600, 3)
        if cast.prices:
            cached = one.prompt_tokens - one.new_tokens
            price = cast.prices.get(one.model)
            tokens = (one.new_tokens, cached, one.completion_tokens)
            row["cost"] = None if price is None else round(price.of(*tokens), 4)
        rows.append(row)
    _show(rows, as_json)
    return 0


def _show(rows: list[dict[str, Any]], as_json: bool) -> None:
    """Print a row a setup and model, and their sum."""
    counted = [name for name in rows[0] if name not in ("setup", "model")]
    total = {name: _sum([row[name] for row in rows]) for name in counted}
    if as_json:
        from actmem.report.terminal import print_json

        print_json({"rows": rows, "total": total})
        return
    heads = {"prompt_tokens": "prompt", "new_tokens": "new", "completion_tokens": "written"}
    names = [heads.get(name, name) for name in counted]
    click.echo(f"{'setup':<14}" + "".join(f"{name:>14}" for name in names) + "  model")
    for row in [*rows, {"setup": "total", "model": ""} | total]:
        cells = "".join(_cell(row[name]) for name in counted)
        click.echo(f"{row['setup']:<14}{cells}  {row['model']}".rstrip())


def _sum(values: list[float | None]) -> float | None:
    """Return the sum; None where a part is not known."""
    known = [value for value in values if value is not None]
    return round(sum(known), 4) if len(known) == len(values) else None


def _cell(value: float | None) -> str:
    return f"{'n/a':>14}" if value is None else f"{value:>14,}"
