"""The setups with a heartbeat: ``heartbeat`` switches it itself, the others have it from the start."""

from __future__ import annotations

from actmem.models.structured import Schema
from actmem.week.agents.protocol import reply_schema
from actmem.week.agents.single import Single
from actmem.week.world import Decision, Observation, SetHeartbeat


class Switched(Single):
    """As ``single``, and the model may switch a heartbeat on and off."""

    def rules(self, observation: Observation) -> str:
        """Return the base rules and the offer of a heartbeat."""
        flags = self.options.form == "flags"
        offer = self.options.words.fill(
            "heartbeat",
            "offer",
            tasks="tasks" if flags else "task_ids",
            empty="null" if flags else "[]",
        )
        return f"{super().rules(observation)}\n\n{offer}"

    def schema(self, observation: Observation) -> Schema:
        """Return the schema with the heartbeat's two fields."""
        return reply_schema(observation, self.options.form, heartbeat=True)


class _Auto(Single):
    """As ``single``, with a heartbeat that is switched on at the start of each day."""

    MINUTES: int

    def rules(self, observation: Observation) -> str:
        """Return the base rules and the word that the heartbeat is on."""
        auto = self.options.words.fill("heartbeat", "auto", minutes=self.MINUTES)
        return f"{super().rules(observation)}\n\n{auto}"

    def decide(self, observation: Observation) -> Decision:
        """Switch the heartbeat on at a day's first step, then go on as ``single``."""
        refused = self._setting and observation.error is not None
        self._setting = refused or (observation.first and self._day != observation.day)
        self._day = observation.day
        if self._setting:
            return SetHeartbeat(self.MINUTES)
        return super().decide(observation)

    _day = ""
    _setting = False


class Every60(_Auto):
    """A heartbeat every 60 minutes."""

    MINUTES = 60


class Every30(_Auto):
    """A heartbeat every 30 minutes."""

    MINUTES = 30
