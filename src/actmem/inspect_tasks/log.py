"""An Inspect log as a run folder, to be scored and shown like any other."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from inspect_ai.log import EvalLog, EvalSample, read_eval_log, read_eval_log_samples

from actmem.errors import InputError
from actmem.hashing import canonical
from actmem.inspect_tasks.episode import OURS, TRACE, UNIT, Logged, trace_file
from actmem.inspect_tasks.trials import trials_of
from actmem.inspect_tasks.week import weeks_of
from actmem.run.plan import Manifest, pairs, plan_run
from actmem.run.store import RunFolder
from actmem.trials import score as trials_score
from actmem.trials import suite as trials_suite
from actmem.week import score as week_score
from actmem.week import suite as week_suite

UNREAD = {"events", "messages", "attachments", "output", "scores"}
"""Parts of a sample that are not needed, and may be large."""


class _Suite(NamedTuple):
    """What is to be known of a suite to unpack its logs."""

    scorer: int
    again: Callable[[Mapping[str, Any]], dict[str, Any]]
    """Make a task's units anew from its options, for samples that were never begun."""
    files: Callable[[Mapping[str, Any]], dict[str, bytes]]
    """The files that a run folder keeps of units."""


_SUITES = {
    week_suite.NAME: _Suite(
        week_score.SCORER,
        weeks_of,
        lambda units: {name: canonical(unit) + b"\n" for name, unit in units.items()},
    ),
    trials_suite.NAME: _Suite(
        trials_score.SCORER,
        trials_of,
        lambda units: {trials_suite.UNITS: canonical([*units.values()]) + b"\n"},
    ),
}


@contextmanager
def unpacked(path: Path) -> Iterator[RunFolder]:
    """Give a log as a run folder, for as long as the context lasts.

    Raises ``InputError`` for a file that is no log, is torn, is not ours, or was made with another
    version of the scorer; what is wrong within is named as a part of ``path``.
    """
    log = _whole(lambda: read_eval_log(str(path), header_only=True), path)
    logged = _ours(log, path)
    read = partial(read_eval_log_samples, str(path), False, exclude_fields=UNREAD)
    samples = _whole(lambda: list(read()), path)
    with tempfile.TemporaryDirectory(prefix="actmem-") as temporary:
        try:
            folder = _unpack(log, logged, samples, Path(temporary) / "run")
            folder.name = path
            yield folder
        except InputError as error:
            raise InputError(str(error).replace(f"{temporary}/run", str(path))) from None


def _whole(read: Callable[[], Any], path: Path) -> Any:
    try:
        return read()
    except Exception as error:  # whatever Inspect's readers of files raise
        told = f"{type(error).__name__}: {error}"[:200]
        raise InputError(f"is no Inspect log, or a torn one: {told}", path) from None


def _ours(log: EvalLog, path: Path) -> Logged:
    found = (log.eval.metadata or {}).get(OURS)
    if found is None:
        raise InputError(f"is the log of another task, {log.eval.task}", path)
    try:
        logged = msgspec.convert(found, Logged)
        suite = _SUITES[logged.suite]
    except (msgspec.ValidationError, KeyError) as error:
        raise InputError(f"its metadata cannot be used: {error}", path) from None
    if logged.scorer != suite.scorer:
        made_by = logged.versions.get("actmem", "of then")
        told = f"is of scorer version {logged.scorer}, not {suite.scorer}"
        raise InputError(f"{told}; score it with actmem {made_by}", path)
    return logged


def _unpack(log: EvalLog, logged: Logged, samples: Sequence[EvalSample], path: Path) -> RunFolder:
    """Write a log's episodes as a run folder."""
    suite = _SUITES[logged.suite]
    planned = [str(name) for name in log.eval.dataset.sample_ids or logged.units]
    units = {str(sample.id): sample.metadata.get(UNIT) for sample in samples}
    missing = [name for name in planned if name not in units]
    if missing:  # their samples were never begun
        again = suite.again(log.eval.task_args)
        units |= {name: again[name] for name in missing if name in again}
    lost = [name for name in planned if name not in units or name not in logged.units]
    if lost:
        raise InputError(f"holds no {lost[0]}, and it cannot be made again", path)
    manifest = _manifest(log, logged, planned, _model_settings(samples))
    run = RunFolder.prepare(path, manifest, suite.files({name: units[name] for name in planned}))
    run.release()
    stored = {(str(sample.id), sample.epoch): sample.store.get(TRACE) for sample in samples}
    for episode in manifest.episodes:
        if data := trace_file(stored.get((episode.unit, episode.repeat + 1))):
            run.trace_path(episode).write_bytes(data)
    return run


def _model_settings(samples: Sequence[EvalSample]) -> Any:
    """Return the settings of the model, as the first episode's header tells them."""
    for sample in samples:
        for header in sample.store.get(TRACE) or ():
            return header["settings"]["model_settings"]
    return {}


def _manifest(log: EvalLog, logged: Logged, planned: Sequence[str], model: Any) -> Manifest:
    """Return the plan that the run would have had with ``actmem run``."""
    settings = logged.settings | {"models": {log.eval.model: model}}
    plan = plan_run(
        logged.suite,
        {name: logged.units[name] for name in planned},
        pairs([logged.setup], [log.eval.model]),
        settings,
        seed=int(logged.settings["seed"]),
        repeats=log.eval.config.epochs or 1,
    )
    return msgspec.structs.replace(plan, created=log.eval.created, versions=logged.versions)
