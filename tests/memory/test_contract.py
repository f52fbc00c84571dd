from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from tests.memory.conftest import HashingEmbedder, Typical, parts

from actmem.cli import run_cli
from actmem.errors import InputError
from actmem.extra import load
from actmem.memory.bm25 import BM25
from actmem.memory.bounds import Full, Nothing
from actmem.memory.contract import check_contract
from actmem.memory.dense import Dense
from actmem.memory.hybrid import Hybrid
from actmem.memory.long_term import LongTerm
from actmem.memory.protocol import Memory, Passage, Turn
from actmem.memory.registry import BUILT_IN, find_memory
from actmem.models.scripted import ScriptedChat


def broken(make: Callable[[], Memory]) -> set[str]:
    return {violation.rule for violation in check_contract(make)}


@pytest.mark.parametrize("kind", [BM25, Full, Dense, Hybrid, LongTerm])
def test_the_built_in_memories_keep_the_contract(kind: Any, embedder: Any) -> None:
    assert check_contract(lambda: kind() if kind in (BM25, Full) else kind(embedder)) == []


@pytest.mark.parametrize("name", [name for name, entry in BUILT_IN.items() if entry.model])
@pytest.mark.parametrize("garbled", [False, True])
def test_the_systems_that_call_a_model_keep_it_whatever_the_model_says(
    name: str, garbled: bool, tmp_path: Path
) -> None:
    chat = ScriptedChat(["I had rather not."]) if garbled else Typical()
    spec = find_memory(name)
    found = check_contract(lambda: cast("Memory", spec.make(parts(chat, tmp_path))))
    # Without any reply a memory may have nothing to read, and may break nothing else; so may one
    # that holds nothing but replies, or whose notes are told apart by them, whatever they are.
    silent = garbled or name in ("langmem", "mem0", "a-mem")
    assert {one.rule for one in found} <= ({"readable"} if silent else set())


def test_no_memory_at_all_is_only_unreadable() -> None:
    assert broken(Nothing) == {"readable"}


class Finished(Full):
    """Can be read once it was told that the history is at its end."""

    done = False

    def finish(self) -> None:
        assert not self.done
        self.done = True

    def read(self, query: str, budget: int) -> list[Passage]:
        assert self.done
        return super().read(query, budget)


def test_a_memory_is_told_once_that_the_history_is_at_its_end() -> None:
    assert broken(Finished) <= {"readable"}


class Leaves(Full):
    def write(self, turns: Any) -> None:
        sys.exit(0)


class Unclosed(Full):
    def close(self) -> None:
        raise OSError("the store is locked")


class Misnumbered(Full):
    def read(self, query: str, budget: int) -> list[Passage]:
        return [Passage(one.text, None) for one in super().read(query, budget)]  # type: ignore[arg-type]


class Raises(Full):
    def read(self, query: str, budget: int) -> list[Passage]:
        raise RuntimeError("no such table")


class Text(Full):
    def read(self, query: str, budget: int) -> Any:
        return "one text"


class Greedy(Full):
    def read(self, query: str, budget: int) -> list[Passage]:
        return super().read(query, 10_000)


class Counting(Full):
    reads = 0

    def read(self, query: str, budget: int) -> list[Passage]:
        self.reads += 1
        return super().read(query, budget)[: 40 - self.reads]


class Writing(Full):
    """Writes down what it is asked."""

    def read(self, query: str, budget: int) -> list[Passage]:
        found = super().read(query, budget)
        self.write([Turn(999, 9, 9999, "user", query)])
        return found


class ListPlus(Full):
    """Takes turns for a list."""

    def write(self, turns: Any) -> None:
        self._turns = self._turns + turns


class Paired(Full):
    """Insists on a user's turn and an assistant's, each with text."""

    def write(self, turns: Any) -> None:
        user, assistant = turns
        assert (user.role, assistant.role) == ("user", "assistant")
        assert user.text
        assert assistant.text
        super().write(turns)


class BadUsage(Full):
    def usage(self) -> Any:
        return {"calls": 1}


class Big(Full):
    """Ignores larger budgets."""

    def read(self, query: str, budget: int) -> list[Passage]:
        return super().read(query, budget if budget < 300 else 10_000)


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        (ListPlus, {"raises"}), (Paired, {"raises"}), (BadUsage, {"usage"}), (Big, {"budget"}),
        (Raises, {"raises"}), (Leaves, {"raises"}), (Unclosed, {"raises"}),
        (Misnumbered, {"passages"}), (Text, {"passages"}), (Greedy, {"budget"}),
        (Counting, {"repeatable"}), (Writing, {"clean", "repeatable"}),
    ],
)  # fmt: skip
def test_each_rule_can_break(kind: Callable[[], Memory], rules: set[str]) -> None:
    assert broken(kind) == rules


def test_a_failure_names_what_was_raised() -> None:
    (violation,) = check_contract(Raises)
    assert violation.message == "RuntimeError: no such table"


