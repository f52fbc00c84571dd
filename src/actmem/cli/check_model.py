"""``actmem check model``: two short calls, and what they show."""

from __future__ import annotations

from typing import Any

import click

from actmem.cli.model_options import model_options, read_model_options


@click.command()
@click.argument("name")
@model_options
def model(name: str, **options: Any) -> int:
    """Ask a model twice for a small JSON object and say what works."""
    from actmem.models.dialogue import Dialogue, InvalidReplyError
    from actmem.models.prompts import prompts
    from actmem.models.registry import open_model
    from actmem.models.structured import Schema
    from actmem.models.tape import Called, Tape

    schema = Schema(
        "answer",
        {
            "type": "object",
            "properties": {
                "letter": {"enum": ["A", "B", "C"]},
                "word": {"type": "string", "maxLength": 20},
            },
            "required": ["letter", "word"],
            "additionalProperties": False,
        },
    )
    chat = open_model(name, read_model_options(options))
    calls: list[Called] = []
    dialogue = Dialogue(chat, Tape(write=calls.append))
    dialogue.say(prompts()["check_system"], role="system")
    try:
        for _ in range(2):
            dialogue.say(prompts()["check_question"])
            dialogue.ask(lambda value: value, schema)
    except InvalidReplyError as error:
        click.echo(f"{'structured reply':<18}no: {error.problem}")
        return 1
    finally:
        chat.close()
    for label, text in _findings(calls, dialogue.invalid):
        click.echo(f"{label:<18}{text}")
    return 0


def _findings(calls: list[Any], invalid: int) -> list[tuple[str, str]]:
    """Return what the calls show, a label and a sentence each."""
    first, last = calls[0].completion, calls[-1].completion
    sent = {"native": "by the provider's own means", "prompt": "in the prompt"}
    usage = last.usage
    again = f"; {invalid} replies were invalid first" if invalid else ""
    if usage.estimated:
        counted, cached = "not counted by the provider: estimates", "not told"
    else:
        counted = f"{usage.prompt_tokens} read, {usage.completion_tokens} written by the last call"
        cached = f"{usage.cached_tokens} of the last call's {usage.prompt_tokens} tokens"
    return [
        ("answers", f"yes, {first.usage.seconds:.1f} s and {usage.seconds:.1f} s a call"),
        ("structured reply", f"yes, the schema is sent {sent[last.schema_sent]}{again}"),
        ("last reply", " ".join(last.text.split())[:100]),
        ("tokens", counted),
        ("prompt cache", cached),
        ("retries", str(sum(call.completion.usage.retries for call in calls))),
    ]
