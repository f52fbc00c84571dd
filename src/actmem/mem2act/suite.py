"""The mem2act suite as the runner sees it: an episode is a whole data set, answered by one system.

Each episode writes the history to a fresh memory, session by session, then reads for every task and
has the model make the call. All of it goes into the trace: sessions written, passages, replies,
calls. A run that broke off writes and reads again, which costs no call: replies come from the
trace, those of a memory's own steps too, and where passages differ from the recorded ones the
episode starts anew. An episode that failed because the endpoint died or a memory raised goes on in
the same way.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from actmem.errors import DivergedError, InputError, ProviderError, StoppedError
from actmem.files import decode, read_bytes
from actmem.hashing import canonical
from actmem.mem2act.data import LIMIT, Dataset, Session, Task
from actmem.mem2act.history import History
from actmem.mem2act.reader import ask, reader_digest
from actmem.mem2act.record import Answered, MemEvent, Read, Record, Wrote
from actmem.memory.embedder import Embedder, WatchedEmbedder
from actmem.memory.metered import Fallible, Metered
from actmem.memory.model import Model
from actmem.memory.open import EmbedderSpec, find_embedder
from actmem.memory.protocol import BUDGET, PAIR, Passage
from actmem.memory.registry import BUILT_IN, Parts, find_memory
from actmem.models.chat import Chat, Usage
from actmem.models.price import Price
from actmem.models.prompts import prompts_digest
from actmem.models.tape import Called, Tape
from actmem.plugin import source
from actmem.run.plan import Episode, Manifest, make_header, plan_run
from actmem.run.raised import describe, is_interrupt, one_line
from actmem.run.store import RunFolder
from actmem.trace import Event, Footer, Header

NAME = "mem2act"
TOOL_GIVEN = "tool-given"
"""The reader is shown the right tool alone: the paper's main experiment."""
CATALOG = "catalog"
"""The reader chooses among the right tool and hard negatives."""

SHARED = ("budget", "pair", "setting", "negatives", "prompts", "embedder")
"""Settings of a run that stand in the header of each episode."""


class Unit(Struct, frozen=True):
    """A data set as the run folder keeps it."""

    name: str
    tasks: tuple[Task, ...]
    sessions: tuple[Session, ...]
    tools: tuple[dict[str, Any], ...]


def unit_file(data: Dataset) -> dict[str, bytes]:
    """Return the file that a run folder keeps of the data."""
    return {data.name: canonical(Unit(data.name, data.tasks, data.sessions, data.more_tools))}


def agent_name(memory: str, model: str) -> str:
    """Return how a system is named: the memory, and the model where there is one."""
    return f"{memory} + {model}" if model else memory


def make_manifest(
    data: Dataset,
    memories: Sequence[str],
    models: Mapping[str, Mapping[str, Any]],
    *,
    budget: int = BUDGET,
    top: int | None = None,
    embedder: EmbedderSpec | None = None,
    shown: Mapping[str, Sequence[str]] | None = None,
    repeats: int = 1,
    seed: int = 0,
) -> Manifest:
    """Plan a run: every memory with every model (settings by name; none for retrieval alone).

    ``top`` is for memories that rank turns (``find_memory``), ``embedder`` for those that embed:
    MiniLM where it is not given. ``shown`` are the tools that each task shows
    (``negatives.choices``), without them the right one.
    Raises ``InputError`` for an unknown memory and a budget that is none.
    """
    if budget < 1:
        raise InputError("a budget is at least 1 token", "--budget")
    specs = {memory: find_memory(memory, top) for memory in memories}
    if not specs:
        raise InputError("names no memory", "--memory")
    if top is not None and not any(spec.ranks for spec in specs.values()):
        raise InputError("no memory of this run takes it", "--top")
    for name, spec in specs.items():
        if "model" in spec.needs and not models:
            raise InputError("calls a model: give one with --model", f"memory {name}")
    systems = {
        agent_name(name, model): {
            "memory": name,
            "model": model,
            "privilege": spec.privilege,
            "constants": dict(spec.settings),
        }
        | ({} if name in BUILT_IN else source(name, "memory"))
        for model in models or [""]
        for name, spec in specs.items()
    }
    settings: dict[str, Any] = {
        "budget": budget,
        "pair": PAIR,
        "setting": CATALOG if shown else TOOL_GIVEN,
        "negatives": negatives(shown or {}),
        "shown": {name: list(tools) for name, tools in (shown or {}).items()},
        "models": {name: dict(options) for name, options in models.items()},
        "prompts": {"reader": reader_digest(), "dialogue": prompts_digest()},
    }
    if top is not None:
        settings["top"] = top
    if any("embedder" in spec.needs for spec in specs.values()):
        settings["embedder"] = dict((embedder or find_embedder()).settings)
    units = {data.name: data.digest}
    return plan_run(NAME, units, systems, settings, seed=seed, repeats=repeats)


