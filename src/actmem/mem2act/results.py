"""What a run amounts to: one row a system and model, from the data and the traces alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from actmem.mem2act.analyse import Analysis, analyse
from actmem.mem2act.predictions import Prediction
from actmem.mem2act.record import Answered, Read, Wrote
from actmem.mem2act.retrieval import Retrieval, retrieval
from actmem.mem2act.score import CallScore, Result, score
from actmem.mem2act.suite import Mem2ActSuite, negatives
from actmem.memory.model import STEP
from actmem.memory.packing import spent
from actmem.memory.protocol import Passage, Usage
from actmem.models.chat import Usage as ModelUsage
from actmem.models.tape import Called
from actmem.run.coverage import Status
from actmem.run.plan import Episode


class Cost(Struct, frozen=True, kw_only=True):
    """What a system took; seconds are as measured, on whatever machine."""

    write_tokens: int
    write_seconds: float
    write_p50: float | None
    """Seconds of writing a session: the median, and below it 95 in 100."""
    write_p95: float | None
    write_usage: Usage
    """Model calls of the memory while writing."""
    read_tokens: int
    """Tokens of all passages."""
    read_p50: float | None
    """Seconds of a read, in the same way."""
    read_p95: float | None
    cut: int
    """Reads that gave more than the budget, and were cut."""
    read_usage: Usage
    reader: ModelUsage
    """Model calls that made the tool calls."""
    paid: float | None
    """What all calls cost, the memory's own included; None where the cost of one is not known."""
    answer_p50: float | None
    """Seconds of a reader's call."""
    answer_p95: float | None


class Row(Struct, frozen=True, kw_only=True):
    """One episode, scored. Tasks that were not reached have no passages and no call."""

    agent: str
    memory: str
    model: str
    privilege: str
    repeat: int
    negatives: int
    """Hard negatives beside the right tool; 0 where that alone is shown."""
    status: Status
    error: str
    planned: int
    """Tasks."""
    answered: int
    """Tasks that were reached; with a usable call or not."""
    invalid: int
    """Replies of the model that could not be used."""
    scores: Result | None
    """None for retrieval alone."""
    retrieval: dict[str, Retrieval]
    analysis: Analysis | None
    cost: Cost
    constants: dict[str, Any]
    """The memory's settings, as its class states them; ``note`` is shown below tables."""
    gain: float | None = None
    """F1 less that of ``none`` in the same group."""

    @property
    def title(self) -> str:
        """How tables call it: hard negatives and repeats are told apart."""
        parts = [self.agent]
        if self.negatives:
            parts.append(f"{self.negatives} negative{'s' * (self.negatives > 1)}")
        if self.repeat:
            parts.append(f"repeat {self.repeat + 1}")
        return ", ".join(parts)

    @property
    def group(self) -> tuple[str, int, int]:
        """Model, repeat and negatives: systems of one group are compared with each other."""
        return self.model, self.repeat, self.negatives

    @property
    def by_task(self) -> dict[str, CallScore]:
        """Scores by task, for pairs; empty for retrieval alone."""
        return self.scores.by_task if self.scores else {}

    def plain(self) -> dict[str, Any]:
        """Return the row as plain data."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        fields["scores"] = self.scores.row() if self.scores else None
        return fields


def results(suite: Mem2ActSuite) -> list[Row]:
    """Score all planned episodes, in the manifest's order."""
    return with_gains([_row(suite, episode) for episode in suite.folder.manifest.episodes])


def shortfalls(rows: Iterable[Row]) -> list[str]:
    """Return a line for each row below full coverage: whose, how far it came, and why."""
    return [
        f"{row.agent}: {row.answered} of {row.planned} tasks"
        + (f": {row.error}" if row.error else "")
        for row in rows
        if row.status != "complete"
    ]


def with_gains(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with their gain over ``none``, of whichever run it is."""
    floors = {
        row.group: row.scores.all.f1
        for row in rows
        if row.memory == "none" and row.scores is not None and row.status == "complete"
    }
    return [msgspec.structs.replace(row, gain=_gain(row, floors)) for row in rows]


def _gain(row: Row, floors: dict[tuple[str, int, int], float | None]) -> float | None:
    floor = floors.get(row.group)
    if row.scores is None or row.scores.all.f1 is None or floor is None:
        return None
    return row.scores.all.f1 - floor


def _row(suite: Mem2ActSuite, episode: Episode) -> Row:
    trace = suite.folder.trace(episode, suite.events)
    events = trace.events if trace else ()
    read = {event.qa_id: event.passages for event in events if isinstance(event, Read)}
    answers = {event.qa_id: event for event in events if isinstance(event, Answered)}
    tasks = suite.history.data.tasks
    passages: dict[str, Sequence[Passage]] = {t.qa_id: read.get(t.qa_id, ()) for t in tasks}
    predictions = {name: Prediction(name, a.name, a.arguments) for name, a in answers.items()}
    model = str(episode.settings["model"])
    reached = answers if model else read
    footer = trace.footer if trace else None
    status: Status = "missing"
    if footer is not None:
        whole = footer.status == "complete" and len(reached) == len(tasks)
        status = "complete" if whole else "failed"
    return Row(
        agent=episode.agent,
        memory=str(episode.settings["memory"]),
        model=model,
        privilege=str(episode.settings["privilege"]),
        repeat=episode.repeat,
        negatives=negatives(suite.folder.manifest.settings["shown"]),
        status=status,
        error=footer.error if footer else "",
        planned=len(tasks),
        answered=len(reached),
        invalid=sum(answer.invalid for answer in answers.values()),
        scores=score(suite.history.data, predictions) if model else None,
        retrieval=retrieval(suite.history, passages),
        analysis=analyse(suite.history, predictions, passages) if model else None,
        cost=_cost(events),
        constants=dict(episode.settings["constants"]),
    )


def _cost(events: Sequence[Any]) -> Cost:
    wrote = [event for event in events if isinstance(event, Wrote)]
    read = [event for event in events if isinstance(event, Read)]
    called = [event for event in events if isinstance(event, Called)]
    reader = [e.completion.usage for e in called if not e.dialogue.startswith(STEP)]
    seconds = [usage.seconds for usage in reader]
    return Cost(
        write_tokens=sum(event.tokens for event in wrote),
        write_seconds=round(sum(event.seconds for event in wrote), 6),
        write_p50=quantile([event.seconds for event in wrote], 0.5),
        write_p95=quantile([event.seconds for event in wrote], 0.95),
        write_usage=sum((event.usage for event in wrote), Usage()),
        read_tokens=sum(spent(event.passages) for event in read),
        read_p50=quantile([event.seconds for event in read], 0.5),
        read_p95=quantile([event.seconds for event in read], 0.95),
        cut=sum(event.cut for event in read),
        read_usage=sum((event.usage for event in read), Usage()),
        reader=sum(reader, ModelUsage()),
        paid=sum((event.completion.usage for event in called), ModelUsage()).cost,
        answer_p50=quantile(seconds, 0.5),
        answer_p95=quantile(seconds, 0.95),
    )


def quantile(values: Sequence[float], share: float) -> float | None:
    """Return the smallest value that at least ``share`` of all are not above; None without any."""
    ordered = sorted(values)
    if not ordered:
        return None
    place = -(-len(ordered) * share // 1)  # rounded up
    return ordered[max(0, int(place) - 1)]
