"""The setup ``single``: one model, the full history, the base prompt. Base of the other chats."""

from __future__ import annotations

from typing import Any

from actmem.models.chat import Chat
from actmem.models.dialogue import Dialogue, InvalidReplyError
from actmem.models.prompts import prompts
from actmem.models.structured import Schema
from actmem.models.tape import Tape
from actmem.week.agents.protocol import card_text, day_text, decision, reply_schema, rules
from actmem.week.agents.setups import SetupOptions
from actmem.week.world import Act, Decision, Observation, Pass, SetHeartbeat


class Single:
    """Tells the model everything in order and does what it replies.

    A step whose replies all were invalid is passed. Rules and the day's plan are pinned: they stay
    when a long history is pruned.
    """

    def __init__(self, chat: Chat, tape: Tape, options: SetupOptions) -> None:
        self.options = options
        self._dialogue = Dialogue(chat, tape, budget=options.history_tokens)
        self._last: Decision | None = None
        self._asked = 0
        self._schema: Schema

    def decide(self, observation: Observation) -> Decision:
        """Tell the model what is new, and return its decision."""
        self._tell(observation)
        try:
            self._last = self._dialogue.ask(self.decode, self._schema)
        except InvalidReplyError:
            self._last = Pass()
        self._asked = 0 if isinstance(self._last, Act | Pass) else self._asked + 1
        return self._last

    def rules(self, observation: Observation) -> str:
        """Return the first message."""
        return rules(self.options.words, observation, self.options.form)

    def card(self, observation: Observation) -> str:
        """Return a step's message."""
        return card_text(self.options.words, observation)

    def schema(self, observation: Observation) -> Schema:
        """Return the schema of replies at a step."""
        return reply_schema(observation, self.options.form)

    def decode(self, reply: Any) -> Decision:
        """Return what a reply means; raises ``ActionError`` where it is to be asked again."""
        return decision(reply, self._asked)

    def _ended(self, observation: Observation) -> bool:
        """Say whether the last decision ended a step. A query without a reply was given up."""
        asking = isinstance(self._last, SetHeartbeat) or observation.replies
        return not asking or self._last is None or isinstance(self._last, Act | Pass)

    def _tell(self, observation: Observation) -> None:
        words, say = self.options.words, self._dialogue.say
        if self._last is not None and observation.error is not None:
            say(prompts()["again"].format(problem=observation.error))
        elif self._ended(observation):
            if self._last is None:
                say(self.rules(observation), role="system", pin="rules")
            if observation.first:
                say(day_text(words, observation), pin="plan")
            say(self.card(observation))
            self._schema = self.schema(observation)
        elif isinstance(self._last, SetHeartbeat):
            minutes = self._last.minutes
            name = "heartbeat_off" if minutes is None else "heartbeat_on"
            say(words.fill("base", name, minutes=minutes))
        else:
            say(observation.replies[-1].text)
