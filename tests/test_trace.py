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


def test_unknown_fields_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write(path, HEADER)
    whole = path.read_bytes()
    for line in (
        b'{"event":"beat","number":1,"x":1}',
        b'{"event":"end","status":"complete","x":1}',
    ):
        path.write_bytes(whole + line + b"\n")
        with pytest.raises(InputError, match=r"t\.jsonl:2.*unknown field"):
            read_trace(path, Beat)


def test_cut_at_every_byte(tmp_path: Path) -> None:
    """Whole lines survive any cut, and what is written on equals what was never cut."""
    path = tmp_path / "t.jsonl"
    beats = [Beat(number=n) for n in range(4)]
    write(path, HEADER, *beats, Footer(status="complete"))
    data = path.read_bytes()
    head = data.index(b"\n") + 1
    for cut in range(head, len(data)):
        path.write_bytes(data[:cut])
        trace = read_trace(path, Beat)
        assert trace.size == data.rindex(b"\n", 0, cut) + 1
        assert trace.footer is None
        rest = beats[len(trace.events) :]
        write(path, *rest, Footer(status="complete"), size=trace.size)
        assert path.read_bytes() == data


class Said(Event, frozen=True, tag="said", kw_only=True):
    text: str
    number: int | float = 0


def test_kinds_derived_from_text_and_number_are_written_plain(tmp_path: Path) -> None:
    class Text(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "another"

    class Number(int):
        def __int__(self) -> int:
            return 99

    class Part(float):
        pass

    path = tmp_path / "t.jsonl"
    write(path, HEADER, Said(text=Text("ä"), number=Number(3)), Said(text="b", number=Part(0.5)))
    events = read_trace(path, Said).events
    assert events == (Said(text="ä", number=3), Said(text="b", number=0.5))
    with TraceWriter(path) as writer, pytest.raises(NotImplementedError, match="object"):
        writer.write(Said(text=object()))  # type: ignore[arg-type]


def test_a_closed_writer_writes_into_nobodys_file(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "t.jsonl")
    writer.close()
    with (tmp_path / "other").open("wb"):  # takes the number that became free
        with pytest.raises(OSError, match="Bad file descriptor"):
            writer.write(HEADER)
        writer.close()
    assert (tmp_path / "other").read_bytes() == b""
    assert (tmp_path / "t.jsonl").read_bytes() == b""


def test_every_line_is_there_when_write_returns(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with TraceWriter(path) as writer:
        writer.write(HEADER)
        for number in range(5):
            writer.write(Beat(number=number))
            assert read_trace(path, Beat).events[-1] == Beat(number=number)
