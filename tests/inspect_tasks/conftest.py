"""Inspect's runner with scripted models: offline, without display, logs in the test's own folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from actmem.cli import run_cli
from actmem.models.chat import Message
from actmem.models.scripted import ScriptedChat
from actmem.models.structured import Schema
from actmem.week.make import Knobs, make_week
from actmem.week.scenario import dump

ANY = {"type": "object", "properties": {}, "additionalProperties": False}
"""Of a schema the mock needs the name alone."""

collect_ignore: list[str] = []
if find_spec("inspect_ai") is None:
    if os.environ.get("CI") == "true":
        raise RuntimeError("needs the extra 'inspect'")
    collect_ignore = [path.name for path in Path(__file__).parent.glob("test_*.py")]


def mock(entries: Sequence[Any], *, told: list[Any] | None = None) -> Any:
    """Return Inspect's mock model with the replies of our scripted one.

    An entry that is an exception is raised. ``told`` takes each call's messages and settings.
    """
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    faults = {i: e for i, e in enumerate(entries) if isinstance(e, Exception)}
    chat = ScriptedChat([f"fault {i}" if i in faults else e for i, e in enumerate(entries)])

    def reply(messages: list[Any], tools: Any, choice: Any, config: Any) -> ModelOutput:
        if told is not None:
            told.append((messages, config))
        schema = Schema(config.response_schema.name, ANY) if config.response_schema else None
        text = chat.complete([Message(m.role, m.text) for m in messages], schema).text
        if text.startswith("fault "):
            raise faults[int(text.removeprefix("fault "))]
        usage = ModelUsage(
            input_tokens=10, input_tokens_cache_read=30, output_tokens=2, total_tokens=42
        )
        output = ModelOutput.from_content("mockllm/model", text)
        return output.model_copy(update={"usage": usage})

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


@pytest.fixture
def evaluate(tmp_path: Path) -> Callable[..., Any]:
    """Run a task by Inspect and return its log."""
    from inspect_ai import eval as run

    def evaluated(task: Any, model: Any, **options: Any) -> Any:
        (log,) = run(task, model=model, display="none", log_dir=str(tmp_path / "logs"),
                     log_realtime=False, **options)  # fmt: skip
        return log

    return evaluated


@pytest.fixture(scope="session")
def two_weeks(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two short weeks as files."""
    paths = []
    for seed, days in ((7, 2), (8, 1)):
        path = tmp_path_factory.mktemp("weeks") / f"full-{seed}.json"
        path.write_bytes(dump(make_week(seed, Knobs(days=days))))
        paths.append(path)
    return paths


def own_row(suite: str, script: list[Any], folder: Path, capfd: Any, *options: object) -> Any:
    """Return the row of our own runner with the same scripted model."""
    path = folder / "script.json"
    path.write_text(json.dumps(script))
    capfd.readouterr()
    code = run_cli(["run", suite, "--model", f"scripted:{path}", *map(str, options),
                    "-o", str(folder / "own"), "--json"])  # fmt: skip
    assert code in (0, 3)
    (row,) = json.loads(capfd.readouterr().out)["rows"]
    return row


def scored(log: Any, capfd: Any) -> tuple[int, dict[str, Any], str]:
    """Return what ``actmem score run`` makes of a log."""
    capfd.readouterr()
    code = run_cli(["score", "run", log.location, "--json"])
    out, err = capfd.readouterr()
    (row,) = json.loads(out)["rows"]
    assert isinstance(row, dict)
    return code, row, err


MOVED_BY_MODEL = ("agent", "model", "tokens", "usage")


def without_model(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in MOVED_BY_MODEL}
