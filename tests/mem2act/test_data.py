from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actmem.errors import InputError
from actmem.mem2act.data import load

Row = Callable[..., dict[str, Any]]


def test_the_sample_loads_whole(sample: Path) -> None:
    data = load(sample)
    assert (len(data.tasks), len(data.sessions)) == (31, 11)
    assert sum(map(data.resolvable, data.tasks)) == 29
    assert sum(map(data.complete, data.tasks)) == 22
    assert data.digest == load(sample).digest


def test_tasks_without_all_of_their_sources_are_told_apart(
    build: Callable[..., Path], task_row: Row
) -> None:
    data = load(
        build(
            [
                task_row("whole"),
                task_row("part", source_conversation_ids=["c1", "gone"]),
                task_row("none", source_conversation_ids=["gone"], evolution_chain=[]),
            ]
        )
    )
    assert [data.resolvable(task) for task in data.tasks] == [True, True, False]
    assert [data.complete(task) for task in data.tasks] == [True, False, False]
    assert data.missing(data.tasks[1]) == ("gone",)


def test_a_chain_counts_as_a_source(build: Callable[..., Path], task_row: Row) -> None:
    (task,) = load(build([task_row(source_conversation_ids=[])])).tasks
    assert task.sources == ("c1",)


def test_tools_are_those_of_the_tasks_and_of_the_third_file(
    build: Callable[..., Path], task_row: Row
) -> None:
    data = load(build([task_row("a"), task_row("b")], tools=[{"name": "cancel_table"}]))
    assert list(data.tools) == ["book_table", "cancel_table"]


def test_a_name_that_is_a_number_is_kept(build: Callable[..., Path], task_row: Row) -> None:
    call = task_row()["tool_call"] | {"name": 4}
    assert load(build([task_row(tool_call=call)])).tasks[0].tool == "4"


@pytest.mark.parametrize(
    ("file", "line", "says"),
    [
        ("qa_dataset.jsonl", "{", "qa_dataset.jsonl:2"),
        ("qa_dataset.jsonl", '{"qa_id": "x"}', "missing required field"),
        ("qa_dataset.jsonl", "\udcff", "qa_dataset.jsonl:2"),
        ("toolmem_conversation.jsonl", '{"session_id": 3, "turns": []}', "$.session_id"),
        ("toolmem_conversation.jsonl", '{"session_id": "s9", "turns": [{}]}', "$.turns[0]"),
    ],
)
def test_a_broken_line_is_named(
    build: Callable[..., Path], file: str, line: str, says: str
) -> None:
    folder = build()
    with (folder / file).open("ab") as out:
        out.write(line.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as caught:
        load(folder)
    assert says in str(caught.value)
    assert f"{file}:2" in str(caught.value)


def test_an_id_may_not_repeat(build: Callable[..., Path], task_row: Row) -> None:
    with pytest.raises(InputError, match=r"qa_dataset.jsonl:2: 't1' stands in line 1 already"):
        load(build([task_row(), task_row()]))


def test_a_folder_without_the_files_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path)
    with pytest.raises(InputError, match="is no folder with"):
        load(tmp_path / "nowhere")
    with pytest.raises(InputError, match="no data set 'mini-nothing' is shipped"):
        load("mini-nothing")


def test_an_empty_file_is_refused(build: Callable[..., Path]) -> None:
    folder = build()
    (folder / "qa_dataset.jsonl").write_text("\n")
    with pytest.raises(InputError, match="holds no lines"):
        load(folder)


def test_a_call_that_is_nested_too_deep_is_refused(
    build: Callable[..., Path], task_row: Row
) -> None:
    deep: Any = 1
    for _ in range(70):
        deep = [deep]
    row = task_row("deep")
    row["tool_call"] = row["tool_call"] | {"arguments": {"people": deep}}
    with pytest.raises(InputError, match="the call of deep is nested more than 64 levels"):
        load(build([row]))
