"""The trace: appended line by line, torn lines dropped, everything else refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from actmem.errors import InputError
from actmem.trace import Event, Footer, Header, TraceWriter, read_trace


class Beat(Event, frozen=True, tag="beat", kw_only=True):
    number: int


HEADER = Header(suite="test", unit="unit", unit_digest="0", agent="nop")


def write(path: Path, *events: Event, size: int = 0) -> None:
    with TraceWriter(path, size) as writer:
        for event in events:
            writer.write(event)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write(path, HEADER, Beat(number=1), Beat(number=2), Footer(status="complete", seconds=1.5))
    trace = read_trace(path, Beat)
    assert trace.header == HEADER
    assert trace.events == (Beat(number=1), Beat(number=2))
    assert trace.footer == Footer(status="complete", seconds=1.5)
    assert trace.size == path.stat().st_size


@pytest.mark.parametrize(
    "torn", [b'{"event":"be', b"\xff\xfe", b'{"event":"beat","number":3}', b"\0" * 9]
)
def test_a_torn_last_line_is_dropped_and_cut_before_appending(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "t.jsonl"
    write(path, HEADER, Beat(number=1))
    with path.open("ab") as file:
        file.write(torn)
    trace = read_trace(path, Beat)
    assert trace.events == (Beat(number=1),)
    write(path, Beat(number=2), size=trace.size)
    assert read_trace(path, Beat).events == (Beat(number=1), Beat(number=2))


@pytest.mark.parametrize(
    "line",
    [
        b"rubbish",
        b'{"event":"unknown"}',
        b'{"event":"beat"}',
        b"[" * 100_000,
        b'{"event":"beat","number":"x"}',
    ],
)
def test_a_whole_line_that_is_none_is_refused_with_its_place(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "t.jsonl"
    write(path, HEADER)
    with path.open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(InputError, match=r"t\.jsonl:2") as error:
        read_trace(path, Beat)
    assert len(str(error.value)) < 1000


def test_header_first_and_footer_last(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write(path, Beat(number=1))
    with pytest.raises(InputError, match="begins with its header"):
        read_trace(path, Beat)
    write(path, HEADER, Footer(status="complete"), Beat(number=1))
    with pytest.raises(InputError, match="in the middle"):
        read_trace(path, Beat)
    with pytest.raises(InputError, match="cannot be read"):
        read_trace(tmp_path / "none.jsonl", Beat)
