"""The contract of a memory as a program: run it on yours.

It writes a small history of its own, as a run would, and reads from it: turns of users, assistants
and tools, one without text, a session of an odd number, more than the largest budget holds. Rules:

``raises``      no call raises
``passages``    ``read`` returns a list of passages or texts
``usage``       ``usage``, where there is one, returns a ``Usage``
``readable``    what was written can be read, by its own words
``budget``      passages keep within the budget in tokens, whatever it is
``repeatable``  the same query gets the same answer, whatever was asked in between
``clean``       nothing of a query is ever given back as if it had been written
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from importlib.resources import files
from itertools import groupby
from typing import NamedTuple

from actmem.memory.packing import spent
from actmem.memory.protocol import DAY, PAIR, Memory, Passage, Turn, as_passages, as_usage

BUDGETS = (0, 1, 7, 40, 512)
"""Budgets that are tried."""
MARKER = "zyxomar"
"""A word that stands in queries alone."""


class Violation(NamedTuple):
    """A rule that does not hold, and how it shows."""

    rule: str
    message: str


class Probe(NamedTuple):
    """A question to the history and the word that its answer holds."""

    query: str
    word: str


def check_contract(make: Callable[[], Memory]) -> list[Violation]:
    """Return what a memory does otherwise than it must; ``make`` is called once."""
    turns, probes = _story()
    try:
        memory = make()
        try:
            for _, session in groupby(turns, key=lambda turn: turn.session):
                said = tuple(session)
                for start in range(0, len(said), PAIR):
                    memory.write(said[start : start + PAIR])
            _if_there(memory, "finish")
            return _usage(memory) or _reads(memory, probes)
        finally:
            _if_there(memory, "close")
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a memory that leaves the process has raised, too
        return [Violation("raises", " ".join(f"{type(error).__name__}: {error}".split()))]


def _if_there(memory: Memory, method: str) -> None:
    """Call what a memory may have, and need not."""
    if hasattr(memory, method):
        getattr(memory, method)()


def _usage(memory: Memory) -> list[Violation]:
    """Ask what calls took."""
    if not hasattr(memory, "usage"):
        return []
    told = memory.usage()
    try:
        as_usage(told)
    except TypeError as error:
        return [Violation("usage", str(error))]
    return []


def _reads(memory: Memory, probes: Sequence[Probe]) -> list[Violation]:
    """Read in every way and collect what is wrong."""
    found: list[Violation] = []
    first: dict[str, list[Passage]] = {}
    for probe in probes:
        try:
            first[probe.query] = as_passages(memory.read(probe.query, max(BUDGETS)))
        except TypeError as error:
            return [Violation("passages", str(error))]
        if probe.word not in " ".join(one.text for one in first[probe.query]).casefold():
            found.append(Violation("readable", f"{probe.query!r} does not bring {probe.word!r}"))
    for budget in BUDGETS:
        for probe in probes:
            size = spent(as_passages(memory.read(probe.query, budget)))
            if size > budget:
                found.append(Violation("budget", f"{size} tokens where {budget} are allowed"))
                break
    for probe in probes:
        marked = f"{MARKER} {probe.query} {MARKER} {probe.word}"
        memory.read(marked, max(BUDGETS))
    for query in (MARKER, *(probe.query for probe in probes)):
        if any(MARKER in one.text.casefold() for one in as_passages(memory.read(query, 512))):
            found.append(Violation("clean", "words of an earlier query are given back"))
            break
    for probe in probes:
        if as_passages(memory.read(probe.query, max(BUDGETS))) != first[probe.query]:
            found.append(Violation("repeatable", f"{probe.query!r} is answered otherwise later"))
            break
    return found


def _story() -> tuple[list[Turn], list[Probe]]:
    """Return the history of ``contract.toml`` and its questions."""
    text = files("actmem.memory").joinpath("contract.toml").read_text("utf-8")
    story = tomllib.loads(text)
    turns: list[Turn] = []
    for day, session in enumerate(story["session"]):
        roles = session.get("roles") or ["user", "assistant"] * len(session["turns"])
        for minute, (role, line) in enumerate(zip(roles, session["turns"], strict=False)):
            turns.append(Turn(len(turns), day, day * DAY + minute, role, line))
    return turns, [Probe(probe["query"], probe["word"]) for probe in story["probe"]]
