"""The commands of the mem2act suite, for the command line to take up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from actmem.cli.model_options import model_options, read_model_options

PATH = click.Path(path_type=Path)


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
        table.emit(table.stats_lines(found), found, as_json)
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
    table.emit(table.defect_lines(listed, tally), plain, as_json)
    click.echo(
        f"{loaded.name}: {len(loaded.tasks)} tasks, {plain['resolvable']} resolvable, "
        f"{len(listed) or 'no'} defects",
        err=True,
    )
    return 1 if listed else 0


@click.command(name="mem2act")
@click.option("--predictions", required=True, type=PATH, help="JSON lines: qa_id, name, arguments.")
@click.option(
    "--data", required=True, metavar="DIR", help="The data set that they answer, or mini."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def score_mem2act(predictions: Path, data: str, as_json: bool) -> int:
    """Score predicted tool calls; exit code 3 where tasks have no prediction."""
    from actmem.mem2act import table
    from actmem.mem2act.data import load
    from actmem.mem2act.predictions import read_predictions
    from actmem.mem2act.score import score

    loaded = load(data)
    result = score(loaded, read_predictions(predictions, loaded))
    table.emit(table.score_lines(result), result.row(), as_json)
    if result.missing:
        click.echo(
            f"incomplete: {result.missing} of {len(loaded.tasks)} tasks have no prediction "
            "and score 0",
            err=True,
        )
    return 3 if result.missing else 0


@click.command(name="mem2act")
@click.option("--data", default="mini", show_default=True, metavar="DIR",
              help="Folder of the data set, or one that is shipped: mini, mini-10.")  # fmt: skip
@click.option("--memory", "memories", default="none,bm25,oracle", show_default=True,
              metavar="A,B,…", help="Memories: built in, or path/to/file.py:Class.")  # fmt: skip
@click.option("--model", "models", multiple=True, metavar="M",
              help="Model that makes the calls; repeat it. [default: none, retrieval alone]")  # fmt: skip
@click.option("--budget", type=click.IntRange(1), default=512, show_default=True,
              help="Tokens of the passages for a task.")  # fmt: skip
@click.option("--negatives", type=click.IntRange(0, 5), default=0, show_default=True,
              help="Hard negatives among which the tool is chosen; 0 gives the right one.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the tools' order.")
@click.option("--repeats", type=click.IntRange(1), default=1, show_default=True,
              help="How often each system answers.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True,
              help="Systems that answer at a time.")  # fmt: skip
@click.option("-o", "--output", type=PATH, help="Run folder; an unfinished run in it is resumed.")
@click.option("--analyses", is_flag=True, help="Print where scores come from, and pairs, as well.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
@model_options
def run_mem2act(
    data: str, memories: str, models: tuple[str, ...], budget: int, negatives: int, seed: int,
    repeats: int, workers: int, output: Path | None, analyses: bool, as_json: bool, **options: Any,
) -> int:  # fmt: skip
    """Have memories answer a data set's tasks, and score the calls."""
    from actmem.mem2act.data import load
    from actmem.mem2act.suite import Mem2ActSuite, make_manifest, unit_file
    from actmem.memory.open import open_embedder
    from actmem.memory.registry import BUILT_IN, find_memory
    from actmem.models.registry import open_model
    from actmem.run.execute import execute
    from actmem.run.store import RunFolder

    loaded = load(data)
    names = [name.strip() for name in memories.split(",") if name.strip()]
    for name in names:
        if name in BUILT_IN:  # a missing extra or missing weights show before anything is written
            find_memory(name).make(open_embedder)
    shown = None
    if negatives and models:
        from actmem.memory.extra import load as load_extra

        mined = load_extra("actmem.mem2act.negatives", "--negatives")
        shown = mined.choices(loaded, negatives, open_embedder(), seed)
    chats = {name: open_model(name, read_model_options(options)) for name in models}
    try:
        manifest = make_manifest(
            loaded, names, {name: chat.settings for name, chat in chats.items()},
            budget=budget, shown=shown, repeats=repeats, seed=seed,
        )  # fmt: skip
        folder = RunFolder.prepare(output, manifest, unit_file(loaded))
        click.echo(
            f"run folder: {folder.path} (resume with the same command and -o {folder.path})",
            err=True,
        )
        execute(folder, Mem2ActSuite(folder, chats, open_embedder), workers)
    finally:
        for chat in chats.values():
            chat.close()
    return show_run(folder.path, as_json, analyses)


def show_run(path: Path, as_json: bool, analyses: bool = False) -> int:
    """Print the results of a run folder and return the exit code: 3 below full coverage."""
    from msgspec import to_builtins

    from actmem.mem2act import table
    from actmem.mem2act.results import results
    from actmem.mem2act.suite import NAME, Mem2ActSuite
    from actmem.memory.extra import load as load_extra
    from actmem.run.store import RunFolder

    folder = RunFolder.open(path)
    rows = results(Mem2ActSuite(folder))
    compared: list[Any] = []
    if (as_json or analyses) and any(row.scores for row in rows):
        compared = load_extra("actmem.mem2act.compare", "--analyses").pairs(rows)
    plain = {
        "suite": NAME,
        "run": str(path),
        "units": folder.manifest.units,
        "settings": {k: v for k, v in folder.manifest.settings.items() if k != "shown"},
        "rows": [row.plain() for row in rows],
        "pairs": [to_builtins(pair) for pair in compared],
    }
    lines = table.result_lines(rows)
    if analyses:
        lines += [*table.analysis_lines(rows), *table.pair_lines(compared)]
    table.emit(lines, plain, as_json)
    for row in rows:
        if row.status != "complete":
            why = f": {row.error}" if row.error else ""
            click.echo(
                f"incomplete: {row.agent}: {row.answered} of {row.planned} tasks{why}", err=True
            )
    return 0 if all(row.status == "complete" for row in rows) else 3
