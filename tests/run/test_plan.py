"""Names of episodes: safe, and different for what is different."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actmem.run.plan import episode_id, episode_seed, file_name, grid, pairs

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


def test_a_longer_name_keeps_its_words() -> None:
    agent = "reflexion-memory local:qwen2.5-coder-1.5b"
    assert file_name(agent).startswith("reflexion-memory-local-qwen2-5-coder-1-5b-")


def test_a_grid_goes_unit_by_unit_with_the_same_chance_for_all() -> None:
    agents: dict[str, dict[str, str]] = {"nop": {}} | pairs(["base", "memory", "base"], ["m", "n"])
    assert list(agents) == ["nop", "base m", "memory m", "base n", "memory n"]
    assert agents["memory n"] == {"setup": "memory", "model": "n"}
    found = grid(["one", "two"], agents, seed=4, repeats=3)
    assert [(e.unit, e.agent, e.repeat) for e in found] == [
        (unit, agent, repeat) for unit in ("one", "two") for agent in agents for repeat in range(3)
    ]
    assert all(e.id == episode_id(e.unit, e.agent, e.repeat) for e in found)
    assert all(e.settings == agents[e.agent] for e in found)
    seeds = {(e.unit, e.repeat): set[int]() for e in found}
    for e in found:
        seeds[e.unit, e.repeat].add(e.seed)
    assert all(len(of) == 1 for of in seeds.values())
    assert len(set.union(*seeds.values())) == 6


def test_seeds_of_episodes_differ() -> None:
    seeds = {episode_seed(seed, number) for seed in range(50) for number in range(50)}
    assert len(seeds) == 2500
