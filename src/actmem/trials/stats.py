"""Rates over trial results: accuracy with Wilson intervals, misses, false alarms, d' and criterion.

A rate with nothing to divide by is ``None``. A trial that is played several times is one trial in an
interval: repeats make it no narrower. The miss rate is over go trials, the false-alarm rate
over all. d' and the criterion c come from hits on go trials and false alarms on no-go trials, with
the log-linear correction (Hautus 1995: add 0.5 to each count and 1 to each total), so that they are
finite; they need both kinds of trials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from statistics import NormalDist

from msgspec import Struct

from actmem.trials.score import TrialResult
from actmem.trials.trial import Trial

_Z95 = NormalDist().inv_cdf(0.975)
Pair = tuple[Trial, TrialResult]


class Rates(Struct, frozen=True, kw_only=True):
    """What a set of trials amounts to. ``interval`` is the 95 % Wilson interval of ``accuracy``."""

    trials: int
    go: int
    passed: int
    accuracy: float | None
    interval: tuple[float, float] | None
    miss_rate: float | None
    late_rate: float | None
    false_alarm_rate: float | None
    no_go_false_alarm_rate: float | None
    wrong_content_rate: float | None
    slip_rate: float | None
    ongoing: float | None
    d_prime: float | None
    criterion: float | None
    malformed: int
    stated: float | None
    """Share of the trials in which the intention was stated (``intend``)."""
    encoded: float | None
    """Share of those whose last statement held it."""


def wilson(passed: float, total: int) -> tuple[float, float] | None:
    """Return the 95 % Wilson score interval of ``passed`` (a mean over repeats) of ``total``."""
    if total == 0:
        return None
    share, z2 = passed / total, _Z95**2
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z95 * math.sqrt(share * (1 - share) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def detection(hits: int, go: int, alarms: int, no_go: int) -> tuple[float, float] | None:
    """Return (d', criterion) of ``hits`` on go and ``alarms`` on no-go trials."""
    if not go or not no_go:
        return None
    z = NormalDist().inv_cdf
    hit, alarm = z((hits + 0.5) / (go + 1)), z((alarms + 0.5) / (no_go + 1))
    return hit - alarm, -(hit + alarm) / 2


def rates(pairs: Iterable[Pair]) -> Rates:
    """Return the rates over ``pairs``."""
    of = list(pairs)
    results = [result for _, result in of]
    go = [result for trial, result in of if trial.go]
    no_go = [result for trial, result in of if not trial.go]
    passed = sum(result.passed for result in results)
    trials = len({trial.id for trial, _ in of})
    alarms = sum(result.false_alarm for result in no_go)
    found = detection(sum(result.hit for result in go), len(go), alarms, len(no_go))
    stated = [result.encoded for result in results if result.encoded is not None]
    return Rates(
        trials=len(of),
        go=len(go),
        passed=passed,
        accuracy=_share(passed, len(of)),
        interval=wilson(passed * trials / len(of), trials) if of else None,
        miss_rate=_share(sum(result.miss for result in go), len(go)),
        late_rate=_share(sum(result.late for result in go), len(go)),
        false_alarm_rate=_share(sum(result.false_alarm for result in results), len(of)),
        no_go_false_alarm_rate=_share(alarms, len(no_go)),
        wrong_content_rate=_share(sum(result.wrong_content for result in results), len(of)),
        slip_rate=_share(sum(result.slip for result in results), len(of)),
        ongoing=_share(sum(result.ongoing for result in results), len(of)),
        d_prime=found[0] if found else None,
        criterion=found[1] if found else None,
        malformed=sum(result.malformed for result in results),
        stated=_share(len(stated), len(of)),
        encoded=_share(sum(stated), len(stated)),
    )


GROUPS: dict[str, Callable[[Trial], str]] = {
    "subset": lambda trial: trial.subset,
    "world": lambda trial: trial.world,
    "type": lambda trial: trial.kind,
    "subset_type": lambda trial: f"{trial.subset} {trial.kind}",
    "interference": lambda trial: trial.interference,
    "delay": lambda trial: delay_band(trial.delay),
    "specificity": lambda trial: trial.specificity,
    "go": lambda trial: "go" if trial.go else "no-go",
}
"""The dimensions by which results are split."""


def delay_band(delay: int) -> str:
    """Return the band of ``delay``: the bounds of the subsets and their middles."""
    for top in (5, 8, 12, 17, 22):
        if delay <= top:
            return f"<={top:02d}"
    return ">22"


def grouped(pairs: Sequence[Pair], by: str) -> dict[str, Rates]:
    """Return the rates of each group of the dimension ``by``, in order of the groups' names."""
    groups: dict[str, list[Pair]] = {}
    for trial, result in pairs:
        groups.setdefault(GROUPS[by](trial), []).append((trial, result))
    return {name: rates(groups[name]) for name in sorted(groups)}


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None
