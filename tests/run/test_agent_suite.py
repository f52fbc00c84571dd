"""What a suite of agents' episodes is made of, on the smallest one: how far can you count?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from actmem.errors import InputError
from actmem.models.chat import Chat
from actmem.models.price import Price
from actmem.models.scripted import ScriptedChat
from actmem.models.tape import Called, Tape
from actmem.run.agent_suite import AgentSuite, Cast, players
from actmem.run.agents import AgentSpec
from actmem.run.coverage import Covered, Ended, covered, how_it_ended
from actmem.run.execute import execute
from actmem.run.plan import Episode, Manifest, plan_run
from actmem.run.store import RunFolder
from actmem.trace import Event, Footer

UNITS = {"two": 2, "five": 5}
Counter = Callable[[int], object]


class Count(Event, frozen=True, tag="count", kw_only=True):
    number: int


class Counting(AgentSuite[int, Counter, str, Ended, Covered]):
    """A unit is a number; an agent is called with each number below it, and may raise."""

    name = "counting"
    events: Any = Count | Called
    of_setups = ("voice",)

    def unit(self, name: str) -> int:
        return UNITS[name]

    def privilege(self, episode: Episode) -> str:
        return "fingers" if episode.agent == "cheat" else ""

    def _find(self, name: str, seconds: float) -> AgentSpec[int, Counter]:
        return find(name)

    def _seat(self, setup: str, unit: int, chat: Chat, tape: Tape, options: str) -> Counter:
        return lambda number: f"{setup} {chat.name} {options} {number} of {unit}"

    def _run(
        self, agent: Counter, unit: int, recorded: Sequence[Any],
        write: Callable[[Event], None], *, resumed: bool,
    ) -> Footer:  # fmt: skip
        for number in range(unit):
            agent(number)
            if number >= len(recorded):
                write(Count(number=number))
        return Footer(status="complete")

    def _judge(self, unit: int, events: Sequence[Any], footer: Footer | None) -> Ended:
        if len(events) > unit:
            raise InputError("counts too far")
        return Ended(**how_it_ended(events, footer))

    def _pool(
        self, agent: str, privilege: str, played: Sequence[Ended], setup: str, model: str
    ) -> Covered:
        return Covered(**covered(agent, privilege, played, setup, model))


def find(name: str) -> AgentSpec[int, Counter]:
    if name == "mute":
        return AgentSpec("", lambda seed, unit: 1 / 0)  # type: ignore[arg-type, return-value]
    if name not in ("nop", "cheat"):
        raise InputError(f"no agent {name!r}")
    return AgentSpec("", lambda seed, unit: lambda number: None)


def find_setup(name: str) -> None:
    if name != "aloud":
        raise InputError(f"no setup {name!r}")


@pytest.fixture
def cast() -> Cast[str]:
    chat = ScriptedChat(["never asked"], name="m")
    return Cast(["aloud"], {"m": chat}, "loud", {"m": Price(1.0, 0.5, 2.0)})


def planned(*agents: str, cast: Cast[str] | None = None, **settings: Any) -> Manifest:
    who = players(agents, find, ("nop", "cheat", "mute"), cast, find_setup)
    units = {name: str(unit) for name, unit in UNITS.items()}
    of_models = cast.settings if cast else {}
    return plan_run("counting", units, who, settings | of_models, seed=3, repeats=2)


def opened(path: Path, plan: Manifest) -> RunFolder:
    return RunFolder.prepare(path / "run", plan, {})


def test_who_plays(cast: Cast[str]) -> None:
    plan = planned("nop", cast=cast, voice="low")
    assert list(dict.fromkeys(e.agent for e in plan.episodes)) == ["nop", "aloud m"]
    assert len(plan.episodes) == 2 * 2 * 2
    assert plan.settings.keys() == {"seed", "repeats", "voice", "models"}
    with pytest.raises(InputError, match="no agent 'who'"):
        planned("who")
    with pytest.raises(InputError, match="no setup 'silent'"):
        planned(cast=cast._replace(setups=["aloud", "silent"]))


def test_a_header_tells_a_setup_from_an_agent(tmp_path: Path, cast: Cast[str]) -> None:
    folder = opened(tmp_path, planned("cheat", cast=cast, voice="low", else_set=1))
    suite = Counting(folder, cast=cast)
    agent, setup = (
        next(e for e in folder.manifest.episodes if e.agent == a) for a in ("cheat", "aloud m")
    )
    plain = suite.header(agent)
    assert (plain.privilege, plain.settings) == ("fingers", {"seed": agent.seed})
    told = suite.header(setup)
    assert (told.privilege, told.unit_digest) == ("", "2")
    assert told.settings == {
        "seed": setup.seed,
        "setup": "aloud",
        "model": "m",
        "voice": "low",
        "model_settings": dict(cast.chats["m"].settings),
        "price": {"new": 1.0, "cached": 0.5, "written": 2.0},
    }


def test_results_are_pooled_over_what_was_planned(tmp_path: Path, cast: Cast[str]) -> None:
    folder = opened(tmp_path, planned("nop", "mute", cast=cast))
    execute(folder, Counting(folder, cast=cast))
    found = {one.agent: one for one in Counting(folder).results()}
    assert [(a, r.planned, r.scored, r.failed, r.complete) for a, r in found.items()] == [
        ("nop", 4, 4, 0, True),
        ("mute", 4, 0, 4, False),
        ("aloud m", 4, 4, 0, True),
    ]
    (error,) = found["mute"].errors
    assert error.startswith("cannot be made: ZeroDivisionError")
    assert (found["aloud m"].setup, found["aloud m"].model) == ("aloud", "m")
    assert (found["aloud m"].cost, found["nop"].cost) == (0.0, None)


def test_a_record_of_another_unit_names_its_trace(tmp_path: Path) -> None:
    folder = opened(tmp_path, planned("nop"))
    execute(folder, Counting(folder))
    two, five = (
        folder.trace_path(next(e for e in folder.manifest.episodes if e.unit == unit))
        for unit in ("two", "five")
    )
    head, *_ = two.read_bytes().splitlines(keepends=True)
    _, *rest = five.read_bytes().splitlines(keepends=True)
    two.write_bytes(head + b"".join(rest))
    with pytest.raises(InputError, match=f"{two}: counts too far"):
        Counting(folder).results()


def test_a_setup_is_not_played_without_its_model(tmp_path: Path, cast: Cast[str]) -> None:
    folder = opened(tmp_path, planned(cast=cast))
    execute(folder, Counting(folder))
    (result,) = Counting(folder).results()
    assert (result.failed, result.planned) == (4, 4)
    assert "needs its model to be played" in result.errors[0]


def test_a_run_of_another_suite_is_refused(tmp_path: Path) -> None:
    plan = plan_run("singing", {"two": "2"}, {"nop": {}}, {}, seed=0, repeats=1)
    with pytest.raises(InputError, match="suite 'singing'"):
        Counting(opened(tmp_path, plan))
