"""``actmem check mem2act``."""

from __future__ import annotations

import click

from actmem.cli.emit import emit


@click.command(name="mem2act")
@click.argument("data", metavar="DIR|mini|mini-10")
@click.option("--strict", is_flag=True,
              help="Also list each value that needs no memory or does not follow from its quotes.")  # fmt: skip
@click.option("--stats", "show_stats", is_flag=True, help="Print what the data consist of instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def check_mem2act(data: str, strict: bool, show_stats: bool, as_json: bool) -> int:
    """Count and list what is wrong with a data set in the Mem2ActBench format."""
    from actmem.mem2act import table
    from actmem.mem2act.data import load
    from actmem.mem2act.defects import counts, defects
    from actmem.mem2act.stats import stats

    loaded = load(data)
    if show_stats:
        found = stats(loaded)
        emit(table.stats_lines(found), found, as_json)
        return 0
    listed = defects(loaded, strict)
    tally = counts(listed, strict)
    plain = {
        "data": loaded.name,
        "digest": loaded.digest,
        "tasks": len(loaded.tasks),
        "resolvable": sum(map(loaded.resolvable, loaded.tasks)),
        "complete": sum(map(loaded.complete, loaded.tasks)),
        "counts": tally,
        "defects": [
            {"kind": one.kind, "where": one.where, "message": one.message} for one in listed
        ],
    }
    emit(table.defect_lines(listed, tally), plain, as_json)
    click.echo(
        f"{loaded.name}: {len(loaded.tasks)} tasks, {plain['resolvable']} resolvable, "
        f"{len(listed) or 'no'} defects",
        err=True,
    )
    return 1 if listed else 0
