"""The plugin, by running pytest on the example of the documentation."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import actmem

SOURCE = Path(actmem.__file__).parents[1]
DOCS = SOURCE.parent / "docs" / "trials.md"
SUITE = ("--actmem", "trials", "--actmem-agent", "my_agent.py:Agent")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the documented agent and one test of its own."""
    found = re.search(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert found is not None
    (tmp_path / "my_agent.py").write_text(found[1])
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    return tmp_path


def run(project: Path, *args: str) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *_plugin(), *args]
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def _plugin() -> list[str]:
    """Name the plugin where the installed package does not announce it."""
    from importlib.metadata import entry_points

    announced = {entry.value for entry in entry_points(group="pytest11")}
    name = "actmem.trials.pytest_plugin"
    return [] if name in announced else ["-p", name]


def test_the_documented_command_collects_one_test_a_trial(project: Path) -> None:
    code, text = run(project, *SUITE, "--actmem-subset", "A", "-q", "--collect-only")
    assert code == 0
    assert len(re.findall(r"^actmem::A/\w+/\w+/\d{3}$", text, re.MULTILINE)) == 80
    assert "test_own.py::test_own" in text
    assert "81 tests collected" in text


def test_a_program_can_be_tested(project: Path) -> None:
    (project / "waits.py").write_text(
        'import sys\nfor line in sys.stdin:\n    print(\'{"text": "wait()"}\', flush=True)\n'
    )
    code, text = run(
        project, "--actmem", "trials", "--actmem-agent", f"cmd:{sys.executable} waits.py",
        "--actmem-trial", "A/shopping/time/001",
    )  # fmt: skip
    assert code == 1
    assert "did:      nothing beyond the ongoing task: miss; 0 % of the ongoing goals met" in text


def test_passes_and_three_line_failures(project: Path) -> None:
    code, text = run(
        project, *SUITE, "--actmem-trial", "A/shopping/time/001", "--actmem-trial",
        "A/shopping/event/005", "-v",
    )  # fmt: skip
    assert code == 1
    assert "2 passed" in text
    assert "1 failed" in text
    assert re.search(r"intended: .*\ndue:      at step \d+ of \d+\ndid:      nothing beyond", text)
    assert "Traceback" not in text


def test_without_the_option_nothing_is_collected_or_imported(project: Path) -> None:
    (project / "test_own.py").write_text(
        "import sys\n\ndef test_own():\n"
        "    assert not any(name.startswith('actmem.trials.released') for name in sys.modules)\n"
        "    assert 'msgspec' not in sys.modules\n"
    )
    code, text = run(project, "-q")
    assert code == 0, text
    assert "1 passed" in text


def test_a_baseline_fails_only_on_regressions(project: Path) -> None:
    chosen = (*SUITE, "--actmem-subset", "A", "-k", "A/shopping", "-q")
    code, text = run(project, *chosen, "--actmem-write-baseline", "baseline.json")
    assert code == 1
    known = json.loads((project / "baseline.json").read_text())["trials"]
    assert len(known) == 20
    assert 0 < sum(entry["passed"] for entry in known.values()) < 20
    code, text = run(project, *chosen, "--actmem-baseline", "baseline.json")
    assert code == 0, text
    assert "xfailed" in text
    agent = project / "my_agent.py"
    agent.write_text(agent.read_text().replace("if self.time and", "if not self.time and"))
    code, text = run(project, *chosen, "--actmem-baseline", "baseline.json")
    assert code == 1
    assert "xfailed" in text
    wrong = json.loads((project / "baseline.json").read_text())
    wrong["trials"]["A/shopping/event/005"]["digest"] = "0" * 64
    (project / "baseline.json").write_text(json.dumps(wrong))
    code, text = run(project, *chosen, "--actmem-baseline", "baseline.json")
    assert code == 4
    assert "is of other trials (A/shopping/event/005 is not that one)" in text
    assert "Traceback" not in text


def test_a_baseline_is_added_to_and_never_emptied(project: Path) -> None:
    path = project / "baseline.json"
    write = ("--actmem-write-baseline", "baseline.json")
    one, two = "A/shopping/time/001", "A/shopping/event/005"
    run(project, *SUITE, "--actmem-trial", one, *write)
    first = path.read_text()
    assert list(json.loads(first)["trials"]) == [one]
    run(project, *SUITE, "--actmem-trial", one, *write, "--collect-only")
    assert path.read_text() == first
    run(project, *SUITE, "--actmem-trial", two, *write)
    assert set(json.loads(path.read_text())["trials"]) == {one, two}
    (project / "my_agent.py").write_text(
        "class Agent:\n    def decide(self, observation):\n        raise KeyError('mine')\n"
    )
    run(project, *SUITE, "--actmem-trial", one, *write)
    assert json.loads(path.read_text())["trials"][one]["passed"] == 0


