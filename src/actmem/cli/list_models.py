"""``actmem list models``."""

from __future__ import annotations

import click


@click.command()
def models() -> None:
    """List the catalogue's models, and how others are named."""
    from actmem.models.catalogue import catalogue, is_fetched

    for name, entry in catalogue().items():
        state = "fetched" if is_fetched(name) else "not fetched"
        mark = ", default of local" if entry.default else ""
        click.echo(
            f"{name:<20}{entry.kind:<10}{entry.size / 1e6:>6,.0f} MB  "
            f"{entry.memory_gb:>4.1f} GB loaded  {entry.licence:<12}"
            f"{state:<13}{entry.title}{mark}; {entry.about}"
        )
    click.echo("local:FILE.gguf     any other model in llama.cpp's format")
    click.echo("openai/NAME         a model behind an OpenAI-compatible endpoint (--base-url)")
    click.echo("scripted:FILE       replies from a script; replay:FILE  those of a trace")
