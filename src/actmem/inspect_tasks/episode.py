"""An episode as a sample: what is common to the suites' tasks.

The episode is played in a worker thread, by the agents of ``actmem run``. Its trace goes line by
line into the sample's store; scores come from there, by replay. An episode that fails is the sample's
error, so that ``inspect eval-retry`` plays it anew, and is scored all the same: what was not played
counts as empty acts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Literal, TypeVar

import anyio
import anyio.to_thread
import click
import msgspec
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver, TaskState
from msgspec import Meta, Struct

from actmem.errors import ActMemError, IncompleteError, InputError, StoppedError
from actmem.inspect_tasks.chat import CONFIG, InspectChat, SchemaForm
from actmem.trace import Event, Footer, Header, Trace, now, parse_trace, versions

FORMAT: Literal["actmem-inspect-1"] = "actmem-inspect-1"
OURS = "actmem"
"""Key of what is ours in a log's metadata."""
TRACE = "actmem:trace"
"""Key of an episode's trace in its sample's store: a list of the trace's lines."""
UNIT = "actmem:unit"
"""Key of the scenario or trial in its sample's metadata."""

T = TypeVar("T")


class OptionError(InputError, click.ClickException):
    """A ``-T`` option is wrong. Inspect's command line prints one line, and exits with 2."""


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``-T`` may set for every suite."""

    window: Annotated[int, Meta(ge=512)] | None = None
    """Tokens of prompt and reply that the model takes, where that is less than the history."""
    schema: SchemaForm = "auto"


class Logged(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a log's metadata say of a run, under the key ``OURS``."""

    format: Literal["actmem-inspect-1"] = FORMAT
    suite: str
    scorer: int
    """Version of the suite's scorer."""
    versions: dict[str, str]
    settings: dict[str, Any]
    """Settings of the suite, as in a run folder's manifest."""
    setup: str
    units: dict[str, str]
    """SHA-256 by unit."""


def checked(options: Mapping[str, Any], kind: type[T], known: Sequence[str]) -> T:
    """Return options as ``kind``; ``InputError`` for a name that is not ``known``, or a bad value."""
    for name in options:
        if name not in known:
            raise InputError(f"there is no such option; there are {', '.join(known)}", f"-T {name}")
    try:
        return msgspec.convert(options, kind)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$.")
        raise InputError(problem, f"-T {path.strip('`')}") from None


@contextmanager
def refused() -> Iterator[None]:
    """Let what is wrong with an option come out as Inspect's command line prints it."""
    try:
        yield
    except ActMemError as error:
        raise OptionError(str(error)) from None


def make_task(
    suite: str, setup: str, samples: Sequence[Sample], units: Mapping[str, str], *,
    settings: dict[str, Any], version: int, plays: Solver, counts: Scorer,
    config: GenerateConfig = CONFIG,
) -> Task:  # fmt: skip
    """Return a task that scores failed episodes, and whose log says all that moves a number.

    ``units`` are digests by sample; ``version`` is that of the suite's scorer.
    """
    logged = Logged(
        suite=suite,
        scorer=version,
        versions={"actmem": versions()["actmem"]},
        settings=settings,
        setup=setup,
        units=dict(units),
    )
    return Task(
        dataset=MemoryDataset([*samples], name=suite),
        solver=plays,
        scorer=counts,
        config=config,
        # Inspect would else leave a failed sample out of the metrics, and stop at the first.
        continue_on_fail=True,
        score_on_error=True,
        version=version,
        metadata={OURS: msgspec.to_builtins(logged)},
    )


def begun(
    suite: str, unit: str, digest: str, setup: str, chat: InspectChat,
    settings: Mapping[str, Any], privilege: str,
) -> Header:  # fmt: skip
    """Return the header of an episode that begins now: as of ``actmem run``, but without a seed."""
    who = {"setup": setup, "model": chat.name, "model_settings": dict(chat.settings)}
    return Header(
        suite=suite,
        unit=unit,
        unit_digest=digest,
        agent=f"{setup} {chat.name}",
        settings={**who, **settings},
        privilege=privilege,
        versions=versions(),
        started=now(),
    )


Write = Callable[[Event], None]


async def play_sample(
    state: TaskState, chat: InspectChat, header: Header, episode: Callable[[Write], Footer]
) -> TaskState:
    """Play an episode in a thread, and its trace into the store.

    Raises ``IncompleteError`` where it failed, or what of Inspect's ended it.
    """
    lines: list[Any] = state.store.get(TRACE, [])

    def write(event: Event) -> None:
        lines.append(msgspec.to_builtins(event))

    write(header)
    started = time.perf_counter()
    try:
        # A limiter of its own: episodes must not take the threads that a provider may need.
        footer = await anyio.to_thread.run_sync(episode, write, limiter=anyio.CapacityLimiter(1))
    except StoppedError as stopped:
        await anyio.lowlevel.checkpoint()  # a sample that was cancelled ends here
        write(Footer(status="failed", error=str(stopped)))
        raise (chat.limit or stopped) from None
    write(msgspec.structs.replace(footer, seconds=round(time.perf_counter() - started, 3)))
    if chat.last is not None:
        state.messages, state.output = [*chat.sent, chat.last.message], chat.last
    if footer.status == "failed":
        raise IncompleteError(footer.error)
    return state


def trace_of(state: TaskState, events: Any) -> Trace[Any] | None:
    """Return the trace in a sample's store, None where the episode was never begun."""
    data = trace_file(state.store.get(TRACE))
    return parse_trace(data, events, str(state.sample_id)) if data else None


def trace_file(lines: Sequence[Any] | None) -> bytes:
    """Return the lines of a stored trace as a file."""
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines or ())


def as_tuple(given: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return what ``-T`` gives as one word or as several, with commas between."""
    return (given,) if isinstance(given, str) else given


def ended(status: str) -> dict[str, int]:
    """Return the part of a score's value that says how the episode ended."""
    return {"scored": int(status == "complete"), "failed": int(status == "failed")}


def coverage(values: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the share of episodes that were played to their end."""
    return sum(value["scored"] for value in values) / len(values) if values else None
