"""An agent in a process of its own, in any language: ``cmd:PROGRAM ARGUMENTS``.

The program reads an observation as one line of JSON on stdin, ``{"step": 0, "text": "…", "view": {…}}``,
and answers it with its action as one line on stdout, ``{"text": "wait()"}``. Any other line fails the
episode, as an agent in Python does that returns no text; a text that is no legal call costs the step.
See ``ProgramAgent`` for the rest.
"""

from __future__ import annotations

import msgspec

from actmem.process import SHOWN, ProcessError
from actmem.run.agents import ProgramAgent
from actmem.trials.world import Observation


class _Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str


_REPLY: msgspec.json.Decoder[_Reply] = msgspec.json.Decoder(_Reply)


class ProcessAgent(ProgramAgent):
    """An agent of trials behind a program."""

    def decide(self, observation: Observation) -> str:
        """Send the observation and return the action."""
        shown = {"step": observation.step, "text": observation.text, "view": observation.view}
        line = self._process.ask(shown, "an observation")
        try:
            return _REPLY.decode(line).text
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            told = line[:SHOWN].decode("utf-8", "replace")
            raise ProcessError(f"no reply: {str(error)[:SHOWN]}, in {told!r}") from None
