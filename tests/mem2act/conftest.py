"""Small data sets written down in a line or two, and where the reference sample lies."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from actmem.mem2act.data import Dataset, load
from actmem.mem2act.history import History
from actmem.memory.metered import Metered
from actmem.memory.protocol import BUDGET, Passage

ROOT = Path(__file__).parents[2]
REFERENCE = Path(os.environ.get("ACTMEM_REFERENCE", ROOT.parent / "shared" / "reference"))


@pytest.fixture(scope="session")
def sample() -> Path:
    """Return the folder of the released sample; skip where it is missing."""
    folder = REFERENCE / "mem2act-sample"
    if not folder.is_dir():
        pytest.skip(f"no reference data in {REFERENCE}; set ACTMEM_REFERENCE")
    return folder


def make_task(qa_id: str = "t1", **changes: Any) -> dict[str, Any]:
    """Return a task in the file's form: a table for Ada, stated by conversation c1."""
    task: dict[str, Any] = {
        "qa_id": qa_id,
        "source_conversation_ids": ["c1"],
        "evolution_chain": [
            {
                "attribute": "Dinner",
                "source_id": "c1",
                "fact": "Ada wants a table for four.",
                "source_text": "a table for 4",
            }
        ],
        "query": "Book it as I said.",
        "tool_call": {
            "name": "book_table",
            "arguments": {"people": 4, "place": "Lighthouse Grill"},
            "grounding_info": {
                "people": {"type": "explicit", "source_text": "a table for 4"},
                "place": {"type": "inferred", "source_text": "the usual place"},
            },
        },
        "target_tool_schema": {
            "name": "book_table",
            "description": "Book a table.",
            "parameters": {
                "type": "dict",
                "properties": {
                    "people": {"type": "int"},
                    "place": {"type": "string"},
                    "quiet": {"type": "boolean", "default": False},
                },
                "required": ["people", "place"],
            },
        },
        "complexity_metadata": {"level": "L1", "has_temporal_conflict": False},
    }
    return task | changes


def make_session(session_id: str = "s1", **changes: Any) -> dict[str, Any]:
    """Return a session in the file's form, with one tool call."""
    arguments = json.dumps({"name": "Lighthouse Grill"})
    session: dict[str, Any] = {
        "session_id": session_id,
        "original_conversation_ids": ["c1", "c2"],
        "turns": [
            {"role": "user", "content": "Find me a table for 4 tonight.", "source_id": "c1"},
            {
                "role": "assistant",
                "content": "Looking.",
                "source_id": "c1",
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "find_place", "arguments": arguments},
                    }
                ],
            },
            {
                "role": "tool",
                "content": "Lighthouse Grill: open",
                "source_id": "c1",
                "tool_call_id": "call_1",
                "name": "find_place",
            },
            {"role": "user", "content": "How deep is the bay?", "source_id": "c2"},
            {"role": "assistant", "content": "Nine metres.", "source_id": "c2"},
        ],
        "turn_count": 2,
        "has_tool_calls": True,
        "token_count": 50,
    }
    return session | changes


def write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def write_history(memory: Metered, history: History) -> None:
    """Write the whole history, two turns at a time, and say that it is at its end."""
    for pair in history.pairs():
        memory.write(pair)
    memory.finish()


def read_all(memory: Metered, history: History, budget: int = BUDGET) -> dict[str, list[Passage]]:
    """Read for every task; returns the passages by task id."""
    return {task.qa_id: memory.read(history.evidence(task), budget) for task in history.data.tasks}


Build = Callable[..., Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Return a function that writes a data set's folder from tasks and sessions."""

    def write(
        tasks: Sequence[Mapping[str, Any]] = (),
        sessions: Sequence[Mapping[str, Any]] = (),
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Path:
        folder = tmp_path / "data"
        write_lines(folder / "qa_dataset.jsonl", tasks or [make_task()])
        write_lines(folder / "toolmem_conversation.jsonl", sessions or [make_session()])
        if tools:
            write_lines(folder / "tools.jsonl", tools)
        return folder

    return write


@pytest.fixture(scope="session")
def task_row() -> Callable[..., dict[str, Any]]:
    """Return ``make_task``."""
    return make_task


@pytest.fixture(scope="session")
def session_row() -> Callable[..., dict[str, Any]]:
    """Return ``make_session``."""
    return make_session


@pytest.fixture
def data(build: Build) -> Dataset:
    """Return three sessions of three pairs each and two tasks; no turn holds a gold place, Zanzibar Kiosk."""
    sessions = []
    for number in range(3):
        turns = [
            {
                "role": "assistant" if n % 2 else "user",
                "content": f"Turn {n} of session {number}: " + "we spoke of the harbour inn. " * 8,
                "source_id": f"c{number}",
            }
            for n in range(6)
        ]
        sessions.append(
            make_session(f"s{number}", turns=turns, original_conversation_ids=[f"c{number}"])
        )
    tasks = [make_task(name, query=f"Book it for {name}, as I said.") for name in ("Ann", "Bob")]
    for task in tasks:
        task["tool_call"]["arguments"] |= {"place": "Zanzibar Kiosk"}
    return load(build(tasks, sessions))
