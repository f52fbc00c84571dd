"""Inspect logs as run folders: what is refused, in one line, and what is made up for."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from actmem.cli import run_cli
from actmem.errors import InputError
from actmem.week.score import SCORER

from .conftest import mock
from .test_week import SCRIPT

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect and what it imports warn

TASK = {"seed": 8, "weeks": 2, "days": 1}


class Said(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of two weeks of one day."""
    from inspect_ai import eval as run

    from actmem.inspect_tasks.week import week

    folder = tmp_path_factory.mktemp("logs")
    (log,) = run(week(**TASK), model=mock(SCRIPT), display="none", log_dir=str(folder),
                 log_realtime=False)  # fmt: skip
    return Path(log.location)


@pytest.fixture
def score(capfd: pytest.CaptureFixture[str]) -> Callable[[Path], Said]:
    def scored(path: Path) -> Said:
        capfd.readouterr()
        code = run_cli(["score", "run", str(path), "--json"])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Said(code, out, err)

    return scored


@pytest.fixture
def changed(whole: Path, tmp_path: Path) -> Callable[..., Path]:
    """Write the log anew after ``change`` has had its way with it."""

    def write(change: Callable[[Any], object], name: str = "changed.eval") -> Path:
        from inspect_ai.log import read_eval_log, write_eval_log

        log = read_eval_log(str(whole))
        change(log)
        write_eval_log(log, str(tmp_path / name))
        return tmp_path / name

    return write


def refused(said: Said, *words: str) -> None:
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    for word in words:
        assert word in said.err


def test_a_whole_log_is_named_as_it_was_given(
    whole: Path, score: Callable[[Path], Said], changed: Callable[..., Path]
) -> None:
    said = score(whole)
    found = json.loads(said.out)
    assert (said.code, said.err, found["run"], found["suite"]) == (0, "", str(whole), "week")
    again = json.loads(score(changed(lambda log: None, "same.json")).out)
    assert again["rows"] == found["rows"]
    assert run_cli(["score", "run", str(whole)]) == 0  # the table


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_torn_log_is_refused(
    whole: Path, tmp_path: Path, score: Callable[[Path], Said], share: float
) -> None:
    data = whole.read_bytes()
    torn = tmp_path / "torn.eval"
    torn.write_bytes(data[: int(len(data) * share)])
    refused(score(torn), "torn.eval: is no Inspect log, or a torn one")


def test_what_is_no_log_is_refused(tmp_path: Path, score: Callable[[Path], Said]) -> None:
    for name in ("notes.txt", "notes.json", "notes.eval"):
        path = tmp_path / name
        path.write_text("Buy milk.")
        refused(score(path), f"{name}: is no Inspect log")


def test_the_log_of_another_task_is_refused(
    changed: Callable[..., Path], score: Callable[[Path], Said]
) -> None:
    refused(score(changed(lambda log: log.eval.metadata.clear())), "is the log of another task, ")
    path = changed(lambda log: log.eval.metadata["actmem"].update(format="actmem-inspect-9"))
    refused(score(path), "its metadata cannot be used")


def test_another_version_of_the_scorer_is_refused(
    changed: Callable[..., Path], score: Callable[[Path], Said]
) -> None:
    path = changed(lambda log: log.eval.metadata["actmem"].update(scorer=SCORER + 1))
    refused(score(path), f"scorer version {SCORER + 1}, not {SCORER}")


def test_a_changed_week_or_trace_is_refused(
    changed: Callable[..., Path], score: Callable[[Path], Said]
) -> None:
    def other_week(log: Any) -> None:
        log.samples[0].metadata["actmem:unit"]["days"][0]["steps"][0]["text"] = "Another."

    refused(score(changed(other_week)), "changed.eval/units/", "not the scenario")

    def other_act(log: Any) -> None:
        log.samples[1].store["actmem:trace"][-2]["handles"] = ["task_999"]

    refused(score(changed(other_act)), "changed.eval/traces/", "no handle 'task_999'")

    def other_line(log: Any) -> None:
        log.samples[1].store["actmem:trace"][3] = {"event": "guess"}

    refused(score(changed(other_line)), "changed.eval/traces/", "no trace line")


def test_a_sample_that_was_never_begun_counts_as_empty_acts(
    changed: Callable[..., Path], whole: Path, score: Callable[[Path], Said]
) -> None:
    """As in the log of a run that was killed: the week is made again, and its hash compared."""
    path = changed(lambda log: log.samples.pop())
    (row,) = json.loads(score(whole).out)["rows"]
    said = score(path)
    (cut,) = json.loads(said.out)["rows"]
    assert (said.code, cut["planned"], cut["scored"], cut["failed"]) == (3, 2, 1, 0)
    due = [r["counts"]["set_tp"] + r["counts"]["set_fn"] for r in (cut, row)]
    assert due[0] == due[1]
    assert "1 not ended of 2" in said.err

    def cannot(log: Any) -> None:
        log.samples.pop()
        log.eval.task_args["seed"] = 11

    refused(score(changed(cannot)), "cannot be made again")


def test_without_inspect_the_extra_is_named(
    whole: Path, score: Callable[[Path], Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [n for n in sys.modules if n.startswith("actmem.inspect_tasks")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    refused(score(whole), "pip install 'actmem[inspect]'")


@pytest.mark.parametrize(
    ("suite", "options", "problem"),
    [
        ("week", {"wekks": 1}, "-T wekks: there is no such option; there are .*weeks.*profile"),
        ("week", {"weeks": "x"}, "-T weeks: Expected `int`, got `str`"),
        ("week", {"weeks": 0}, "-T weeks: "),
        ("week", {"weeks": 1000}, "the standard set has"),
        ("week", {"setup": "majority"}, "-T setup: it replays a hierarchy run"),
        ("week", {"setup": "singel"}, "no setup 'singel'"),
        ("week", {"nudge": "loud"}, "-T nudge: "),
        ("week", {"days": 9}, "days: 9 is not from 1 to 7"),
        ("week", {"density": "high"}, "-T density: "),
        ("week", {"channels": "post"}, "'post' is none of"),
        ("week", {"scenario": "nowhere.json"}, "nowhere.json: cannot be read"),
        ("week", {"scenario": "nowhere.json", "days": 2}, "-T scenario: "),
        ("week", {"prompts": "nowhere"}, "nowhere"),
        ("trials", {"subsets": "A"}, "-T subsets: there is no such option"),
        ("trials", {"subset": "D"}, "no subset 'D'"),
        ("trials", {"trial": ("A/none",)}, "no trial 'A/none'"),
        ("trials", {"setup": "ledger"}, "no setup 'ledger'"),
        ("trials", {"history_tokens": 5}, "-T history_tokens: "),
    ],
)
def test_a_wrong_option_is_refused(suite: str, options: dict[str, Any], problem: str) -> None:
    import click

    from actmem import inspect_tasks

    task = getattr(getattr(inspect_tasks, suite), suite)
    with pytest.raises(InputError, match=problem) as raised:
        task(**options)
    assert isinstance(raised.value, click.ClickException)  # Inspect's command line prints a line
    assert raised.value.exit_code == 2


def test_inspects_command_line_finds_the_tasks_and_refuses_a_misspelt_option() -> None:
    words = ["eval", "actmem/week", "--model", "mockllm/model", "-T", "wekks=1"]
    code = "import sys; from inspect_ai._cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: -T wekks: there is no such option")
    assert done.stderr.count("\n") == 1
