"""Speed of the trials suite: world steps, making the set, playing and scoring it by the oracle."""

from typing import Any

from actmem.trials.agents.agent import play
from actmem.trials.agents.floors import floor
from actmem.trials.make import make
from actmem.trials.released import SEED, SIZES, released
from actmem.trials.score import score
from actmem.trials.world import Episode


def test_world_steps(benchmark: Any) -> None:
    """All steps of the released set, with observations worded; bar: 20,000 steps a second."""
    trials = released()
    replies = [play(t, floor("ongoing-only", t)) for t in trials]
    steps = sum(t.steps for t in trials)

    def run() -> None:
        for trial, texts in zip(trials, replies, strict=True):
            episode = Episode(trial)
            episode.reset()
            for text in texts:
                observation = episode.act(text)
                if observation is not None:
                    assert observation.text

    benchmark(run)
    benchmark.extra_info["steps_per_second"] = round(steps / benchmark.stats.stats.median)
    assert steps / benchmark.stats.stats.median >= 20_000


def test_make_the_released_set(benchmark: Any) -> None:
    """Make all 234 trials, audits included."""
    made = benchmark(lambda: [t for s in SIZES for t in make(SEED, s, SIZES[s])])
    assert len(made) == 234


def test_oracle(benchmark: Any) -> None:
    """Play and score the released set by the oracle; bar: 10,000 trials in 20 s."""
    trials = released()

    def run() -> int:
        return sum(score(t, play(t, floor("oracle", t))).passed for t in trials)

    assert benchmark(run) == len(trials)
    assert benchmark.stats.stats.median * 10_000 / len(trials) <= 20
