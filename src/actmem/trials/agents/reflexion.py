"""The setup ``reflexion``: thought, reflection and action in one reply, over the full history.

One call a step (Yao et al. 2023 for the thought, Shinn et al. 2023 for the reflection): a reply is a
JSON object of three bounded texts. One that is none is asked again, at most three times; then the
action is empty, which the world counts as malformed.
"""

from __future__ import annotations

from actmem.models.dialogue import Dialogue, InvalidReplyError
from actmem.models.structured import Schema
from actmem.trials.agents.base import Base
from actmem.trials.agents.setups import Seat, SetupOptions

ACTION = 240
"""Most characters of an action; the longest that makes sense is an ``intend`` with a sentence."""


class Reflexion(Base):
    """Has the model think and reflect before it acts."""

    form = "reflexion"

    def __init__(self, seat: Seat) -> None:
        super().__init__(seat)
        self._schema = schema(seat.options)

    def ask(self) -> str:
        """Return the action of the model's reply."""
        return ask(self._dialogue, self._schema)


def schema(options: SetupOptions) -> Schema:
    """Return the schema of a reply; the model writes its parts in this order."""
    lengths = {"thought": options.characters, "reflection": options.characters, "action": ACTION}
    return Schema(
        "step",
        {
            "type": "object",
            "properties": {
                name: {"type": "string", "maxLength": length} for name, length in lengths.items()
            },
            "required": list(lengths),
            "additionalProperties": False,
        },
    )


def ask(dialogue: Dialogue, wanted: Schema) -> str:
    """Return the action of the model's reply, '' where no reply fits the schema."""
    try:
        return dialogue.ask(lambda reply: str(reply["action"]).strip(), wanted)
    except InvalidReplyError:
        return ""
