"""A class of a user's: found, or refused in one line, whatever its file does on import."""

from __future__ import annotations

from pathlib import Path

import pytest

from actmem.errors import InputError
from actmem.plugin import load_class, seeded, user_class

NEEDS = {"decide": "a method decide(observation)"}


def test_a_class_that_imports_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_agent.py").write_text("ANSWER = 42\n")
    path = tmp_path / "agent.py"
    path.write_text(
        "from neighbour_of_agent import ANSWER\n\n\nclass Agent:\n"
        "    def decide(self, observation):\n        return ANSWER\n"
    )
    assert load_class(path, "Agent", "agent", NEEDS)().decide(None) == 42


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("import sys; sys.exit(0)", "raises on import: SystemExit"),
        ("1 / 0", "raises on import: ZeroDivisionError"),
        ("class Agent: pass", "no class 'Agent' with a method decide"),
        (None, "there is no such file"),
    ],
)
def test_what_is_none_is_refused(tmp_path: Path, source: str | None, hint: str) -> None:
    path = tmp_path / "agent.py"
    if source is not None:
        path.write_text(source)
    with pytest.raises(InputError, match=hint) as error:
        load_class(path, "Agent", "agent", NEEDS)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["nobody", "agent.py", "agent.py:", ":Agent", "agent.txt:Agent"])
def test_a_name_of_no_form_is_told_the_known_ones(name: str) -> None:
    with pytest.raises(InputError) as error:
        user_class(name, "agent", ["nop", "all"], NEEDS)
    told = str(error.value)
    assert name.rpartition(":")[0] in told
    assert "\n" not in told
    if name != "agent.py:":
        assert told == (
            f"no agent {name!r}: there are nop, all, or give path/to/file.py:Class or cmd:PROGRAM"
        )


def test_a_seed_is_for_those_that_ask(tmp_path: Path) -> None:
    path = tmp_path / "agent.py"
    body = "    def decide(self, observation):\n        return self.seed\n"
    path.write_text(
        f"class Plain:\n    seed = None\n{body}\n\n"
        f"class Drawn:\n    def __init__(self, seed):\n        self.seed = seed\n{body}"
    )
    plain, drawn = (user_class(f"{path}:{name}", "agent", (), NEEDS) for name in ("Plain", "Drawn"))
    assert (seeded(plain, 7).decide(None), seeded(drawn, 7).decide(None)) == (None, 7)
