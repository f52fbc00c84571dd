"""``actmem check memory``."""

from __future__ import annotations

from typing import Any

import click

from actmem.cli.model_options import model_options, read_model_options


@click.command(name="memory")
@click.argument("name")
@click.option("--model", "model_name", metavar="M", help="Model for a memory that calls one.")
@model_options
def check_memory(name: str, model_name: str | None, **options: Any) -> int:
    """Check that a memory keeps the contract; NAME is built in, or path/to/file.py:Class."""
    import tempfile
    from contextlib import ExitStack
    from pathlib import Path
    from typing import cast

    from actmem.errors import InputError
    from actmem.memory.contract import check_contract
    from actmem.memory.model import Model
    from actmem.memory.open import open_embedder
    from actmem.memory.protocol import Memory
    from actmem.memory.registry import Parts, find_memory
    from actmem.models.registry import open_model

    spec = find_memory(name)
    if spec.privilege:
        raise InputError(f"{spec.privilege}: it is a bound, no memory", name)
    if "model" in spec.needs and not model_name:
        raise InputError("calls a model: give one with --model", f"memory {name}")
    with ExitStack() as stack:
        model: Model | None = None
        if model_name:
            chat = open_model(model_name, read_model_options(options))
            stack.callback(chat.close)
            model = Model(chat)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        parts = Parts(open_embedder, lambda: cast("Model", model), lambda: folder)
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
