from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.memory.conftest import HashingEmbedder

from actmem.cli import run_cli
from actmem.errors import IncompleteError, InputError, ProviderError
from actmem.mem2act.data import Dataset, load
from actmem.mem2act.record import Answered
from actmem.mem2act.results import Row, quantile, results
from actmem.mem2act.suite import Mem2ActSuite, make_manifest, unit_file
from actmem.mem2act.table import result_lines
from actmem.memory.protocol import Passage, Turn
from actmem.models.budget import Budget, BudgetedChat
from actmem.models.chat import Completion, Message, Usage
from actmem.models.price import Price
from actmem.models.scripted import ScriptedChat
from actmem.models.tape import Called
from actmem.run.execute import execute
from actmem.run.store import RunFolder
from actmem.trace import TraceWriter

Make = Callable[..., dict[str, Any]]
Build = Callable[..., Path]
SECRET = "Zanzibar Kiosk"


@pytest.fixture
def data(build: Build, task_row: Make, session_row: Make) -> Dataset:
    """Return three tasks; the second one's value stands nowhere."""
    tasks = [task_row(name, query="Book the table, as I said.") for name in ("a", "b", "c")]
    call = json.loads(json.dumps(tasks[1]["tool_call"]))
    call["arguments"]["place"] = SECRET
    tasks[1] |= {"tool_call": call, "query": "Book the other one as I said."}
    return load(build(tasks, [session_row("s1"), session_row("s2")]))


GOLD = {"name": "book_table", "arguments": {"people": 4, "place": "Lighthouse Grill"}}


class Spy:
    """A scripted model that keeps its prompts.

    It fails from call ``dies`` on, and replies rubbish to prompts that lack the words ``only``.
    """

    def __init__(
        self, entries: Sequence[Any] = ({"reply": GOLD},), dies: int = 10**6, only: str = ""
    ) -> None:
        self._only = only
        self._chat = ScriptedChat(entries)
        self.name, self.window, self.parallel = "spy", None, 1
        self.settings: dict[str, Any] = {"backend": "spy"}
        self.prompts: list[str] = []
        self._dies = dies

    def complete(self, messages: Sequence[Message], schema: Any = None) -> Completion:
        if len(self.prompts) >= self._dies:
            raise KeyError("killed")
        self.prompts.append("\n".join(message.content for message in messages))
        chat = self._chat if self._only in self.prompts[-1] else ScriptedChat(["no"])
        return chat.complete(messages, schema)

    def close(self) -> None: ...


def play(
    data: Dataset, path: Path, memories: Sequence[str], chat: Spy | None = None, **options: Any
) -> list[Row]:
    models = {"spy": chat} if chat else {}
    manifest = make_manifest(data, memories, {n: c.settings for n, c in models.items()}, **options)
    folder = RunFolder.prepare(path, manifest, unit_file(data))
    execute(folder, Mem2ActSuite(folder, models, HashingEmbedder))
    return results(Mem2ActSuite(RunFolder.open(path)))


def test_systems_are_played_and_scored(data: Dataset, tmp_path: Path) -> None:
    rows = play(data, tmp_path / "run", ["none", "bm25", "oracle"], Spy())
    assert [row.agent for row in rows] == ["none + spy", "bm25 + spy", "oracle + spy"]
    for row in rows:
        assert (row.status, row.planned, row.answered) == ("complete", 3, 3)
        assert row.scores is not None
        assert row.scores.all.em == pytest.approx(2 / 3)
        assert row.scores.all.tsa == 1.0
        assert row.gain == 0.0
        assert row.cost.reader.calls == 3
        assert len(row.by_task) == 3
    assert [row.privilege for row in rows] == ["", "", "is told the evidence"]
    assert rows[0].retrieval["all"].means["recall"] == 0
    assert rows[1].retrieval["all"].means["recall"] == pytest.approx(2 / 3)
    assert json.dumps([row.plain() for row in rows])


