"""The setups: five architectures that put a chat model to work on trials.

This module is light: a setup's own module is imported when an agent is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct, field

from actmem.errors import InputError
from actmem.memory.open import EmbedderSpec, find_embedder
from actmem.models import wording
from actmem.models.prompts import prompts_digest
from actmem.models.wording import Words
from actmem.trials.wording import brief, brief_digest

if TYPE_CHECKING:
    from actmem.models.chat import Chat
    from actmem.models.tape import Tape
    from actmem.trials.agents.agent import Agent
    from actmem.trials.trial import Trial

HISTORY_TOKENS = 32_000
"""Tokens above which the oldest half of a chat's history goes, never the first prompt."""
PASSAGE_TOKENS = 200
"""Tokens of all passages that a memory adds to a prompt, as ``memory.tokens`` counts them."""
MOST_CHARACTERS = 1000
"""Characters of each of the texts that ``reflexion`` writes, at most."""
FILES = ("base", "memory", "pm-prompt", "reflexion")
"""The prompt files, without ``.toml``."""


def built_in() -> Words:
    """Return the prompts that come with ActMem."""
    return wording.built_in("actmem.trials.agents", FILES)


class SetupOptions(Struct, frozen=True, kw_only=True):
    """What may be set for every setup."""

    words: Words
    history_tokens: int = HISTORY_TOKENS
    passage_tokens: int = PASSAGE_TOKENS
    characters: int = MOST_CHARACTERS
    """Bound of thought and reflection each; see ``bound``."""
    embedder: EmbedderSpec = field(default_factory=find_embedder)
    """What memories embed with; opened only by a setup that has one."""

    def settings(self, setups: Iterable[str]) -> dict[str, Any]:
        """Return what of them moves the number of ``setups``, for manifests and headers.

        Among it the SHA-256 of all that a prompt is made of, by part.
        """
        embeds = any(find_setup(setup).memory for setup in setups)
        return {
            "history_tokens": self.history_tokens,
            "passage_tokens": self.passage_tokens,
            "characters": self.characters,
            "prompts": self.words.digests | {"brief": brief_digest(), "dialogue": prompts_digest()},
        } | ({"embedder": dict(self.embedder.settings)} if embeds else {})


def bound(max_tokens: int) -> int:
    """Return the characters of thought and reflection each that go with a reply's most tokens.

    A character is a token at worst, so both together take no more than half of the reply.
    """
    return max(1, min(max_tokens // 4, MOST_CHARACTERS))


class Seat(NamedTuple):
    """What an agent of a setup is made with, for one episode."""

    chat: Chat
    tape: Tape
    options: SetupOptions
    rules: str
    """The first prompt without its intention: what is true of all episodes in this world."""
    intention: str
    """The intention's text for a privileged setup, '' for the others."""


class Setup(NamedTuple):
    """A setup: where its class is, what it is, and what it gets beyond the observations."""

    module: str
    name: str
    about: str
    privilege: str = ""
    memory: bool = False
    """True where passages are embedded."""


SETUPS: dict[str, Setup] = {
    "base": Setup("base", "Base", "the full history; the reply is the action alone"),
    "reflexion": Setup(
        "reflexion", "Reflexion", "the full history; thought, reflection and action in each reply"
    ),
    "memory": Setup(
        "memory", "Recalling", "no history: five passages out of a vector store", memory=True
    ),
    "reflexion-memory": Setup(
        "reflexion_memory", "ReflexionRecalling", "reflexion and memory together", memory=True
    ),
    "pm-prompt": Setup(
        "pm_prompt", "Reminded", "base, told the intention again at each step", "intention"
    ),
}
"""In the order in which tables show them (source, section 4.1)."""


def find_setup(name: str) -> Setup:
    """Return a setup by name; raises ``InputError`` for one that there is not."""
    if name not in SETUPS:
        raise InputError(f"no setup {name!r}: there are {', '.join(SETUPS)}", "--setups")
    return SETUPS[name]


def make_agent(name: str, trial: Trial, chat: Chat, tape: Tape, options: SetupOptions) -> Agent:
    """Return a fresh agent of a setup for one episode of ``trial``."""
    setup = find_setup(name)
    cls = getattr(import_module(f"actmem.trials.agents.{setup.module}"), setup.name)
    told = trial.intention if setup.privilege else ""
    agent: Agent = cls(Seat(chat, tape, options, brief(trial, intention=False), told))
    return agent
