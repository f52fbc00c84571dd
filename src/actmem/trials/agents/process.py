"""An agent in a process of its own, in any language: ``cmd:PROGRAM ARGUMENTS``.

The program reads an observation as one line of JSON on stdin, ``{"step": 0, "text": "…", "view": {…}}``,
and answers it with its action as one line on stdout, ``{"text": "wait()"}``. Any other line fails the
episode, as an agent in Python does that returns no text; a text that is no legal call costs the step.
One process plays one episode, whose seed stands in the environment variable ``ACTMEM_SEED``. How a
program is run: see ``actmem.process``.
"""

from __future__ import annotations

import msgspec

from actmem.process import SECONDS, SEED, SHOWN, LineProcess, ProcessError
from actmem.trials.world import Observation

LONGEST = 1024 * 1024
"""Most bytes of a reply."""


class _Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str


_REPLY: msgspec.json.Decoder[_Reply] = msgspec.json.Decoder(_Reply)


class ProcessAgent:
    """An agent behind a program. What it does otherwise than agreed raises ``ProcessError``."""

    def __init__(self, command: str, seed: int, seconds: float = SECONDS) -> None:
        """Start the program; raises ``InputError`` where it cannot be started."""
        self._process = LineProcess(
            command, seconds=seconds, longest=LONGEST, environment={SEED: str(seed)}
        )

    def decide(self, observation: Observation) -> str:
        """Send the observation and return the action."""
        shown = {"step": observation.step, "text": observation.text, "view": observation.view}
        line = self._process.ask(shown, "an observation")
        try:
            return _REPLY.decode(line).text
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            told = line[:SHOWN].decode("utf-8", "replace")
            raise ProcessError(f"no reply: {str(error)[:SHOWN]}, in {told!r}") from None

    def close(self) -> None:
        """Let the program leave, and end it where it does not."""
        self._process.close()