def test_without_a_model_retrieval_is_measured(data: Dataset, tmp_path: Path) -> None:
    rows = play(data, tmp_path / "run", ["bm25", "hybrid"])
    assert [row.scores for row in rows] == [None, None]
    assert [row.status for row in rows] == ["complete", "complete"]
    assert rows[0].cost.read_p95 is not None


def test_no_prompt_holds_what_is_hidden(data: Dataset, tmp_path: Path) -> None:
    chat = Spy()
    play(data, tmp_path / "run", ["none", "full", "bm25", "hybrid", "long-term"], chat)
    prompts = "\n".join(chat.prompts)
    assert "Book the other one" in prompts
    for hidden in (SECRET, "Ada wants", "explicit", "source_id", "s1", "L1"):
        assert hidden not in prompts


def test_the_memory_receives_only_turns(
    data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    class Watching:
        def write(self, turns: Sequence[Turn]) -> None:
            seen.extend(turns)

        def read(self, query: str, budget: int) -> list[Passage]:
            return []

    monkeypatch.setattr("actmem.memory.bounds.Nothing", Watching)
    play(data, tmp_path / "run", ["none"], Spy())
    suite = Mem2ActSuite(RunFolder.open(tmp_path / "run"))
    assert seen == list(suite.history.turns)
    assert not any(SECRET in turn.text or "as I said" in turn.text for turn in seen)


def traces(path: Path) -> list[Any]:
    suite = Mem2ActSuite(RunFolder.open(path))
    (episode,) = suite.folder.manifest.episodes
    trace = suite.folder.trace(episode, suite.events)
    assert trace is not None
    return [e for e in trace.events if isinstance(e, Called | Answered)]


@pytest.mark.parametrize("dies", [0, 1, 2])
def test_a_killed_run_goes_on_without_repeating_calls(
    data: Dataset, tmp_path: Path, dies: int
) -> None:
    with pytest.raises(KeyError):
        play(data, tmp_path / "run", ["bm25"], Spy(dies=dies))
    chat = Spy()
    (row,) = play(data, tmp_path / "run", ["bm25"], chat)
    assert len(chat.prompts) == 3 - dies
    assert row.status == "complete"
    play(data, tmp_path / "whole", ["bm25"], Spy())
    resumed, whole = traces(tmp_path / "run"), traces(tmp_path / "whole")
    assert [e for e in resumed if isinstance(e, Answered)] == [
        e for e in whole if isinstance(e, Answered)
    ]
    assert len(resumed) == len(whole)
    assert not list((tmp_path / "run" / "traces").glob("*.attempt-*"))


def test_a_memory_that_answers_otherwise_starts_anew(
    data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyError):
        play(data, tmp_path / "run", ["none"], Spy(dies=2))

    class Other:
        def write(self, turns: Sequence[Turn]) -> None: ...

        def read(self, query: str, budget: int) -> list[Passage]:
            return [Passage("something new")]

    monkeypatch.setattr("actmem.memory.bounds.Nothing", Other)
    chat = Spy()
    (row,) = play(data, tmp_path / "run", ["none"], chat)
    assert (len(chat.prompts), row.status) == (3, "complete")
    assert len(list((tmp_path / "run" / "traces").glob("*.attempt-1"))) == 1


@pytest.mark.parametrize("room", [0, 1, 4, 7])
def test_a_full_disk_is_one_line_and_loses_nothing(
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
    with pytest.raises(IncompleteError, match="cannot be written: No space left on device"):
        play(data, tmp_path / "run", ["bm25"], Spy())
    monkeypatch.undo()
    chat = Spy()
    (row,) = play(data, tmp_path / "run", ["bm25"], chat)
    assert row.status == "complete"
    assert len(chat.prompts) == 3 - (
        room == 7
    )  # header, 2 sessions, then read, call, answer a task


def test_two_runs_do_not_share_a_folder(data: Dataset, tmp_path: Path) -> None:
    manifest = make_manifest(data, ["bm25"], {})
    folder = RunFolder.prepare(tmp_path / "run", manifest, unit_file(data))
    with pytest.raises(InputError, match="another run is working in this folder"):
        play(data, tmp_path / "run", ["bm25"])
    folder.release()
    assert play(data, tmp_path / "run", ["bm25"])[0].status == "complete"


def test_a_dead_endpoint_scores_nothing_and_says_so(data: Dataset, tmp_path: Path) -> None:
    (row,) = play(data, tmp_path / "run", ["bm25"], Spy([{"fail": "no route to host"}]))
    assert (row.status, row.answered) == ("failed", 0)
    assert row.scores is not None
    assert (row.scores.all.tasks, row.scores.all.f1, row.scores.all.em) == (3, 0, 0)
    assert "no route to host" in row.error
    (row,) = play(data, tmp_path / "run", ["bm25"], Spy())
    assert row.status == "complete"  # the same command plays it again


def test_invalid_replies_are_no_calls(data: Dataset, tmp_path: Path) -> None:
    (row,) = play(data, tmp_path / "run", ["bm25"], Spy(only="Book the other one"))
    assert row.scores is not None
    assert (row.status, row.answered) == ("complete", 3)
    assert row.scores.unusable == 2
    assert row.scores.all.tsa == pytest.approx(1 / 3)


def test_a_model_without_one_valid_reply_has_failed(data: Dataset, tmp_path: Path) -> None:
    (row,) = play(data, tmp_path / "run", ["bm25"], Spy(["no"]))
    assert row.scores is not None
    assert (row.status, row.answered, row.invalid) == ("failed", 3, 12)
    assert (row.scores.all.f1, row.scores.unusable) == (0, 3)
    assert row.error == "the model gave no valid reply to any task"


@pytest.mark.parametrize("where", ["__init__", "write", "read", "finish"])
def test_a_memory_that_raises_fails_its_episode_alone(
    data: Dataset, tmp_path: Path, where: str
) -> None:
    body = "".join(
        f"    def {name}({args}):\n        "
        + ("raise OSError(28, 'No space left')" if name == where else "return []")
        + "\n"
        for name, args in [("write", "self, turns"), ("read", "self, query, budget"),
                           ("finish", "self")]
    )  # fmt: skip
    if where == "__init__":
        body += "    def __init__(self):\n        raise OSError(28, 'No space left')\n"
    path = tmp_path / "mine.py"
    path.write_text(f"class Mine:\n{body}")
    rows = play(data, tmp_path / "run", [f"{path}:Mine", "bm25"], Spy())
    assert [row.status for row in rows] == ["failed", "complete"]
    assert "OSError" in rows[0].error
    path.unlink()  # a folder is scored without the memory's file
    assert len(results(Mem2ActSuite(RunFolder.open(tmp_path / "run")))) == 2


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("def read(self, query, budget):\n        return [Passage('x', 'ab')]", "whole numbers"),
        ("def usage(self):\n        raise OSError('gone')", "OSError: gone"),
        ("def usage(self):\n        return None", "usage must return a Usage"),
        ("def read(self, query, budget):\n        raise CancelledError", "CancelledError"),
        ("def read(self, query, budget):\n        sys.exit(0)", "SystemExit"),
    ],
)
def test_a_memory_that_breaks_its_word_fails_its_episode_alone(
    data: Dataset, tmp_path: Path, body: str, says: str
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import sys\nfrom asyncio import CancelledError\n"
        "from actmem.memory.protocol import Passage\n"
        "class Mine:\n    def write(self, turns): ...\n"
        "    def read(self, query, budget):\n        return ['x']\n"
        f"    {body}\n"
    )
    rows = play(data, tmp_path / "run", [f"{path}:Mine", "none"])
    assert [row.status for row in rows] == ["failed", "complete"]
    assert says in rows[0].error
    assert len(results(Mem2ActSuite(RunFolder.open(tmp_path / "run")))) == 2