MINE = """
class Mine:
    def __init__(self):
        self.kept = []
    def write(self, turns):
        self.kept += turns
    def read(self, query, budget):
        words = set(query.lower().replace("?", "").replace("'s", "").split())
        turns = sorted(self.kept, key=lambda t: -len(words & set(t.text.lower().split())))
        return [t.text for t in turns[:3]] if budget > 100 else []
class Half:
    def write(self, turns): ...
"""


def test_a_memory_of_a_user_joins_with_a_class(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    assert run_cli(["check", "memory", f"{path}:Mine"]) == 0
    assert "no violations" in capfd.readouterr().err
    with pytest.raises(InputError, match="no class 'Half' with write"):
        find_memory(f"{path}:Half")


def test_the_command_lists_what_does_not_hold(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["check", "memory", "none"]) == 1
    assert capfd.readouterr().out.count("[readable]") == 5
    assert run_cli(["check", "memory", "oracle"]) == 2
    assert "it is a bound, no memory" in capfd.readouterr().err
    assert run_cli(["check", "memory", "nothing"]) == 2
    assert "there are none, full, bm25" in capfd.readouterr().err


def test_a_memory_is_checked_with_what_a_run_would_give_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    body = MINE.replace("def __init__(self):", "def __init__(self, top, embedder):").replace(
        "return [t.text for t in turns[:3]]", "return [t.text for t in turns[:top]]"
    )
    path.write_text(body.replace("self.kept = []", "self.kept, self.top = [], top")
                    .replace("turns[:top]", "turns[:self.top]"))  # fmt: skip
    line = ["check", "memory", f"{path}:Mine"]
    assert run_cli(line) == 2
    assert "takes top, without a default: give --top" in capfd.readouterr().err
    end = ["--embedder", "openai/e", "--base-url", "http://127.0.0.1:9/v1"]
    assert run_cli([*line, "--top", "3", *end]) == 0  # nothing was embedded, nothing sent
    assert run_cli(["check", "memory", "none", "--top", "3"]) == 2
    assert "--top: none does not take it" in capfd.readouterr().err


def test_every_built_in_memory_can_be_made(tmp_path: Path) -> None:
    for name, entry in BUILT_IN.items():
        spec = find_memory(name)
        memory = spec.make(parts(folder=tmp_path))
        assert spec.privilege == entry.privilege
        assert hasattr(memory, "read_evidence" if entry.privilege else "read")
        getattr(memory, "close", lambda: None)()


def test_the_list_says_what_each_built_in_memory_needs() -> None:
    for name, entry in BUILT_IN.items():
        spec = find_memory(name)
        assert entry.model == ("model" in spec.needs)
        assert not entry.model or spec.settings


SETTINGS = """
class Mine:
    settings = SET
    def write(self, turns): ...
    def read(self, query, budget): return []
"""


def test_settings_of_a_user_are_json_data(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(SETTINGS.replace("SET", "{'size': 3}"))
    assert find_memory(f"{path}:Mine").settings == {"size": 3}
    for wrong, why in (("[1]", "are no dict"), ("{'size': object()}", "are no JSON data")):
        path.write_text(SETTINGS.replace("SET", wrong))
        with pytest.raises(InputError, match=f"its settings {why}"):
            find_memory(f"{path}:Mine")


def test_a_memory_that_calls_a_model_is_checked_with_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actmem.memory.open.open_embedder", HashingEmbedder)
    assert run_cli(["check", "memory", "memtree"]) == 2
    assert "memory memtree: calls a model: give one with --model" in capfd.readouterr().err
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"reply": {"summary": "Something."}, "schema": "summary"}]))
    assert run_cli(["check", "memory", "memtree", "--model", f"scripted:{script}"]) == 0
    assert re.search(r"\d+ calls, \d+ tokens, 0 invalid replies", capfd.readouterr().err)
    script.write_text(json.dumps([{"fail": "no route to host"}]))
    assert run_cli(["check", "memory", "a-mem", "--model", f"scripted:{script}"]) == 3
    assert "no route to host" in capfd.readouterr().err


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import actmem.extra as extra

    def missing(module: str) -> Any:
        raise ImportError("No module named 'bm25s'", name="bm25s")

    monkeypatch.setattr(extra, "import_module", missing)
    with pytest.raises(
        InputError, match=r"memory bm25: needs bm25s: pip install 'actmem\[memory\]'"
    ):
        load("actmem.memory.bm25", "memory bm25")


@pytest.mark.parametrize(("name", "package"), [("langmem", "langgraph"), ("mem0", "mem0")])
def test_a_missing_library_is_named_with_its_extra(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"actmem.memory.{name}", raising=False)
    for module in [one for one in sys.modules if one.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"memory {name}: needs {package}.*actmem\[{name}\]"):
        find_memory(name)


def test_a_bug_of_ours_is_no_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import actmem.extra as extra

    def missing(module: str) -> Any:
        raise ImportError("No module named 'actmem.typo'", name="actmem.typo")

    monkeypatch.setattr(extra, "import_module", missing)
    with pytest.raises(ImportError, match="typo"):
        load("actmem.memory.bm25", "memory bm25")
