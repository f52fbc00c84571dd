"""Memories that call a model while they are written: what is recorded, and what faults cost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.memory.conftest import HashingEmbedder, Typical

from actmem.errors import IncompleteError, InputError, StoppedError
from actmem.mem2act.data import Dataset
from actmem.mem2act.record import Read, Wrote
from actmem.mem2act.results import Row, results
from actmem.mem2act.suite import Mem2ActSuite, make_manifest, unit_file
from actmem.memory.registry import BUILT_IN
from actmem.models.budget import Budget, BudgetedChat
from actmem.models.chat import Chat
from actmem.models.tape import Called
from actmem.run.execute import execute
from actmem.run.store import RunFolder
from actmem.trace import TraceWriter

SYSTEMS = ("generative-agents", "scm", "memtree", "a-mem")
SECRET = "Zanzibar Kiosk"


def play(data: Dataset, path: Path, memories: Sequence[str], chat: Chat) -> list[Row]:
    manifest = make_manifest(data, memories, {"m": chat.settings})
    folder = RunFolder.prepare(path, manifest, unit_file(data))
    execute(folder, Mem2ActSuite(folder, {"m": chat}, HashingEmbedder))
    return results(Mem2ActSuite(RunFolder.open(path)))


def events(path: Path) -> list[Any]:
    """Return the one episode's events, times aside."""
    suite = Mem2ActSuite(RunFolder.open(path))
    (episode,) = suite.folder.manifest.episodes
    trace = suite.folder.trace(episode, suite.events)
    assert trace is not None
    assert trace.footer is not None
    found = []
    for event in trace.events:
        if isinstance(event, Called):
            timeless = replace(event.completion.usage, seconds=0.0)
            event = replace(event, completion=replace(event.completion, usage=timeless))
        elif isinstance(event, Wrote | Read):
            event = replace(event, seconds=0.0, usage=replace(event.usage, seconds=0.0))
        found.append(event)
    return found


def test_systems_get_the_same_turns_and_their_calls_are_counted_apart(
    data: Dataset, tmp_path: Path
) -> None:
    chat = Typical()
    rows = play(data, tmp_path / "run", ["long-term", *SYSTEMS], chat)
    calls = len(chat.prompts)
    assert [row.status for row in rows] == ["complete"] * 5
    assert {row.cost.write_tokens for row in rows} == {rows[0].cost.write_tokens}
    assert all(row.cost.read_tokens <= 2 * 512 for row in rows)
    assert [row.cost.reader.calls for row in rows] == [2] * 5
    own = [row.cost.write_usage.calls for row in rows]
    # A rating a pair; a summary a pair; a call a parent on the way; two a note but the first.
    assert (own[0], own[1], own[2], own[4]) == (0, 9, 9, 17)
    assert own[3] > 0
    assert [row.cost.read_usage.calls for row in rows] == [0, 0, 4, 0, 0]
    assert calls == sum(own) + 4 + 10
    assert all(row.cost.write_usage.tokens > 0 for row in rows[1:])


def test_neither_queries_nor_golds_are_seen_while_writing(data: Dataset, tmp_path: Path) -> None:
    for system in SYSTEMS:
        chat = Typical()
        play(data, tmp_path / system, [system], chat)
        recorded = events(tmp_path / system)
        last = max(place for place, event in enumerate(recorded) if isinstance(event, Wrote))
        told = [m.content for e in recorded[:last] if isinstance(e, Called) for m in e.messages]
        assert any("harbour inn" in text for text in told)
        assert not any("as I said" in text or SECRET in text for text in told)
        assert not any(SECRET in prompt for _, prompt in chat.prompts)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("dies", [0, 3, 5])
