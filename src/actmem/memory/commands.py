"""The command ``check memory``, for the command line to take up."""

from __future__ import annotations

import click


@click.command(name="memory")
@click.argument("name")
def check_memory(name: str) -> int:
    """Check that a memory keeps the contract; NAME is built in, or path/to/file.py:Class."""
    from typing import cast

    from actmem.errors import InputError
    from actmem.memory.contract import check_contract
    from actmem.memory.open import open_embedder
    from actmem.memory.protocol import Memory
    from actmem.memory.registry import find_memory

    spec = find_memory(name)
    if spec.privilege:
        raise InputError(f"{spec.privilege}: it is a bound, no memory", name)
    found = check_contract(lambda: cast("Memory", spec.make(open_embedder)))
    for violation in found:
        click.echo(f"{name}: {violation.message} [{violation.rule}]")
    click.echo(f"{name}: {len(found) or 'no'} violations", err=True)
    return 1 if found else 0