CLOSES = """
class Mine:
    def __init__(self, {part}): self.part = {part}
    def write(self, turns):
        try: {use}
        except BaseException: pass
    def read(self, query, budget): return []
    def close(self): raise RuntimeError("close failed")
"""


@pytest.mark.parametrize(
    ("part", "use"),
    [("embedder", "self.part.embed(['x'])"), ("model", "self.part.complete('x', [])")],
)
def test_a_dead_part_fails_the_episode_whoever_swallows_it(
    data: Dataset, tmp_path: Path, part: str, use: str
) -> None:
    class Dead:
        def embed(self, texts: Sequence[str]) -> Any:
            raise ProviderError("openai/x: nobody there")

    class DeadOnce(Spy):
        def complete(self, messages: Sequence[Message], schema: Any = None) -> Completion:
            if not messages:
                raise ProviderError("openai/x: nobody there")
            return super().complete(messages, schema)

    path = tmp_path / "mine.py"
    path.write_text(CLOSES.format(part=part, use=use))
    chat = DeadOnce()
    manifest = make_manifest(data, [f"{path}:Mine"], {"m": chat.settings})
    folder = RunFolder.prepare(tmp_path / "run", manifest, unit_file(data))
    execute(folder, Mem2ActSuite(folder, {"m": chat}, Dead))
    (row,) = results(Mem2ActSuite(RunFolder.open(tmp_path / "run")))
    assert (row.status, row.error) == ("failed", "openai/x: nobody there")
    assert chat.prompts == []
    (trace,) = (tmp_path / "run" / "traces").iterdir()
    assert json.loads(trace.read_text().splitlines()[-1])["provider"] is True


