"""A model that follows a script: for tests and demonstrations.

The script is a JSON array, or JSON lines, of entries. An entry is a string (the reply), or an
object: ``{"reply": text or JSON data}`` or ``{"fail": cause}``, with ``"when"`` (text that the last
message must contain), ``"schema"`` (name of the schema that must be asked for) and ``"seconds"`` (how
long the answer takes). The entry ``{"pick": "turn"}`` or ``{"pick": "digest"}`` says how one is
picked among those that fit:

- ``turn`` (the default): as many entries on as the prompt holds replies, from the first again after
  the last. The first reply of a dialogue is the first entry, the second the second.
- ``digest``: by a digest of the prompt. Equal prompts have equal replies.

Neither counts calls, so a script gives an episode the same replies whatever else runs beside it, and
after a resume too.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Struct

from actmem.errors import InputError, ProviderError
from actmem.files import read_bytes
from actmem.hashing import digest
from actmem.models.chat import Completion, Message, Usage, clean, estimate_tokens
from actmem.models.structured import Schema, fit
from actmem.models.tape import prompt_digest


class Entry(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of a script."""

    reply: Any = None
    fail: str = ""
    when: str = ""
    schema: str = ""
    seconds: Annotated[float, msgspec.Meta(ge=0, le=3600)] = 0.0
    pick: Literal["turn", "digest"] | None = None


class ScriptedChat:
    """Replies as its script says. Tokens are estimates; all but a prompt's new part are cached."""

    parallel = 64

    def __init__(
        self,
        entries: Sequence[str | Mapping[str, Any]],
        *,
        name: str = "scripted",
        window: int | None = None,
    ) -> None:
        """Take the script's entries; raises ``InputError`` for one that is none."""
        self.name = name
        self.window = window
        self._pick = "turn"
        self._entries: list[Entry] = []
        for number, given in enumerate(entries, start=1):
            entry = _entry(given, f"{name}: entry {number}")
            if entry.pick:
                self._pick = entry.pick
            else:
                self._entries.append(entry)
        if not self._entries:
            raise InputError("the script holds no reply", name)
        self.settings: Mapping[str, Any] = {
            "backend": "scripted", "script": digest(list(entries)), "window": window,
        }  # fmt: skip

    @classmethod
    def load(cls, path: Path, window: int | None = None) -> ScriptedChat:
        """Read a script from a file: a JSON array, or one JSON value a line."""
        data = read_bytes(path)
        try:
            if data.lstrip().startswith(b"["):
                entries = json.loads(data)
            else:
                entries = [json.loads(line) for line in data.splitlines() if line.strip()]
            json.dumps(entries, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise InputError(f"is no JSON: {error}", path) from None
        return cls(entries, name=f"scripted:{path}", window=window)

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        """Return the reply that the script gives; raises ``ProviderError`` where it says so."""
        started = time.monotonic()
        entry = self._find(messages, schema)
        if entry.seconds:
            time.sleep(entry.seconds)
        if entry.fail:
            raise ProviderError(f"{self.name}: {entry.fail}")
        text = entry.reply if isinstance(entry.reply, str) else json.dumps(entry.reply)
        text = clean(text)
        parsed, problem = fit(text, schema)
        replies = [i for i, m in enumerate(messages) if m.role == "assistant"]
        return Completion(
            text=text,
            parsed=parsed,
            problem=problem,
            finish="stop",
            schema_sent="native" if schema is not None else "",
            usage=Usage(
                calls=1,
                prompt_tokens=estimate_tokens(messages),
                cached_tokens=estimate_tokens(messages[: replies[-1]]) if replies else 0,
                completion_tokens=estimate_tokens([Message("assistant", text)]),
                seconds=round(time.monotonic() - started, 3),
                estimated=True,
            ),
        )

    def close(self) -> None:
        """Do nothing."""

    def _find(self, messages: Sequence[Message], schema: Schema | None) -> Entry:
        last = messages[-1].content
        name = schema.name if schema is not None else ""
        fits = [e for e in self._entries if e.when in last and e.schema in ("", name)]
        if not fits:
            raise ProviderError(f"{self.name}: no entry for schema {name!r}, message {last[:60]!r}")
        if self._pick == "turn":
            turn = sum(message.role == "assistant" for message in messages)
        else:
            turn = int(prompt_digest(messages, schema), 16)
        return fits[turn % len(fits)]


def _entry(given: str | Mapping[str, Any], where: str) -> Entry:
    try:
        entry = Entry(reply=given) if isinstance(given, str) else msgspec.convert(given, Entry)
    except msgspec.ValidationError as error:
        raise InputError(str(error), where) from None
    if (entry.reply is not None) + bool(entry.fail) + bool(entry.pick) != 1:
        raise InputError("needs one of reply, fail and pick", where)
    return entry
