"""An agent in a process of its own, in any language: ``cmd:PROGRAM ARGUMENTS``.

The program reads an ``Observation`` as one line of JSON on stdin and answers it with its decision as
one line on stdout:

===================  ==========================================================
``Query``            ``{"type": "query", "channel": "email"}``
``SetHeartbeat``     ``{"type": "set_heartbeat", "minutes": 30}``; null for off
``Act``              ``{"type": "act", "choice": "A", "handles": ["task_7"]}``
``Pass``             ``{"type": "pass"}``
===================  ==========================================================

Anything else in the line is refused, as an ill-formed decision of an agent in Python is: the same
observation comes again with ``error`` set. See ``ProgramAgent`` for the rest.
"""

from __future__ import annotations

import msgspec

from actmem.errors import ActionError
from actmem.run.agents import ProgramAgent
from actmem.week.world import SHOWN, Decision, Observation

_DECISION: msgspec.json.Decoder[Decision] = msgspec.json.Decoder(Decision)


class ProcessAgent(ProgramAgent):
    """An agent of the week behind a program."""

    def decide(self, observation: Observation) -> Decision:
        """Send the observation and return the decision; ``ActionError`` for a line that is none."""
        line = self._process.ask(observation, "an observation")
        try:
            return _DECISION.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            shown = line[:SHOWN].decode("utf-8", "replace")
            raise ActionError("decision", f"{str(error)[:SHOWN]}, in {shown!r}") from None
