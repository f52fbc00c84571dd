"""The setup ``ledger``: as ``single``, with a short list that the model rewrites in every reply."""

from __future__ import annotations

import json
import re
from typing import Any

from actmem.errors import ActionError
from actmem.models.structured import Schema
from actmem.week.agents.protocol import closed, reply_schema
from actmem.week.agents.single import Single
from actmem.week.world import Decision, Observation

MAX_ITEMS = 5
MAX_WORDS = 8
"""Most words of an item's notes."""
_HANDLE = re.compile(r"task_[0-9]{1,3}")
_ITEM = closed(
    {
        "task_id": {"type": "string", "maxLength": 8},
        "when": {"type": "string", "maxLength": 60},
        "status": {"enum": ["pending", "done", "canceled"]},
        "notes": {"type": "string", "maxLength": 80},
    }
)


class Ledger(Single):
    """Carries the ledger of the last valid reply and shows it with every card.

    Handles in it may be of tasks that are not on the present menu.
    """

    ledger: tuple[dict[str, str], ...] = ()

    def rules(self, observation: Observation) -> str:
        """Return the base rules and those of the ledger."""
        return f"{super().rules(observation)}\n\n{self.options.words.get('ledger', 'rules')}"

    def card(self, observation: Observation) -> str:
        """Return a step's message with the ledger before it."""
        carried = self.options.words.fill(
            "ledger", "carried", ledger=json.dumps(self.ledger, ensure_ascii=False)
        )
        return f"{carried}\n{super().card(observation)}"

    def schema(self, observation: Observation) -> Schema:
        """Return the schema with the ledger as the last field."""
        ledger = {"type": "array", "items": _ITEM, "maxItems": MAX_ITEMS}
        return reply_schema(observation, self.options.form, extra={"ledger": ledger})

    def decode(self, reply: Any) -> Decision:
        """Return what a reply means, and take its ledger."""
        decision = super().decode(reply)
        for position, item in enumerate(reply["ledger"], start=1):
            if not _HANDLE.fullmatch(item["task_id"]):
                raise ActionError("ledger", f"item {position}: task_id is no handle like task_4")
            if len(item["notes"].split()) > MAX_WORDS:
                raise ActionError("ledger", f"item {position}: notes has more than 8 words")
        self.ledger = tuple(reply["ledger"])
        return decision
