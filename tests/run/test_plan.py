"""Names of episodes: safe, and different for what is different."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actmem.run.plan import episode_id, episode_seed, file_name

names = st.text(min_size=1, max_size=120) | st.text("ab/.-_:", min_size=1, max_size=80)


@given(names)
def test_a_file_name_is_safe_everywhere(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,60}", file_name(name))


@given(names, names)
def test_different_names_have_different_files(one: str, two: str) -> None:
    assert (file_name(one) == file_name(two)) == (one == two)


@pytest.mark.parametrize("name", ["nop", "full-7", "a_b", "x" * 60])
def test_plain_names_stay(name: str) -> None:
    assert file_name(name) == name


@pytest.mark.parametrize(
    ("one", "two"),
    [("a/b.py:A", "a-b.py:A"), ("./a.py:A", "a.py:A"), ("x" * 70 + "a", "x" * 70 + "b"),
     ("..", "."), ("A b", "A  b"), ("é", "è"), ("\ud800", "?")],
)  # fmt: skip
def test_names_that_would_fall_together(one: str, two: str) -> None:
    assert file_name(one) != file_name(two)


def test_the_end_of_a_path_can_still_be_read() -> None:
    assert re.fullmatch(
        r"[\w-]*agents-mine-py-Agent-[0-9a-f]{8}", file_name("/x/agents/mine.py:Agent")
    )


def test_the_parts_of_an_id_cannot_be_shifted() -> None:
    assert episode_id("a", "b.c", 1) != episode_id("a.b", "c", 1)
    assert episode_id("full-7", "nop", 0) == "full-7.nop.0"


def test_seeds_of_episodes_differ() -> None:
    seeds = {episode_seed(seed, number) for seed in range(50) for number in range(50)}
    assert len(seeds) == 2500
