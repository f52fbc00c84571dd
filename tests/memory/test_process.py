from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from actmem.errors import InputError
from actmem.memory.contract import check_contract
from actmem.memory.process import ProcessMemory
from actmem.memory.protocol import Passage, Turn
from actmem.memory.registry import find_memory
from actmem.process import ProcessError

Turns = Callable[..., list[Turn]]
PROGRAM = """
import json, sys
kept = []
for line in sys.stdin:
    asked = json.loads(line)
    answer = {}
    if asked["do"] == "write":
        kept += asked["turns"]
    elif asked["do"] == "read":
        if asked["query"] == "die":
            sys.exit()
        if asked["query"] == "rubbish":
            answer = [1]
        elif asked["query"] == "refuse":
            answer = {"error": "the store is full"}
        elif asked["query"] == "misspell":
            answer = {"passage": ["red boat"]}
        elif asked["query"] == "nothing":
            answer = {}
        else:
            words = set(asked["query"].lower().replace("'s", "").split())
            best = max(kept, key=lambda t: len(words & set(t["text"].lower().split())))
            few = asked["budget"] < 60
            answer = {"passages": [] if few else [best["text"], {"text": "x", "turns": [best["id"]]}]}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def command(tmp_path: Path) -> str:
    path = tmp_path / "memory.py"
    path.write_text(PROGRAM)
    return shlex.join([sys.executable, str(path)])


def test_a_program_is_a_memory(command: str, turns: Turns) -> None:
    memory = ProcessMemory(command)
    memory.write(turns("red boat", "blue oar"))
    memory.finish()
    assert memory.read("oar", 512) == [Passage("blue oar"), Passage("x", (1,))]
    memory.close()
    memory.close()


def test_it_can_keep_the_contract(command: str) -> None:
    from actmem.memory.embedder import Embedder

    def none() -> Embedder:
        raise AssertionError("no embedder is needed")

    spec = find_memory(f"cmd:{command}")
    rules = {v.rule for v in check_contract(lambda: spec.make(none))}  # type: ignore[arg-type,return-value]
    assert rules <= {"readable"}  # it matches words as they stand, punctuation included


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("die", "ended with exit code 0 before it answered read"),
        ("rubbish", "no answer to read"),
        ("refuse", "the store is full"),
        ("misspell", "no answer to read: Object contains unknown field `passage`"),
        ("nothing", "no answer to read: it has no passages"),
    ],
)
def test_what_goes_wrong_is_said(command: str, turns: Turns, query: str, says: str) -> None:
    memory = ProcessMemory(command)
    memory.write(turns("red boat"))
    with pytest.raises(ProcessError, match=says):
        memory.read(query, 512)
    memory.close()


def test_a_program_that_hangs_is_ended(turns: Turns) -> None:
    code = "import time; time.sleep(60)"
    memory = ProcessMemory(shlex.join([sys.executable, "-c", code]), seconds=0.2)
    started = time.perf_counter()
    with pytest.raises(ProcessError, match=r"no answer to write in 0\.2 s"):
        memory.write(turns("red boat"))
    assert time.perf_counter() - started < 30


@pytest.mark.parametrize("command", ["", "/no/such/program", "'"])
def test_a_program_that_is_none_is_named(command: str) -> None:
    with pytest.raises(InputError, match="cannot be started"):
        ProcessMemory(command)
