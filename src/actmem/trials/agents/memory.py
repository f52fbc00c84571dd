"""The setup ``memory``: no history, but passages that a vector store finds for the observation.

A prompt is the world's rules, the present observation and the passages, which stand last: what comes
before them is the same at every step and stays in a provider's prompt cache. Chunk 0 of the store is
the first prompt, without the rules that stand in every prompt anyway; each further chunk is a window
of four steps. A step's entry holds the lines of its observation that the step before did not show,
and the action.
"""

from __future__ import annotations

from typing import cast

from actmem.extra import load
from actmem.memory.protocol import Memory, Passage, Turn
from actmem.models.dialogue import Dialogue
from actmem.trials.agents.reply import PLAIN, ask, rules, schema
from actmem.trials.agents.setups import Seat
from actmem.trials.world import Observation

WINDOW = 4
"""Steps of a chunk."""
TOP = 5
"""Passages that are retrieved."""


class Recalling:
    """Asks the model about each observation anew, with what the store finds for it."""

    form = PLAIN

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._schema = schema(self.form, seat.options)
        dense = load("actmem.memory.dense", "a setup with a memory")
        self._store = cast("Memory", dense.Dense(seat.options.embedder.open(), TOP, show=_passage))
        self._chunks = 0
        self._window: list[str] = []
        self._since = 0  # the step at which the open window began
        self._shown: frozenset[str] = frozenset()  # the lines of the last observation

    def decide(self, observation: Observation) -> str:
        """Ask the model and return its action."""
        if observation.brief:
            self._keep(observation.brief.removeprefix(self._seat.rules).strip(), 0)
        if observation.step - self._since >= WINDOW:
            self._close()
            self._since = observation.step
        action = ask(self._dialogue(observation), self._schema)
        lines = observation.news.splitlines()
        new = [line for line in lines if line and line not in self._shown]
        self._window.append("\n".join([*new, f"> {action}"]))
        self._shown = frozenset(lines)
        return action

    def _dialogue(self, observation: Observation) -> Dialogue:
        """Return a dialogue about this observation alone."""
        chat, tape, options = self._seat.chat, self._seat.tape, self._seat.options
        words = options.words
        found = self._store.read(observation.news, options.passage_tokens)
        passages = sorted(found, key=lambda p: p.turns)  # as things went
        dialogue = Dialogue(chat, tape, budget=options.history_tokens)
        dialogue.say(rules(options, self._seat.rules, "memory", self.form), role="system")
        told = "\n\n".join(p.text for p in passages) or words.get("memory", "nothing")
        dialogue.say(words.fill("memory", "step", observation=observation.news, passages=told))
        return dialogue

    def _close(self) -> None:
        """Put the open window into the store."""
        if self._window:
            words = self._seat.options.words
            head = words.fill("memory", "window", first=self._since, last=self._since + WINDOW - 1)
            self._keep("\n".join([head, *self._window]), self._since)
        self._window = []

    def _keep(self, text: str, step: int) -> None:
        """Store a chunk."""
        self._store.write([Turn(self._chunks, 0, step, "user", text)])
        self._chunks += 1


def _passage(turn: Turn) -> Passage:
    """Return a chunk as it was stored; it says itself which steps it is of."""
    return Passage(turn.text, (turn.id,))
