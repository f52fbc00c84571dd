"""The task ``actmem/trials``: a sample is a trial."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from msgspec import Meta

from actmem.inspect_tasks.chat import CONFIG, InspectChat, SchemaForm
from actmem.inspect_tasks.episode import (
    UNIT,
    Options,
    Write,
    as_tuple,
    begun,
    checked,
    coverage,
    ended,
    make_task,
    play_sample,
    refused,
    trace_of,
)
from actmem.models.tape import Called, Tape
from actmem.models.wording import words
from actmem.trace import Footer
from actmem.trials import MAX_TOKENS
from actmem.trials.agents.setups import (
    HISTORY_TOKENS,
    PASSAGE_TOKENS,
    SetupOptions,
    bound,
    built_in,
    find_setup,
    make_agent,
)
from actmem.trials.judge import judge
from actmem.trials.play import Replied, play
from actmem.trials.score import SCORER, TrialResult
from actmem.trials.select import choose, load
from actmem.trials.stats import grouped, rates
from actmem.trials.suite import NAME
from actmem.trials.trial import Trial

SHOWN = ("accuracy", "miss_rate", "late_rate", "false_alarm_rate", "no_go_false_alarm_rate",
         "wrong_content_rate", "slip_rate", "ongoing", "stated", "encoded", "d_prime", "criterion")  # fmt: skip
"""The rates over all trials that are metrics."""


class TrialsOptions(Options, frozen=True, kw_only=True):
    """What ``-T`` may set."""

    setup: str = "base"
    """How the model is put to work."""
    subset: str | tuple[str, ...] = ()
    trial: str | tuple[str, ...] = ()
    """Ids of trials to play."""
    file: str | None = None
    """Trials to play instead of the released set."""
    history_tokens: Annotated[int, Meta(ge=1000)] = HISTORY_TOKENS
    passage_tokens: Annotated[int, Meta(ge=1)] = PASSAGE_TOKENS
    """Tokens of what a memory adds to a prompt."""
    prompts: str | None = None
    """Folder of prompts."""


@task
def trials(**options: Any) -> Task:
    """Play unit tests of one deferred intention each, in four small worlds.

    ``options`` are the fields of ``TrialsOptions``; anything else is refused.
    """
    with refused():
        given = _read(options)
        setup_options = _setup_options(given.history_tokens, given.passage_tokens, given.prompts)
        if find_setup(given.setup).memory:
            setup_options.embedder.open()  # found missing now, and not in the first episode
        chosen = _trials(given)
    settings = setup_options.settings([given.setup])
    del settings["characters"]  # it follows from most tokens, which Inspect may set otherwise
    return make_task(
        NAME,
        given.setup,
        [_sample(trial) for trial in chosen],
        {trial.id: trial.digest() for trial in chosen},
        settings={"seed": 0} | settings,
        version=SCORER,
        plays=play_trial(
            setup=given.setup,
            history_tokens=given.history_tokens,
            passage_tokens=given.passage_tokens,
            prompts=given.prompts,
            window=given.window,
            schema=given.schema,
        ),
        counts=trial_verdict(),
        config=CONFIG.merge(GenerateConfig(max_tokens=MAX_TOKENS)),
    )


def _read(options: Mapping[str, Any]) -> TrialsOptions:
    return checked(options, TrialsOptions, TrialsOptions.__struct_fields__)


def _trials(given: TrialsOptions) -> list[Trial]:
    source = load(Path(given.file)) if given.file else None
    subsets = ",".join(as_tuple(given.subset)) if given.subset else None
    return choose(subsets, as_tuple(given.trial), source)


def _sample(trial: Trial) -> Sample:
    about = f"{trial.world}, {trial.kind}, {trial.steps} steps: {trial.intention}"
    return Sample(id=trial.id, input=about, metadata={UNIT: msgspec.to_builtins(trial)})


def trials_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the trials that a task with ``options`` plays, by id, as data."""
    return {trial.id: msgspec.to_builtins(trial) for trial in _trials(_read(options))}


def _setup_options(history_tokens: int, passage_tokens: int, prompts: str | None) -> SetupOptions:
    return SetupOptions(
        words=words(built_in(), Path(prompts) if prompts else None),
        history_tokens=history_tokens,
        passage_tokens=passage_tokens,
    )


@solver
def play_trial(
    setup: str, history_tokens: int, passage_tokens: int, prompts: str | None,
    window: int | None, schema: SchemaForm,
) -> Solver:  # fmt: skip
    """Play a sample's trial with an agent of a setup."""
    given = _setup_options(history_tokens, passage_tokens, prompts)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        trial = _trial(state.metadata)
        chat = InspectChat(get_model(), schema, window)
        most = chat.config.max_tokens or MAX_TOKENS
        options = msgspec.structs.replace(given, characters=bound(most))
        settings, privilege = options.settings([setup]), find_setup(setup).privilege
        header = begun(NAME, trial.id, trial.digest(), setup, chat, settings, privilege)

        def episode(write: Write) -> Footer:
            agent = make_agent(setup, trial, chat, Tape(write=write), options)
            return play(agent, trial, (), write)

        return await play_sample(state, chat, header, episode)

    return solve


def _trial(metadata: Mapping[str, Any] | None) -> Trial:
    return msgspec.convert((metadata or {})[UNIT], Trial)


@metric(scores="unreduced")
def trials_rates() -> Metric:
    """Rates over all samples, the accuracy of each subset, and the share played to its end."""

    def pool(scores: list[SampleScore]) -> Value:
        pairs = [
            (
                _trial(score.sample_metadata),
                msgspec.convert((score.score.metadata or {})["verdict"], TrialResult),
            )
            for score in scores
        ]
        found: dict[str, Any] = msgspec.to_builtins(rates(pairs))
        subsets = {
            f"accuracy_{name}": part.accuracy for name, part in grouped(pairs, "subset").items()
        }
        values = [score.score.as_dict() for score in scores]
        return {n: found[n] for n in SHOWN} | subsets | {"coverage": coverage(values)}

    return pool


@scorer(metrics=[trials_rates()])
def trial_verdict() -> Scorer:
    """Judge by replay of the trace in the store; a trial that broke off has not passed."""

    async def score(state: TaskState, target: Target) -> Score:
        trace = trace_of(state, Replied | Called)
        events, footer = (trace.events, trace.footer) if trace else ((), None)
        trial = _trial(state.metadata)
        played = judge(trial, events, footer)
        verdict: dict[str, Any] = msgspec.to_builtins(played.result)
        faults = ("miss", "late", "false_alarm", "wrong_content", "slip")
        told = [name.replace("_", " ") for name in ("passed", "hit", *faults) if verdict[name]]
        return Score(
            value={name: int(verdict[name]) for name in ("passed", "hit", *faults)}
            | {"go": int(trial.go)}
            | ended(played.status),
            explanation=": ".join(filter(None, (", ".join((played.status, *told)), played.error))),
            metadata={"verdict": verdict},
        )

    return score
