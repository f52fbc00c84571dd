"""``actmem check memory``."""

from __future__ import annotations

from typing import Any

import click

from actmem.cli.mem2act_options import top_option
from actmem.cli.model_options import embedder_option, model_options
from actmem.cli.setup_options import options_by_model


@click.command(name="memory")
@click.argument("name")
@click.option("--model", "model_name", metavar="M", help="Model for a memory that calls one.")
@top_option
@embedder_option
@model_options
def check_memory(
    name: str, model_name: str | None, top: int | None, embedder: str, **options: Any
) -> int:
    """Check that a memory keeps the contract; NAME is built in, or path/to/file.py:Class."""
    import tempfile
    from contextlib import ExitStack
    from pathlib import Path
    from typing import cast

    from actmem.errors import InputError
    from actmem.memory.contract import check_contract
    from actmem.memory.model import Model
    from actmem.memory.open import find_embedder
    from actmem.memory.protocol import Memory
    from actmem.memory.registry import Parts, find_memory
    from actmem.models.registry import open_model

    spec = find_memory(name, top)
    if top is not None and not spec.ranks:
        raise InputError(f"{name} does not take it", "--top")
    opened = find_embedder(
        embedder, base_url=options["base_url"], key_variable=options["key_env"]
    ).open
    if spec.privilege:
        raise InputError(f"{spec.privilege}: it is a bound, no memory", name)
    if "model" in spec.needs and not model_name:
        raise InputError("calls a model: give one with --model", f"memory {name}")
    with ExitStack() as stack:
        model: Model | None = None
        if model_name:
            own = options_by_model([model_name], embedder, options)[model_name]
            chat = open_model(model_name, own)
            stack.callback(chat.close)
            model = Model(chat)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        parts = Parts(opened, lambda: cast("Model", model), lambda: folder)
        found = check_contract(lambda: cast("Memory", spec.make(parts)))
        if model is not None and model.failure is not None:
            raise model.failure
    for violation in found:
        click.echo(f"{name}: {violation.message} [{violation.rule}]")
    if model is not None:
        used = model.usage
        click.echo(
            f"{name}: {used.calls} calls, {used.tokens} tokens, {used.invalid} invalid replies, "
            f"{used.seconds:.1f} s",
            err=True,
        )
    click.echo(f"{name}: {len(found) or 'no'} violations", err=True)
    return 1 if found else 0