def test_a_dead_endpoint_fails_the_episode_which_goes_on_without_repeating_a_call(
    data: Dataset, tmp_path: Path, system: str, dies: int
) -> None:
    chat = Typical(dies=dies)
    (row,) = play(data, tmp_path / "run", [system], chat)
    assert row.status == "failed"
    assert row.answered < 2
    assert "no route to host" in row.error
    second = Typical()
    (row,) = play(data, tmp_path / "run", [system], second)
    assert row.status == "complete"
    whole = Typical()
    play(data, tmp_path / "whole", [system], whole)
    assert len(second.prompts) == len(whole.prompts) - dies
    assert chat.prompts + second.prompts == whole.prompts
    assert events(tmp_path / "run") == events(tmp_path / "whole")
    assert not list((tmp_path / "run" / "traces").glob("*.attempt-*"))


@pytest.mark.parametrize("system", SYSTEMS)
def test_garbage_is_counted_and_stops_nothing(data: Dataset, tmp_path: Path, system: str) -> None:
    class Prose(Typical):
        def complete(self, messages: Any, schema: Any = None) -> Any:
            found = super().complete(messages, schema)
            if schema.name == "call":
                return found
            return replace(found, text="Well.", parsed=None, problem="no JSON")

    (row,) = play(data, tmp_path / "run", [system], Prose())
    assert (row.status, row.answered) == ("complete", 2)
    used = row.cost.write_usage
    assert used.invalid == used.calls > 0


