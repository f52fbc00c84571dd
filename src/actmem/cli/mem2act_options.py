"""Options that say which systems a run of mem2act has; ``run`` and ``plan`` share them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from actmem.cli.budget_options import BUDGET_OPTIONS
from actmem.cli.model_options import embedder_option, model_options
from actmem.cli.options import options, repeats_option

if TYPE_CHECKING:
    from actmem.mem2act.data import Dataset
    from actmem.memory.open import EmbedderSpec
    from actmem.models.chat import Chat
    from actmem.run.plan import Manifest

top_option = click.option(
    "--top",
    type=click.IntRange(1),
    help="Turns that a retriever gives back, the budget allowing.  [default: each its own, 5 or 20]",
)

mem2act_options = options(
    click.option(
        "--data",
        default="mini",
        show_default=True,
        metavar="DIR",
        help="Folder of the data set, or one that is shipped: mini, mini-10.",
    ),
    click.option(
        "--memory",
        "memories",
        multiple=True,
        default=("none,bm25,oracle",),
        show_default=True,
        metavar="A,B,…",
        help="Memories (actmem list memories); repeat it for a path or command with commas.",
    ),
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="M",
        help="Model that makes the calls, and works for memories that need one; repeat it. [default: none, retrieval alone]",
    ),
    *BUDGET_OPTIONS,
    click.option(
        "--budget",
        type=click.IntRange(1),
        default=512,
        show_default=True,
        help="Tokens of the passages for a task.",
    ),
    top_option,
    embedder_option,
    click.option(
        "--negatives",
        type=click.IntRange(0, 5),
        default=0,
        show_default=True,
        help="Hard negatives among which the tool is chosen; 0 gives the right one.",
    ),
    click.option(
        "--seed", type=int, default=0, show_default=True, help="Seed of the tools' order."
    ),
    repeats_option("each system answers"),
    model_options,
)
"""Add the options of data, memories and models to a command; ``planned`` takes them."""


class Planned(NamedTuple):
    """What options give: the data, the models, the embedder, and the plan of the run."""

    data: Dataset
    chats: dict[str, Chat]
    embedder: EmbedderSpec
    manifest: Manifest


def planned(given: dict[str, Any], stand_in: EmbedderSpec | None = None) -> Planned:
    """Return what options give; ``stand_in`` embeds instead of the embedder that they name."""
    from actmem.cli.conduct import stdout_kept
    from actmem.cli.setup_options import open_chats
    from actmem.errors import InputError
    from actmem.extra import load as load_extra
    from actmem.mem2act.data import load
    from actmem.mem2act.suite import make_manifest
    from actmem.memory.open import find_embedder
    from actmem.memory.registry import find_memory

    data = load(given["data"])
    names = memory_names(given["memories"])
    chats = open_chats(given)
    named = find_embedder(
        given["embedder"], base_url=given["base_url"], key_variable=given["key_env"]
    )
    embedder = stand_in or named
    with stdout_kept():  # a memory's file is loaded here, and may print
        if any("embedder" in find_memory(name, given["top"]).needs for name in names):
            embedder.open()  # missing weights show before anything is written
    shown = None
    if given["negatives"]:
        if not given["models"]:
            raise InputError(
                "are for a model to choose among: give one with --model", "--negatives"
            )
        mined = load_extra("actmem.mem2act.negatives", "--negatives")
        shown = mined.choices(data, given["negatives"], embedder.open(), given["seed"])
    manifest = make_manifest(
        data,
        names,
        {name: chat.settings for name, chat in chats.items()},
        budget=given["budget"],
        top=given["top"],
        embedder=embedder,
        shown=shown,
        repeats=given["repeats"],
        seed=given["seed"],
    )
    return Planned(data, chats, embedder, manifest)


def memory_names(values: Sequence[str]) -> list[str]:
    """Return the memories that the values of ``--memory`` name, each once.

    A value is a list with commas, or one ``cmd:PROGRAM``, whole. A ``path/to/file.py:Class`` may
    have commas in its path: what ends at a file that is there is its path.
    """
    names: list[str] = []
    for value in values:
        path, colon, rest = value.rpartition(":")
        if value.startswith("cmd:"):
            names.append(value)
        elif colon and Path(path).is_file():
            own, _, others = rest.partition(",")
            names += [f"{path}:{own.strip()}", *(name.strip() for name in others.split(","))]
        else:
            names += [name.strip() for name in value.split(",")]
    return [name for name in dict.fromkeys(names) if name]
