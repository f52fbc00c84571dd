"""How a model replies: a JSON object of bounded texts, of which the last is its action.

All setups have the action in an object, so that they differ in what else stands there and not in
whether a model can keep to a form. An object that does not fit is asked again, at most three times;
then the action is empty, which the world counts as malformed, as it does an action that is no legal
call. That one is not asked again: it costs the step.
"""

from __future__ import annotations

from typing import NamedTuple

from actmem.models.dialogue import Dialogue, InvalidReplyError
from actmem.models.structured import Schema
from actmem.trials.agents.setups import SetupOptions

ACTION = 240
"""Most characters of an action; the longest that makes sense is an ``intend`` with a sentence."""


class Form(NamedTuple):
    """The form of a reply."""

    file: str
    """The prompt file that tells the model of it; the schema's name too."""
    texts: tuple[str, ...] = ()
    """What the model writes before the action, in this order."""


PLAIN = Form("base")
REFLEXION = Form("reflexion", ("thought", "reflection"))


def schema(form: Form, options: SetupOptions) -> Schema:
    """Return the schema of a reply."""
    lengths = dict.fromkeys(form.texts, options.characters) | {"action": ACTION}
    return Schema(
        form.file,
        {
            "type": "object",
            "properties": {
                name: {"type": "string", "maxLength": length} for name, length in lengths.items()
            },
            "required": list(lengths),
            "additionalProperties": False,
        },
    )


def rules(options: SetupOptions, brief: str, how: str, form: Form) -> str:
    """Return the first message; ``how`` names the file that says what the model is shown."""
    words = options.words
    shape = words.fill(form.file, "form", characters=options.characters)
    return words.fill("base", "rules", brief=brief, how=words.get(how, "how"), form=shape)


def ask(dialogue: Dialogue, wanted: Schema) -> str:
    """Return the action of the model's reply, '' where no reply fits the schema."""
    try:
        return dialogue.ask(lambda reply: str(reply["action"]).strip(), wanted)
    except InvalidReplyError:
        return ""
