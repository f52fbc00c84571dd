"""Equal data has equal bytes, and different data different ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actmem.hashing import canonical, digest, digest_files

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def turned(value: Any) -> Any:
    """Return the value with every mapping built in the opposite order."""
    if isinstance(value, dict):
        return {key: turned(part) for key, part in reversed(value.items())}
    return [turned(part) for part in value] if isinstance(value, list) else value


@given(values)
def test_the_order_of_keys_does_not_count(value: Any) -> None:
    assert canonical(turned(value)) == canonical(value)
    assert msgspec.json.decode(canonical(value)) == value


@given(values, values)
def test_different_values_differ(one: Any, two: Any) -> None:
    def same(a: Any, b: Any) -> bool:  # True is no 1 here
        return bool(
            msgspec.json.encode(turned(a), order="sorted") == msgspec.json.encode(b, order="sorted")
        )

    assert (digest(one) == digest(two)) == same(one, two)


def test_known_bytes_and_digest() -> None:
    class Point(msgspec.Struct):
        y: int
        x: float

    assert canonical(Point(1, 2.0)) == b'{"x":2.0,"y":1}'
    assert canonical({"ä": ("x", None, True)}) == '{"ä":["x",null,true]}'.encode()
    assert digest([]) == "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"


def test_what_has_no_order_is_sorted() -> None:
    assert canonical({"b", "a", "c"}) == b'["a","b","c"]'
    with pytest.raises(TypeError):
        canonical({1: 2, "1": 2})  # two keys that would be one


def test_files_by_name_and_content_whatever_their_order(tmp_path: Path) -> None:
    def file(name: str, content: bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return path

    paths = [file("a/x", b"1"), file("b/x", b"2"), file("a/y", b"1")]
    whole = digest_files(paths)
    assert digest_files(paths[::-1]) == whole == digest_files([paths[1], paths[0], paths[2]])
    assert digest_files(paths[:2]) != whole
    file("a/y", b"2")
    assert digest_files(paths) != whole
    file("a/y", b"1")
    assert digest_files(paths) == whole
    assert digest_files([file("a/z", b"1")]) != digest_files([file("a/w", b"1")])