def test_a_memory_that_times_its_own_calls_goes_on_where_it_stopped(
    data: Dataset, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import time\nfrom actmem.memory.protocol import Usage\n"
        "class Mine:\n    def write(self, turns): ...\n"
        "    def read(self, query, budget): return []\n"
        "    def usage(self): return Usage(calls=1, seconds=time.perf_counter())\n"
    )
    with pytest.raises(KeyError):
        play(data, tmp_path / "run", [f"{path}:Mine"], Spy(dies=2))
    chat = Spy()
    (row,) = play(data, tmp_path / "run", [f"{path}:Mine"], chat)
    assert (row.status, len(chat.prompts)) == ("complete", 1)
    assert not list((tmp_path / "run" / "traces").glob("*.attempt-*"))


def test_what_close_raises_fails_an_episode_that_went_well(data: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(CLOSES.format(part="folder", use="pass"))
    (row,) = play(data, tmp_path / "run", [f"{path}:Mine"])
    assert (row.status, row.error) == ("failed", "memory: RuntimeError: close failed")


def test_reads_beyond_the_budget_are_cut_and_told(data: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "class Mine:\n    def write(self, turns): ...\n"
        "    def read(self, query, budget):\n"
        "        return ['word ' * (2000 if 'other' in query else 2)]\n"
    )
    mine, bm25 = play(data, tmp_path / "run", [f"{path}:Mine", "bm25"])
    assert (mine.cost.cut, bm25.cost.cut) == (1, 0)
    assert mine.retrieval["all"].tokens == pytest.approx((512 + 2 * 2) / 3)
    assert "1 of 3 reads exceeded the budget and were cut" in result_lines([mine, bm25])[-1]


def test_each_task_shows_its_own_schema(
    build: Build, task_row: Make, session_row: Make, tmp_path: Path
) -> None:
    """Two tools of one name: the second task's takes a city and nothing else."""
    other = task_row("b")
    other["tool_call"] = {"name": "book_table", "arguments": {"city": "Rome"}}
    other["target_tool_schema"] = {
        "name": "book_table", "parameters": {"properties": {"city": {"type": "string"}}},
    }  # fmt: skip
    data = load(build([task_row("a"), other], [session_row("s1")]))
    rome = {"name": "book_table", "arguments": {"city": "Rome"}}
    chat = Spy([{"reply": GOLD, "when": "people"}, {"reply": rome, "when": "city"}])
    (row,) = play(data, tmp_path / "run", ["none"], chat)
    assert row.scores is not None
    assert row.scores.all.em == 1.0


def test_what_a_memory_raises_can_be_written_down(data: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "class Mine:\n    def write(self, turns): ...\n"
        "    def read(self, query, budget):\n        raise ValueError('half \\ud800 a pair')\n"
    )
    rows = play(data, tmp_path / "run", [f"{path}:Mine", "none"])
    assert [row.status for row in rows] == ["failed", "complete"]
    assert rows[0].error == "memory: ValueError: half \\ud800 a pair"


def test_passages_can_be_written_down_whatever_they_hold(data: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "class Mine:\n    def write(self, turns): ...\n"
        "    def read(self, query, budget):\n        return ['half \\ud800 a pair']\n"
    )
    chat = Spy()
    (row,) = play(data, tmp_path / "run", [f"{path}:Mine"], chat)
    assert row.status == "complete"
    assert "half \ufffd a pair" in chat.prompts[0]


def test_a_run_with_other_settings_is_refused(data: Dataset, tmp_path: Path) -> None:
    play(data, tmp_path / "run", ["bm25"])
    with pytest.raises(InputError, match=r"settings.budget: 512 there, 100 now"):
        play(data, tmp_path / "run", ["bm25"], budget=100)
    with pytest.raises(InputError, match="no memory 'bm26'"):
        play(data, tmp_path / "two", ["bm26"])
    with pytest.raises(InputError, match="at least 1 token"):
        play(data, tmp_path / "two", ["bm25"], budget=0)
    assert not (tmp_path / "two").exists()


MINE = """
class Mine:
    def write(self, turns): ...
    def read(self, query, budget):
        return ["one thing"]
"""


def test_a_changed_memory_file_is_refused(data: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    play(data, tmp_path / "run", [f"{path}:Mine"])
    play(data, tmp_path / "run", [f"{path}:Mine"])
    path.write_text(MINE.replace("one thing", "another"))
    with pytest.raises(InputError, match=r"settings\.memory_file: \w+… there, \w+… now"):
        play(data, tmp_path / "run", [f"{path}:Mine"])


def test_a_changed_memory_program_is_refused(data: Dataset, tmp_path: Path) -> None:
    program = tmp_path / "mine.sh"
    program.write_text("read -r line")
    memory = f"cmd:sh {program}"
    play(data, tmp_path / "run", [memory])
    program.write_text("exit 1")
    with pytest.raises(InputError, match=r"settings\.memory_files"):
        play(data, tmp_path / "run", [memory])


def test_the_record_names_the_prompts_and_the_embedder(data: Dataset, tmp_path: Path) -> None:
    for memory, embeds in (("bm25", False), ("dense", True)):
        play(data, tmp_path / memory, [memory], Spy())
        folder = RunFolder.open(tmp_path / memory)
        (episode,) = folder.manifest.episodes
        for settings in (folder.manifest.settings, Mem2ActSuite(folder).header(episode).settings):
            assert set(settings["prompts"]) == {"reader", "dialogue"}
            assert all(len(digest) == 64 for digest in settings["prompts"].values())
            assert ("embedder" in settings) == embeds
    assert settings["embedder"]["model"] == "minilm"


def test_calls_are_told_and_their_cost_recorded(data: Dataset, tmp_path: Path) -> None:
    """The script counts one token a word, so that the cost follows from the counts."""
    price = Price(1.0, 0.5, 2.0)
    chat = BudgetedChat(Spy(), Budget(), price)
    folder = RunFolder.prepare(
        tmp_path / "run", make_manifest(data, ["none"], {"spy": chat.settings}), unit_file(data)
    )
    told: list[Usage] = []
    suite = Mem2ActSuite(
        folder, {"spy": chat}, HashingEmbedder, on_call=told.append, prices={"spy": price}
    )
    execute(folder, suite)
    (row,) = results(suite)
    assert len(told) == 3
    expected = price.cost(sum(told, Usage()))
    assert expected > 0
    assert row.cost.paid == pytest.approx(expected)
    trace = folder.trace(folder.manifest.episodes[0], suite.events)
    assert trace is not None
    assert trace.header.settings["price"] == {"new": 1.0, "cached": 0.5, "written": 2.0}
    assert result_lines([row])[0].endswith("cost")


def test_changed_data_in_the_folder_is_refused(data: Dataset, tmp_path: Path) -> None:
    play(data, tmp_path / "run", ["bm25"])
    unit = tmp_path / "run" / "units" / "data.json"
    unit.write_text(unit.read_text().replace("Nine metres", "Ten metres"))
    with pytest.raises(InputError, match="is not the data set that the manifest names"):
        Mem2ActSuite(RunFolder.open(tmp_path / "run"))


def test_the_tools_shown_are_those_of_the_plan(data: Dataset, tmp_path: Path) -> None:
    extra = {"name": "cancel_table", "parameters": {"properties": {}}}
    more = Dataset("data", data.tasks, data.sessions, [extra])
    chat = Spy([{"reply": {"call": {"name": "cancel_table", "arguments": {}}}}])
    shown = {task.qa_id: ["cancel_table", "book_table"] for task in data.tasks}
    (row,) = play(more, tmp_path / "run", ["bm25"], chat, shown=shown)
    assert row.scores is not None
    assert (row.scores.all.tsa, row.scores.all.arg_f1) == (0, None)
    assert (row.negatives, row.title) == (1, "bm25 + spy, 1 negative")
    assert chat.prompts[0].index("cancel_table") < chat.prompts[0].index("book_table")


def test_the_command_plays_resumes_and_scores(
    build: Build, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, script, out = build(), tmp_path / "script.json", tmp_path / "run"
    script.write_text(json.dumps([{"reply": GOLD}]))
    line = ["run", "mem2act", "--data", str(folder), "--memory", "none,bm25,oracle", "--model",
            f"scripted:{script}", "-o", str(out), "--json"]  # fmt: skip
    assert run_cli(line) == 0
    first = json.loads(capfd.readouterr().out)
    assert [row["scores"]["em"] for row in first["rows"]] == [1.0, 1.0, 1.0]
    assert run_cli(line) == 0
    again = json.loads(capfd.readouterr().out)
    assert again["rows"] == first["rows"]
    assert run_cli(["score", "run", str(out)]) == 0
    table = capfd.readouterr().out
    assert "oracle: is told the evidence" in table
    pairs = first["pairs"]
    assert [(pair["difference"]["mean"], pair["difference"]["p"]) for pair in pairs] == [(0, 1)] * 3
    assert run_cli([*line[:-1], "--analyses"]) == 0
    table = capfd.readouterr().out
    for title in ("F1 by level", "slot accuracy by value class", "error modes", "95 %"):
        assert title in table
    script.write_text(json.dumps([{"fail": "gone"}]))
    code = run_cli([*line[:-3], "-o", str(tmp_path / "dead")])
    assert code == 3
    found = capfd.readouterr()
    assert "0/1 INCOMPLETE" in found.out
    assert "incomplete: none + scripted" in found.err


def test_quantiles_are_values_that_were_measured() -> None:
    assert quantile([], 0.5) is None
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert quantile([float(i) for i in range(1, 101)], 0.95) == 95.0
    assert quantile([7.0], 0.95) == 7.0
