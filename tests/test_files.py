"""Files: every failure is one line; nothing is half written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from actmem.errors import InputError
from actmem.files import decode, read_bytes, write_atomic


def one_line(error: pytest.ExceptionInfo[InputError]) -> str:
    text = str(error.value)
    assert "\n" not in text
    return text


def test_missing_folder_and_too_large(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read_bytes(tmp_path / "none")
    assert "none" in one_line(error)
    with pytest.raises(InputError, match="folder"):
        read_bytes(tmp_path)
    (tmp_path / "big").write_bytes(b"x" * 11)
    assert read_bytes(tmp_path / "big", 11) == b"x" * 11
    with pytest.raises(InputError, match="larger"):
        read_bytes(tmp_path / "big", 10)
    with pytest.raises(InputError):
        read_bytes(Path("a\0b"))


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"\0\0", b"[" * 200_000, b'{"a": 1}', b"nul"])
def test_bad_json_names_its_source(data: bytes) -> None:
    with pytest.raises(InputError, match="here"):
        decode(data, list[int], "here")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "new" / "file"
    write_atomic(target, b"one")
    write_atomic(target, b"two")
    assert target.read_bytes() == b"two"
    assert [entry.name for entry in target.parent.iterdir()] == ["file"]
    with pytest.raises(InputError, match="cannot be written"):
        write_atomic(target / "below", b"x")
    assert target.read_bytes() == b"two"


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    for name in ("a\0b", "x" * 300, ""):
        path = Path(name) if name == "" else tmp_path / name
        with pytest.raises(InputError) as error:
            write_atomic(path, b"x")
        one_line(error)
    assert not list(tmp_path.iterdir())


def test_what_breaks_off_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "file"
    write_atomic(target, b"old")

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    def interrupted(number: int) -> None:
        raise KeyboardInterrupt

    for fail, expected in ((full, InputError), (interrupted, KeyboardInterrupt)):
        monkeypatch.setattr("os.fsync", fail)
        with pytest.raises(expected):
            write_atomic(target, b"new")
        assert target.read_bytes() == b"old"
        assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_what_never_ends_is_read_no_further_than_the_limit() -> None:
    with pytest.raises(InputError, match="larger"):
        read_bytes(Path("/dev/zero"), 1000)


def test_a_link_stays_and_what_is_no_file_is_refused(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomic(link, b"new")
    assert (link.is_symlink(), target.read_bytes()) == (True, b"new")
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="no regular file"):
        write_atomic(pipe, b"x")
    assert pipe.is_fifo()
