"""What the documentation shows does what it says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actmem.cli import run_cli

DOCS = Path(__file__).parents[1] / "docs"


def block(name: str, language: str, start: str = "") -> str:
    """Return the first block of a language in a page that begins with ``start``."""
    text = (DOCS / name).read_text("utf-8")
    found: list[str] = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return next(part for part in found if part.startswith(start))


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def call(*args: object) -> tuple[int, str]:
        capfd.readouterr()
        code = run_cli([str(arg) for arg in args])
        return code, capfd.readouterr().out

    return call


@pytest.fixture
def agents(tmp_path: Path) -> dict[str, str]:
    """The agents of the page, written to files."""
    (tmp_path / "my_agent.py").write_text(block("agents.md", "python", "# my_agent.py"))
    program = tmp_path / "my-agent"
    program.write_text(block("agents.md", "sh"))
    program.chmod(0o755)
    return {"class": f"{tmp_path / 'my_agent.py'}:MyAgent", "program": f"cmd:{program}"}


@pytest.mark.parametrize("kind", ["class", "program"])
def test_the_agents_of_the_page_play_and_keep_the_rules(
    agents: dict[str, str], run: Callable[..., tuple[int, str]], tmp_path: Path, kind: str
) -> None:
    code, out = run("check", "agent", agents[kind], "--claim", "deterministic")
    assert code == 0, out
    printed = block("agents.md", "console", "$ actmem check agent").splitlines()[2:]
    assert [line[:23] for line in out.splitlines()[1:]] == [line[:23] for line in printed]
    code, out = run("run", "week", "--agent", agents[kind], "--days", 1, "--weeks", 1,
                    "-o", tmp_path / "r", "--json")  # fmt: skip
    assert code == 0
    assert '"chosen_tasks": 0' not in out


def test_the_lines_of_the_page_are_actions() -> None:
    import msgspec

    from actmem.week.world import Act, Decision, Pass, Query, SetHeartbeat

    decoder: Any = msgspec.json.Decoder(Decision)
    lines = block("agents.md", "json").splitlines()
    assert [type(decoder.decode(line)) for line in lines] == [Query, Act, SetHeartbeat, Pass]


def test_the_pages_name_all_fields_of_an_observation() -> None:
    from actmem.week.world import Observation

    text = (DOCS / "agents.md").read_text("utf-8")
    assert all(f"`{name}`" in text for name in Observation.__struct_fields__)