@pytest.mark.parametrize("room", [1, 6, 12])
def test_a_full_disk_while_writing_is_one_line_and_loses_nothing(
    data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    left = [room]
    real = TraceWriter.write

    def write(self: TraceWriter, event: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        real(self, event)

    monkeypatch.setattr(TraceWriter, "write", write)
    first = Typical()
    with pytest.raises(IncompleteError, match="cannot be written: No space left on device"):
        play(data, tmp_path / "run", ["a-mem"], first)
    monkeypatch.undo()
    second, whole = Typical(), Typical()
    (row,) = play(data, tmp_path / "run", ["a-mem"], second)
    assert row.status == "complete"
    play(data, tmp_path / "whole", ["a-mem"], whole)
    assert events(tmp_path / "run") == events(tmp_path / "whole")
    # The reply that could not be kept is asked for again, if it was one.
    assert len(first.prompts) + len(second.prompts) - len(whole.prompts) in (0, 1)


def test_a_spent_budget_stops_and_a_further_run_goes_on(data: Dataset, tmp_path: Path) -> None:
    first = Typical()
    with pytest.raises(StoppedError, match="of 900 tokens are spent"):
        play(data, tmp_path / "run", ["memtree"], BudgetedChat(first, Budget(900)))
    second, whole = Typical(), Typical()
    (row,) = play(data, tmp_path / "run", ["memtree"], second)
    play(data, tmp_path / "whole", ["memtree"], whole)
    assert row.status == "complete"
    assert first.prompts
    assert first.prompts + second.prompts == whole.prompts


RAISES = """
from pathlib import Path
class Mine:
    def __init__(self, model):
        self.model = model
    def write(self, turns):
        from actmem.models.structured import Schema, closed
        word = Schema("word", closed({"word": {"type": "string", "maxLength": 9}}))
        self.model.ask("keep", "Pick a word.", turns[0].text, word)
        if turns[0].session == 1 and not Path(__file__).with_name("mended").exists():
            raise OSError(28, "No space left on device")
    def read(self, query, budget):
        return ["nothing"]
"""


def test_what_a_memory_raised_is_gone_on_with_when_it_is_mended(
    data: Dataset, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(RAISES)
    first, second = Typical(), Typical()
    (row,) = play(data, tmp_path / "run", [f"{path}:Mine"], first)
    assert (row.status, len(first.prompts)) == ("failed", 4)
    assert row.error == "memory: OSError: [Errno 28] No space left on device"
    (tmp_path / "mended").touch()
    (row,) = play(data, tmp_path / "run", [f"{path}:Mine"], second)
    assert (row.status, len(second.prompts)) == ("complete", 9 - 4 + 2)


SWALLOWS = """
class Mine:
    calls = 0
    def __init__(self, model, folder):
        self.model, self.folder = model, folder
        assert not list(folder.iterdir())
        (folder / "store").write_text("begun")
    def write(self, turns):
        from actmem.models.chat import Message
        try:
            self.model.complete("keep", [Message("user", turns[0].text)])
        except Exception:
            pass
    def read(self, query, budget):
        return ["nothing"]
    def close(self):
        (self.folder / "closed").write_text("yes")
"""


def test_a_memory_cannot_hide_a_dead_endpoint(data: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(SWALLOWS)

    class Plain(Typical):
        def complete(self, messages: Any, schema: Any = None) -> Any:
            self._replies[""] = "Kept."
            return super().complete(messages, schema)

    memory = f"{path}:Mine"
    (row,) = play(data, tmp_path / "run", [memory], Plain(dies=4))
    assert (row.status, row.answered) == ("failed", 0)
    assert "no route to host" in row.error
    chat = Plain()
    (row,) = play(data, tmp_path / "run", [memory], chat)  # its folder is empty again
    assert row.status == "complete"
    assert len(chat.prompts) == 9 - 4 + 2
    (closed,) = (tmp_path / "run" / "memories").glob("*/closed")
    assert closed.read_text() == "yes"


def test_a_system_that_calls_a_model_needs_one(data: Dataset) -> None:
    for name in SYSTEMS:
        assert BUILT_IN[name].model
        with pytest.raises(InputError, match=f"memory {name}: calls a model: give one with"):
            make_manifest(data, ["bm25", name], {})


def test_what_moves_a_system_stands_in_the_manifest(data: Dataset, tmp_path: Path) -> None:
    play(data, tmp_path / "run", ["memtree"], Typical())
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    constants = manifest["episodes"][0]["settings"]["constants"]
    assert constants["threshold"] == [0.4, 0.5, 8]
    assert len(constants["prompts"]) == 64


CHILD = """
import sys, time
from pathlib import Path
from tests.mem2act.test_writing import play
from tests.memory.conftest import Typical
from actmem.mem2act.data import load

class Slow(Typical):
    def complete(self, messages, schema=None):
        with open(sys.argv[3], "a") as log:
            log.write(".")
        time.sleep(0.02)
        return super().complete(messages, schema)

play(load(sys.argv[1]), Path(sys.argv[2]), [sys.argv[4]], Slow())
"""


@pytest.mark.parametrize("system", ["generative-agents", "a-mem"])
def test_a_run_killed_while_writing_goes_on_and_repeats_no_call_but_the_cut_one(
    data: Dataset, tmp_path: Path, system: str
) -> None:
    log = tmp_path / "log"
    log.touch()
    root = Path(__file__).parents[2]
    env = os.environ | {"PYTHONPATH": f"{root}/src:{root}"}
    command = [sys.executable, "-c", CHILD, str(tmp_path / "data"), str(tmp_path / "run")]
    child = subprocess.Popen([*command, str(log), system], env=env, cwd=root)
    while child.poll() is None and len(log.read_text()) < 6:
        time.sleep(0.005)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert child.returncode == -signal.SIGKILL
    before = len(log.read_text())
    second, whole = Typical(), Typical()
    (row,) = play(data, tmp_path / "run", [system], second)
    assert row.status == "complete"
    play(data, tmp_path / "whole", [system], whole)
    assert len(second.prompts) - (len(whole.prompts) - before) in (0, 1)
    assert second.prompts == whole.prompts[-len(second.prompts) :]
    assert events(tmp_path / "run") == events(tmp_path / "whole")


def test_two_runs_do_not_write_in_one_folder(data: Dataset, tmp_path: Path) -> None:
    chat = Typical(dies=3, error=KeyError("killed"))
    with pytest.raises(KeyError):
        play(data, tmp_path / "run", ["scm"], chat)
    folder = RunFolder.prepare(
        tmp_path / "run", make_manifest(data, ["scm"], {"m": chat.settings}), unit_file(data)
    )
    with pytest.raises(InputError, match="another run is working in this folder"):
        play(data, tmp_path / "run", ["scm"], Typical())
    folder.release()
    second = Typical()
    assert play(data, tmp_path / "run", ["scm"], second)[0].status == "complete"