def negatives(shown: Mapping[str, Sequence[str]]) -> int:
    """Return how many hard negatives stand beside the right tool, by what tasks show."""
    return max((len(tools) - 1 for tools in shown.values()), default=0)


class _FailedError(Exception):
    """A memory raised; the text says what."""


class Mem2ActSuite:
    """The ``Suite`` of a run folder. ``models`` opens a model by name; scoring needs none."""

    name = NAME
    events: Any = MemEvent

    def __init__(
        self,
        folder: RunFolder,
        models: Mapping[str, Chat] | None = None,
        embedder: Callable[[], Embedder] | None = None,
        on_step: Callable[[], None] | None = None,
        on_call: Callable[[Usage], None] | None = None,
        prices: Mapping[str, Price] | None = None,
    ) -> None:
        """``on_step`` and ``on_call`` are called after each step and each new call of a model.

        ``prices`` are those of the models, where they are known, for the record.
        """
        if folder.manifest.suite != NAME:
            raise InputError(f"is a run of the suite {folder.manifest.suite!r}", folder.path)
        self.folder = folder
        self._models = models or {}
        self._embedder = embedder
        self._on_step = on_step or (lambda: None)
        self._on_call = on_call or (lambda _: None)
        self._prices = prices or {}
        self.history = History(self._load())

    def _load(self) -> Dataset:
        ((unit, expected),) = self.folder.manifest.units.items()
        path = self.folder.unit_path(unit)
        found = decode(read_bytes(path, LIMIT), Unit, path)
        data = Dataset(found.name, found.tasks, found.sessions, found.tools)
        if data.digest != expected:
            raise InputError("is not the data set that the manifest names", path)
        return data

    def header(self, episode: Episode) -> Header:
        """Return the header of the episode's trace."""
        privilege = str(episode.settings["privilege"])
        return make_header(self.folder.manifest, episode, privilege, SHARED, self._prices)

    def play(
        self, episode: Episode, recorded: Sequence[MemEvent], write: Callable[[Event], None]
    ) -> Footer:
        """Write the history to a fresh memory and answer every task."""
        record = Record(recorded, write)
        name = str(episode.settings["model"])
        chat = self._models[name] if name else None

        def called(event: Called) -> None:
            write(event)
            self._on_call(event.completion.usage)

        tape = Tape([e for e in recorded if isinstance(e, Called)], called)
        model = Model(chat, tape) if chat is not None else None
        try:
            memory = self._make(episode, model)
            try:
                self._write(memory, record)
                usable = 0
                for task in self.history.data.tasks:
                    passages = self._read(memory, task, record)
                    if chat is not None:
                        usable += self._answer(chat, tape, task, passages, record)
                    self._on_step()
            except BaseException:
                with suppress(_FailedError):  # what went wrong before is what is told
                    _run((), memory.close)
                raise
            _run(memory.parts, memory.close)
        except ProviderError as error:
            return Footer(status="failed", error=one_line(str(error)), provider=True, resumes=True)
        except _FailedError as error:
            return Footer(status="failed", error=str(error), resumes=True)
        if chat is not None and not usable:
            return Footer(status="failed", error="the model gave no valid reply to any task")
        return Footer(status="complete")

    def _make(self, episode: Episode, model: Model | None) -> Metered:
        """Make the episode's memory, with an empty folder where it asks for one."""

        def opened() -> Model:
            if model is None:
                raise InputError("calls a model, and there is none")
            return model

        def folder() -> Path:
            path = self.folder.path / "memories" / episode.id
            if path.exists():  # of a run that broke off: the tape makes it anew
                shutil.rmtree(path)
            path.mkdir(parents=True)
            return path

        top = self.folder.manifest.settings.get("top")
        spec = find_memory(str(episode.settings["memory"]), top)
        parts: list[Fallible] = [] if model is None else [model]

        def embedder() -> Embedder:
            if self._embedder is None:
                raise InputError("no embedder was given")
            watched = WatchedEmbedder(self._embedder())
            parts.append(watched)
            return watched

        made = _run(parts, spec.make, Parts(embedder, opened, folder))
        return Metered(made, model, parts)

    def _write(self, memory: Metered, record: Record) -> None:
        """Write the sessions, two turns at a time."""
        last = len(self.history.data.sessions) - 1
        for number, session in enumerate(self.history.by_session()):
            before = memory.counts
            for start in range(0, len(session), PAIR):
                _run(memory.parts, memory.write, session[start : start + PAIR])
            if number == last:
                _run(memory.parts, memory.finish)
            after = memory.counts
            record.take(
                Wrote(
                    session=number,
                    turns=after.turns - before.turns,
                    tokens=after.write_tokens - before.write_tokens,
                    seconds=round(after.write_seconds - before.write_seconds, 6),
                    usage=after.write_usage - before.write_usage,
                )
            )
            self._on_step()

    def _read(self, memory: Metered, task: Task, record: Record) -> Sequence[Passage]:
        """Read for a task."""
        before = memory.counts
        budget = int(self.folder.manifest.settings["budget"])
        passages = _run(memory.parts, memory.read, self.history.evidence(task), budget)
        counts = memory.counts
        record.take(
            Read(
                qa_id=task.qa_id,
                passages=tuple(passages),
                seconds=counts.read_seconds[-1],
                usage=counts.read_usage - before.read_usage,
                cut=counts.over_budget > before.over_budget,
            )
        )
        return list(passages)

    def _answer(
        self, chat: Chat, tape: Tape, task: Task, passages: Sequence[Passage], record: Record
    ) -> bool:
        """Have the model make the call; returns whether it made one."""
        tools = self.history.data.tools
        names = self.folder.manifest.settings["shown"].get(task.qa_id, [task.tool])
        own = {task.tool: task.target_tool_schema}  # other tasks may call another of that name
        shown = [{**own.get(name, tools[name]), "name": name} for name in names]
        found, invalid, problem = ask(chat, tape, task.qa_id, task.query, shown, passages)
        record.take(
            Answered(
                qa_id=task.qa_id,
                name=found.name,
                arguments=found.arguments,
                invalid=invalid,
                problem=problem,
            )
        )
        return found.usable


def _run(parts: Sequence[Fallible], call: Callable[..., Any], *given: Any) -> Any:
    """Call into a memory; what it raises fails the episode.

    A failure of model or embedder, the memory's ``parts``, comes before: it is raised as it was, even
    where the memory hides it.
    """
    try:
        result = call(*given)
    except (ProviderError, DivergedError, StoppedError):
        raise
    except BaseException as error:  # a memory's failure is an episode's, not a crash
        if is_interrupt(error):
            raise
        _raise_failure(parts)
        raise _FailedError(f"memory: {describe(error)}") from error
    _raise_failure(parts)
    return result


def _raise_failure(parts: Sequence[Fallible]) -> None:
    for part in parts:
        if part.failure is not None:
            raise part.failure from None


__all__ = ["Mem2ActSuite", "agent_name", "make_manifest", "unit_file"]
