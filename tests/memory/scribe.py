"""A chat model for memory libraries that keeps what it is told, and one that follows a list."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from actmem.errors import ProviderError
from actmem.models.chat import Completion, Message, Usage
from actmem.models.structured import Schema, fit

Reply = Callable[[str], Any]


class Listed:
    """Gives one reply after the other; a function receives the whole prompt, None is a failure."""

    name = "listed"
    window = None
    parallel = 1
    settings: Mapping[str, Any] = {}

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.prompts: list[str] = []
        self.schemas: list[Schema | None] = []

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        prompt = "\n".join(f"{message.role}: {message.content}" for message in messages)
        self.prompts.append(prompt)
        self.schemas.append(schema)
        reply = self.reply(prompt)
        if reply is None:
            raise ProviderError("listed: no answer")
        text = reply if isinstance(reply, str) else json.dumps(reply)
        parsed, problem = fit(text, schema)
        usage = Usage(calls=1, prompt_tokens=100, completion_tokens=10)
        return Completion(text=text, parsed=parsed, problem=problem, usage=usage)

    def reply(self, prompt: str) -> Any:
        reply = self.replies.pop(0) if self.replies else None
        return reply(prompt) if callable(reply) else reply

    def close(self) -> None: ...


class Scribe(Listed):
    """Has every utterance kept as a memory, word for word."""

    def reply(self, prompt: str) -> Any:
        if "## New Messages" in prompt:
            heard = prompt.rpartition("## New Messages\n")[2].partition("\n\n\n")[0]
            return mem0(*re.findall(r"^(?:user|assistant): (.+)", heard, re.MULTILINE))
        heard = prompt.rpartition("<session_")[2]
        return langmem(*re.findall(r"=\n\n(.+)", heard))


def mem0(*texts: str) -> dict[str, Any]:
    """Return the reply that has mem0 add memories."""
    return {
        "memory": [
            {"id": str(number), "text": text, "attributed_to": "user"}
            for number, text in enumerate(texts)
        ]
    }


def langmem(*texts: str) -> dict[str, Any]:
    """Return the reply that has langmem insert memories."""
    return {"calls": [{"name": "Memory", "args": {"content": text}} for text in texts]}


def patched(text: str) -> Reply:
    """Return the reply that has langmem replace the first memory that it is shown."""
    return lambda prompt: {
        "calls": [
            {
                "name": "PatchDoc",
                "args": {
                    "json_doc_id": shown(prompt)[0],
                    "planned_edits": "replace",
                    "patches": [{"op": "replace", "path": "/content", "value": text}],
                },
            }
        ]
    }


def removed(prompt: str) -> dict[str, Any]:
    """Return the reply that has langmem remove the first memory that it is shown."""
    return {"calls": [{"name": "RemoveDoc", "args": {"json_doc_id": shown(prompt)[0]}}]}


def shown(prompt: str) -> list[str]:
    """Return the ids of the memories that langmem's prompt shows."""
    return re.findall(r"<instance id=(\w+)", prompt)
