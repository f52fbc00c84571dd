"""The setups: ways of putting a chat model to work on the week (paper, table 6).

This module is light: a setup's own module is imported when an agent is made.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from actmem.errors import InputError
from actmem.models.prompts import prompts_digest
from actmem.models.wording import Words

if TYPE_CHECKING:
    from actmem.models.chat import Chat
    from actmem.models.tape import Tape
    from actmem.week.agents import Agent
    from actmem.week.agents.protocol import Form

HISTORY_TOKENS = 32_000
"""Tokens above which the oldest half of a chat's history goes."""


class SetupOptions(Struct, frozen=True, kw_only=True):
    """What may be set for every setup."""

    words: Words
    form: Form = "list"
    history_tokens: int = HISTORY_TOKENS

    @property
    def settings(self) -> dict[str, Any]:
        """What of them moves the number, for manifests and headers."""
        return {
            "form": self.form,
            "history_tokens": self.history_tokens,
            "prompts": self.words.digests | {"dialogue": prompts_digest()},
        }


class Setup(NamedTuple):
    """A setup: where its class is, and what it is."""

    module: str
    name: str
    about: str
    heartbeat: bool = False
    """True where nudges may come, whose kind may be privileged."""
    replays: str = ""
    """The setup over whose traces this one is replayed, without a call; empty for a live one."""


SETUPS: dict[str, Setup] = {
    "single": Setup("single", "Single", "one model with its full history"),
    "ledger": Setup("ledger", "Ledger", "rewrites a list of five things to do in every reply"),
    "heartbeat": Setup("heartbeat", "Switched", "may switch a heartbeat on and off", True),
    "heartbeat-60": Setup("heartbeat", "Every60", "has a heartbeat every 60 minutes", True),
    "heartbeat-30": Setup("heartbeat", "Every30", "has a heartbeat every 30 minutes", True),
    "hierarchy": Setup("hierarchy", "Hierarchy", "three watchers propose, a coordinator decides"),
    "majority": Setup(
        "votes", "", "does what two of the hierarchy's watchers proposed", replays="hierarchy"
    ),
    "unanimous": Setup(
        "votes", "", "does what all of the hierarchy's watchers proposed", replays="hierarchy"
    ),
}
"""In the order in which tables show them."""


def find_setup(name: str) -> Setup:
    """Return a setup by name; raises ``InputError`` for one that there is not."""
    if name not in SETUPS:
        raise InputError(f"no setup {name!r}: there are {', '.join(SETUPS)}", "--setups")
    return SETUPS[name]


def make_agent(name: str, chat: Chat, tape: Tape, options: SetupOptions) -> Agent:
    """Return a fresh agent of a live setup for one episode."""
    setup = find_setup(name)
    cls = getattr(import_module(f"actmem.week.agents.{setup.module}"), setup.name)
    agent: Agent = cls(chat, tape, options)
    return agent
