"""Score by replay: a trial and the recorded replies, nothing else.

One trial, one verdict. The intended action at a step where the condition holds is a *hit*. An
action is never held against the agent when an open ongoing goal demanded it at that step. The
intended action outside the due steps, a second time, or with other content (``_garbled``) is a
*false alarm*; after the due steps it is *late*, which is neither hit nor false alarm. Any other extra
action (an entry of the list bought again, a request's meeting in a wrong slot) is a *slip* of the
ongoing task. A go trial without hit and without late is a *miss*, unless every ongoing goal was met
on a course on which the condition never came: it is not passed, and nothing was missed. *Passed*: hit
(go) or untouched (no-go, as long as nothing came to be due), nothing false or late, no slip, and
every ongoing goal met.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from actmem.errors import InputError
from actmem.trials.encoding import holds_intention
from actmem.trials.grammar import Call, fold
from actmem.trials.trial import Shown, Trial, Watch
from actmem.trials.world import EXTRA, ONGOING, Episode
from actmem.trials.worlds.outcome import Outcome

SCORER = 3
"""Version of the scorer; a change that may move a verdict on an old trace raises it."""


class TrialResult(msgspec.Struct, frozen=True):
    """The verdict on one trial; ``ongoing`` is the share of ongoing goals met.

    ``played``: the steps that the replies played. ``due``: the steps at which the condition held on
    this course of play. ``acted``: the steps of undemanded extra actions. ``encoded``: whether the
    last ``intend`` held the intention (``None``: it was never stated). ``declared``: the last
    ``submit``.
    """

    trial: str
    passed: bool
    hit: bool
    miss: bool
    late: bool
    false_alarm: bool
    wrong_content: bool
    slip: bool
    ongoing: float
    malformed: int
    played: int
    due: tuple[int, ...]
    acted: tuple[int, ...]
    encoded: bool | None = None
    declared: str = ""


class Judge:
    """Folds an episode: ``see`` the step's view, then ``take`` what was done at it."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._watch = Watch(trial.trigger)
        self._due = False
        self._step = -1
        self._hit = self._late = self._false = self._wrong = self._slip = False
        self._acted: list[int] = []

    def see(self, view: Shown) -> bool:
        """Take in the view of the next step; tell whether the intention is due."""
        self._due = self._watch.see(view)
        self._step += 1
        return self._due

    def take(self, call: Call | None, outcome: Outcome) -> None:
        """Judge what was done at this step."""
        if call is None or not outcome.accepted or outcome.demanded or not self._extra(call):
            return
        self._acted.append(self._step)
        if not self._trial.intended.matches(call, self._trial.trigger):
            if outcome.ongoing or not self._garbled(call):
                self._slip = True
            else:
                self._false = self._wrong = True
        elif self._hit or self._late:
            self._false = True
        elif self._due:
            self._hit = True
        elif self._watch.steps:
            self._late = True
        else:
            self._false = True

    @staticmethod
    def _extra(call: Call) -> bool:
        return call.name in EXTRA

    def _garbled(self, call: Call) -> bool:
        """Tell whether ``call`` is the intended action with other content.

        Where the ongoing task asks for such actions too, it has to come when the intention is due, or
        to share a part with it; where the intention is to take what is on offer, any good may be
        meant.
        """
        intended = self._trial.intended
        if call.name != intended.name:
            return False
        if intended.cue or self._due or call.name not in ONGOING:
            return True
        return any(one in fold(intended.args) for one in fold(call.args))

    def result(
        self,
        goals: tuple[int, int],
        malformed: int = 0,
        played: int = 0,
        encoded: bool | None = None,
        declared: str = "",
    ) -> TrialResult:
        """Return the verdict; ``goals`` are (met, all)."""
        met, wanted = goals
        held = self._trial.go or bool(self._watch.steps)
        # Who met all goals on a course on which the condition never came has missed nothing, and has
        # not shown either that the intention was kept: to go out of its way must not pay.
        missed = held and (met < wanted or bool(self._watch.steps))
        clean = not (self._false or self._late or self._slip)
        return TrialResult(
            trial=self._trial.id,
            passed=clean and self._hit == held and met == wanted,
            hit=self._hit,
            miss=missed and not self._hit and not self._late,
            late=self._late,
            false_alarm=self._false,
            wrong_content=self._wrong,
            slip=self._slip,
            ongoing=met / wanted,
            malformed=malformed,
            played=played,
            due=tuple(self._watch.steps),
            acted=tuple(self._acted),
            encoded=encoded,
            declared=declared,
        )


def score(trial: Trial, replies: Sequence[str], steps: Sequence[int] | None = None) -> TrialResult:
    """Replay ``replies`` on ``trial``. Steps that were not played count as empty replies.

    ``steps`` are the steps that a record names for its replies. ``InputError`` where they are not
    those that the replies lead to, or there are more replies than the episode has room for: then
    the record belongs to another trial.
    """
    episode, judge = Episode(trial), Judge(trial)
    malformed, encoded, declared = 0, None, ""
    judge.see(episode.world.view())
    for number, reply in enumerate(replies):
        if episode.done:
            raise InputError(f"more replies than the {trial.steps} steps", trial.id)
        if steps is not None and steps[number] != episode.step:
            where = f"reply {number + 1} is of step {steps[number]}, not {episode.step}"
            raise InputError(where, trial.id)
        applied = episode.apply(reply)
        if applied.free:
            assert applied.call is not None
            said = str(applied.call.args[0])
            if applied.call.name == "submit":
                declared = said
            else:
                encoded = holds_intention(trial, said)
            continue
        malformed += applied.call is None
        judge.take(applied.call, applied.outcome)
        if not episode.done:
            judge.see(episode.world.view())
    played = episode.step
    while not episode.done:
        episode.apply("")
        if not episode.done:
            judge.see(episode.world.view())
    return judge.result(episode.world.goals(), malformed, played, encoded, declared)
