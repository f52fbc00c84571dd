"""The task ``actmem/week``: a sample is a week."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from msgspec import Meta

from actmem.errors import InputError
from actmem.inspect_tasks.chat import InspectChat, SchemaForm
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
from actmem.week.agents.protocol import Form
from actmem.week.agents.setups import HISTORY_TOKENS, SetupOptions, find_setup, make_agent
from actmem.week.agents.wording import built_in
from actmem.week.heartbeat import Nudge
from actmem.week.judge import judge
from actmem.week.make import Knobs
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.play import WeekEvent, play
from actmem.week.results import rates
from actmem.week.scenario import Scenario, dump
from actmem.week.score import METRICS, SCORER
from actmem.week.standard import choose_weeks
from actmem.week.suite import NAME, privilege
from actmem.week.world import World

KNOBS = tuple(Knobs.__dataclass_fields__)


class WeekOptions(Options, frozen=True, kw_only=True):
    """What ``-T`` may set, beside the generator's knobs."""

    setup: str = "single"
    """How the model is put to work: a live setup."""
    weeks: Annotated[int, Meta(ge=1)] = 5
    seed: int | None = None
    """Seed of the first week; None for the standard set."""
    scenario: str | tuple[str, ...] = ()
    """Files to play instead."""
    nudge: Nudge = "channels"
    form: Form = "list"
    history_tokens: Annotated[int, Meta(ge=1000)] = HISTORY_TOKENS
    prompts: str | None = None
    """Folder of prompts."""


@task
def week(**options: Any) -> Task:
    """Play simulated weeks: is each deferred thing done exactly when it is due?

    ``options`` are the fields of ``WeekOptions`` and of ``Knobs``; anything else is refused.
    """
    with refused():
        given, knobs = _read(options)
        if replayed := find_setup(given.setup).replays:
            raise InputError(f"it replays a {replayed} run: use actmem run week", "-T setup")
        setup_options = _setup_options(given.form, given.history_tokens, given.prompts)
        plans = [prepare(scenario) for scenario in _weeks(given, knobs)]
    samples = [
        Sample(
            id=plan.scenario.scenario_name,
            input=f"{len(plan.days)} days, {sum(len(day.times) for day in plan.days)} steps",
            metadata={UNIT: msgspec.json.decode(dump(plan.scenario))},
        )
        for plan in plans
    ]
    return make_task(
        NAME,
        given.setup,
        samples,
        {plan.scenario.scenario_name: plan.digest for plan in plans},
        settings={"seed": given.seed or 0, "nudge": given.nudge} | setup_options.settings,
        version=SCORER,
        plays=play_week(
            setup=given.setup,
            nudge=given.nudge,
            form=given.form,
            history_tokens=given.history_tokens,
            prompts=given.prompts,
            window=given.window,
            schema=given.schema,
        ),
        counts=week_counts(),
    )


def _read(options: Mapping[str, Any]) -> tuple[WeekOptions, Knobs]:
    """Return checked options; raises ``InputError`` for an unknown name or a bad value."""
    knobs = {name: value for name, value in options.items() if name in KNOBS}
    if isinstance(knobs.get("channels"), str):
        knobs["channels"] = [knobs["channels"]]
    rest = {name: value for name, value in options.items() if name not in KNOBS}
    given = checked(rest, WeekOptions, (*WeekOptions.__struct_fields__, *KNOBS))
    return given, checked(knobs, Knobs, KNOBS)


def _weeks(given: WeekOptions, knobs: Knobs) -> list[Scenario]:
    files = as_tuple(given.scenario)
    if files and knobs != Knobs():
        raise InputError("a file's week has no knobs; leave one out", "-T scenario")
    return choose_weeks(given.weeks, [Path(file) for file in files], given.seed, knobs)


def weeks_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the weeks that a task with ``options`` plays, by name, as data."""
    return {w.scenario_name: msgspec.json.decode(dump(w)) for w in _weeks(*_read(options))}


def _setup_options(form: Form, history_tokens: int, prompts: str | None) -> SetupOptions:
    wording = words(built_in(), Path(prompts) if prompts else None)
    return SetupOptions(words=wording, form=form, history_tokens=history_tokens)


@solver
def play_week(
    setup: str, nudge: Nudge, form: Form, history_tokens: int, prompts: str | None,
    window: int | None, schema: SchemaForm,
) -> Solver:  # fmt: skip
    """Play a sample's week with an agent of a live setup."""
    options = _setup_options(form, history_tokens, prompts)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        plan = _plan(state)
        chat = InspectChat(get_model(), schema, window)
        unit, settings = plan.scenario.scenario_name, {"nudge": nudge, **options.settings}
        labels = privilege("", setup, nudge)
        header = begun(NAME, unit, plan.digest, setup, chat, settings, labels)

        def episode(write: Write) -> Footer:
            agent = make_agent(setup, chat, Tape(write=write), options)
            return play(agent, World(plan, nudge), write)

        return await play_sample(state, chat, header, episode)

    return solve


def _plan(state: TaskState) -> WeekPlan:
    return prepare(msgspec.convert(state.metadata[UNIT], Scenario))


@metric(scores="unreduced")
def week_rates() -> Metric:
    """Rates of the counts pooled over all samples, and the share that was played to its end."""

    def pool(scores: list[SampleScore]) -> Value:
        values = [score.score.as_dict() for score in scores]
        total = {name: sum(int(value[name] or 0) for value in values) for name in METRICS}
        found: dict[str, float | None] = msgspec.to_builtins(rates(total))
        return {**found, "coverage": coverage(values)}

    return pool


@scorer(metrics=[week_rates()])
def week_counts() -> Scorer:
    """Count by replay of the trace in the store; what was not played counts as empty acts."""

    async def score(state: TaskState, target: Target) -> Score:
        trace = trace_of(state, WeekEvent | Called)
        events, footer = (trace.events, trace.footer) if trace else ((), None)
        played = judge(_plan(state), events, footer)
        counts = played.score.summary
        told = f"TP {counts['set_tp']}, FP {counts['set_fp']}, FN {counts['set_fn']}"
        return Score(
            value={**counts, **ended(played.status), "invalid": played.invalid},
            explanation=": ".join(filter(None, (f"{played.status}, {told}", played.error))),
        )

    return score
