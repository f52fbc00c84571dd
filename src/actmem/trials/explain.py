"""A verdict in three lines: what was intended, when it was due, what the agent did."""

from __future__ import annotations

from collections.abc import Sequence

from actmem.trials.grammar import Call
from actmem.trials.score import TrialResult
from actmem.trials.trial import Trial
from actmem.trials.world import Episode

MOST = 4  # actions that are named
WIDTH = 80  # characters of each


def explain(trial: Trial, replies: Sequence[str], result: TrialResult) -> str:
    """Return three lines on ``result``, the verdict on ``replies``. Steps count from 0."""
    return (
        f"intended: {trial.intention}\n"
        f"due:      {_due(trial, result)}\n"
        f"did:      {_did(trial, replies, result)}"
    )


def _due(trial: Trial, result: TrialResult) -> str:
    if result.due:
        steps = ", ".join(map(str, result.due[:MOST]))
        return f"at step {steps} of {trial.steps}"
    if trial.go:
        return f"at step {trial.delay} in perfect play; on this course its condition was never met"
    return f"never; the strongest near miss is at step {trial.delay} of {trial.steps}"


def _did(trial: Trial, replies: Sequence[str], result: TrialResult) -> str:
    calls = _calls(trial, replies)
    acts = [f"{_shown(calls[step])} at step {step}" for step in result.acted[:MOST]]
    acts += ["…"] if len(result.acted) > MOST else []
    verdict = [
        word
        for word, holds in (
            ("hit", result.hit),
            ("miss", result.miss),
            ("late", result.late),
            ("false alarm", result.false_alarm),
            ("wrong content", result.wrong_content),
            ("slip", result.slip),
        )
        if holds
    ]
    text = (
        f"{', '.join(acts) or 'nothing beyond the ongoing task'}: {', '.join(verdict) or 'right'}"
    )
    text += f"; {round(100 * result.ongoing)} % of the ongoing goals met"
    return text + (f"; {result.malformed} malformed replies" if result.malformed else "")


def _shown(call: Call) -> str:
    """Return a call as one short line that a terminal can show, whatever its texts hold."""
    line = "".join(sign if sign.isprintable() else "\ufffd" for sign in str(call))
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def _calls(trial: Trial, replies: Sequence[str]) -> dict[int, Call]:
    """Return the legal call of each step that has one."""
    episode = Episode(trial)
    calls: dict[int, Call] = {}
    for reply in replies:
        step = episode.step
        applied = episode.apply(reply)
        if applied.call is not None and not applied.free:
            calls[step] = applied.call
    return calls