def test_what_raised_before_and_raises_now_is_no_regression(project: Path) -> None:
    (project / "my_agent.py").write_text(
        "class Agent:\n    def __init__(self, seed):\n        self.seed = seed\n"
        "    def decide(self, observation):\n        if self.seed == 0:\n"
        "            raise KeyError('mine')\n        return 'wait()'\n"
    )
    chosen = (*SUITE, "--actmem-trial", "A/shopping/time/001", "--actmem-repeat", "2")
    code, text = run(project, *chosen, "--actmem-write-baseline", "baseline.json")
    assert code == 1
    assert "KeyError: 'mine'" in text
    entry = json.loads((project / "baseline.json").read_text())["trials"]["A/shopping/time/001"]
    assert (entry["passed"], entry["of"]) == (0, 2)
    code, text = run(project, *chosen, "--actmem-baseline", "baseline.json", "-rx")
    assert code == 0, text
    assert "1 xfailed" in text
    assert "KeyError: 'mine'" in text


def test_repeats_are_counted(project: Path) -> None:
    (project / "my_agent.py").write_text(
        "class Agent:\n    def __init__(self, seed):\n        pass\n"
        "    def decide(self, observation):\n        return 'wait()'\n"
    )
    one = ("--actmem-trial", "A/shopping/time/001", "--actmem-repeat", "3")
    code, text = run(project, *SUITE, *one)
    assert code == 1
    assert "passed:   0 of 3 times" in text


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--actmem", "trials"), "needs --actmem-agent"),
        ((*SUITE, "--actmem-subset", "Z"), "--actmem-subset: no subset 'Z'"),
        ((*SUITE, "--actmem-trial", "Z"), "--actmem-trial: no trial 'Z'"),
        ((*SUITE, "--actmem-write-baseline", "no/such.json"), "cannot be written: no such folder"),
        ((*SUITE, "--actmem-write-baseline", "my_agent.py"), "my_agent.py: "),
        ((*SUITE, "--actmem-write-baseline", "."), "is a folder, a file is needed"),
        ((*SUITE, "--actmem-repeat", "0"), "must be 1 or more"),
        ((*SUITE[:3], "nothing.py:Agent"), "no such file"),
        ((*SUITE, "--actmem-baseline", "none.json"), "cannot be read"),
    ],
)
def test_wrong_options_are_one_line(project: Path, args: tuple[str, ...], words: str) -> None:
    code, text = run(project, *args)
    assert code == 4
    assert words in text
    assert "Traceback" not in text


def test_an_agent_that_raises_shows_its_traceback(project: Path) -> None:
    (project / "my_agent.py").write_text(
        "class Agent:\n    def decide(self, observation):\n        raise KeyError('mine')\n"
    )
    code, text = run(project, *SUITE, "--actmem-trial", "A/shopping/time/001")
    assert code == 1
    assert "KeyError: 'mine'" in text


def test_what_is_no_text_is_said_in_one_line(project: Path) -> None:
    (project / "my_agent.py").write_text(
        "class Agent:\n    def decide(self, observation):\n        return 4\n"
    )
    code, text = run(project, *SUITE, "--actmem-trial", "A/shopping/time/001")
    assert code == 1
    assert "A/shopping/time/001: decide returned int, not a text" in text
    assert "agent.py" not in text.replace("my_agent.py", "")


def test_odd_texts_are_shown_in_three_lines(project: Path) -> None:
    (project / "my_agent.py").write_text(
        "class Agent:\n    def decide(self, observation):\n"
        "        slot = f'{9 + observation.step}:30'.rjust(5, '0')\n"
        "        return f\"add_meeting('\x1b[31m\\ud800{'x' * 1900}', '{slot}')\"\n"
    )
    code, text = run(project, *SUITE, "--actmem-trial", "A/scheduling/time/035")
    assert code == 1
    assert re.search(r"^intended: .*\ndue: .*\ndid: .*$", text, re.MULTILINE)
    assert "\x1b[31m\ufffd" not in text
    assert "x" * 100 not in text
