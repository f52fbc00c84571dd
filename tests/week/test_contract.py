"""The agent's contract: each rule is broken by an agent, and a sound one breaks none."""

from __future__ import annotations

import gc
import itertools
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from actmem.models.scripted import ScriptedChat
from actmem.models.tape import Tape
from actmem.week.agents import BUILT_IN, Agent, find_agent
from actmem.week.agents.setups import SETUPS, SetupOptions, make_agent
from actmem.week.agents.wording import built_in
from actmem.week.contract import CUTS, REFUSING, WEEKS, check_contract
from actmem.week.make import make_week
from actmem.week.obligations import WeekPlan
from actmem.week.observed import Candidate
from actmem.week.world import Act, Query, World


class Sound:
    """Asks the clock, then acts on a handle now and then."""

    deterministic = True

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def decide(self, observation: Any) -> Any:
        if not observation.replies:
            return Query("clock")
        return Act("A", tuple(i.handle for i in observation.menu if self.chance.random() < 0.1))


class Raises(Sound):
    def decide(self, observation: Any) -> Any:
        if observation.day == "Tuesday":
            raise RuntimeError("not on Tuesdays")
        return super().decide(observation)


class Unmade(Sound):
    def __init__(self, seed: int, world: World) -> None:
        super().__init__(seed)


class Illegal(Sound):
    def decide(self, observation: Any) -> Any:
        if observation.first and not observation.error:
            return Act("A", ("task_999",))
        return super().decide(observation)


class Passes(Sound):
    def decide(self, observation: Any) -> Any:
        return Act("D") if observation.first else super().decide(observation)


class Offended(Sound):
    def decide(self, observation: Any) -> Any:
        if observation.error:
            raise ValueError(observation.error)
        return super().decide(observation)


class Stubborn(Sound):
    def decide(self, observation: Any) -> Any:
        return None if observation.error else super().decide(observation)


class Slow(Sound):
    def decide(self, observation: Any) -> Any:
        if observation.day == "Tuesday":
            time.sleep(30)
        return super().decide(observation)


class SlowToMake(Sound):
    def __init__(self, seed: int) -> None:
        time.sleep(30)


class Slower(Sound):
    """Answers late now and then, but before anybody looks."""

    def decide(self, observation: Any) -> Any:
        time.sleep(0.006)
        return super().decide(observation)


class Spy(Sound):
    """Finds its week's plan in memory, and says the name in it."""

    def decide(self, observation: Any) -> Any:
        if observation.first and observation.day == "Tuesday" and not observation.error:
            weeks = [o.scenario for o in gc.get_objects() if isinstance(o, WeekPlan)]
            mine = [  # other tests may have left other weeks
                week.scenario_name
                for week in weeks
                for day in week.days
                if observation.opening and tuple(day.start_instructions) == observation.opening
            ]
            return Query(" ".join(mine))
        return super().decide(observation)


class Thief(Sound):
    """Keeps what it finds on the stack."""

    def decide(self, observation: Any) -> Any:
        frame = sys._getframe()
        while frame.f_back is not None:
            frame = frame.f_back
            self.loot = next((v for v in frame.f_locals.values() if isinstance(v, World)), None)
            if self.loot:
                break
        return super().decide(observation)


class Keeper(Sound):
    def decide(self, observation: Any) -> Any:
        frame = sys._getframe(2)
        self.kept = [{"how": lambda: frame}]
        return super().decide(observation)


class Moody(Sound):
    def __init__(self, seed: int) -> None:
        self.chance = random.SystemRandom()


class Forgetful(Sound):
    """Claims to restore, but counts beyond its episode."""

    deterministic = False
    restores = True
    count = itertools.count()

    def decide(self, observation: Any) -> Any:
        if not observation.replies:
            return Query(observation.channels[next(self.count) % 7])
        return super().decide(observation)


def verdicts(make: Callable[..., Any], **given: Any) -> dict[str, bool | None]:
    candidate = Candidate(make=lambda seed, _, __: make(seed=seed), **given)
    return {rule: ok for rule, ok, _ in check_contract(candidate, seconds=given_seconds(make))}


def given_seconds(make: object) -> float:
    return {Slow: 0.3, SlowToMake: 0.3, Slower: 0.005}.get(make, 60)  # type: ignore[call-overload, no-any-return]


def test_a_sound_agent_keeps_every_rule() -> None:
    found = verdicts(Sound)
    assert list(found) == [
        "plays", "legal", "goes on", "in time", "hidden", "deterministic", "restores",
    ]  # fmt: skip
    assert set(found.values()) == {True}


@pytest.mark.parametrize(
    ("agent", "broken", "untried"),
    [
        (Raises, {"plays", "goes on"}, {"deterministic", "restores"}),
        (Unmade, {"plays"}, {"goes on", "deterministic", "restores"}),
        (Illegal, {"legal"}, set()),
        (Passes, {"legal", "goes on"}, set()),
        (Offended, {"goes on"}, {"deterministic", "restores"}),
        (Stubborn, {"goes on"}, set()),
        (Slow, {"in time", "goes on"}, {"plays", "deterministic", "restores"}),
        (SlowToMake, {"in time"}, {"plays", "goes on", "deterministic", "restores"}),
        (Slower, {"in time"}, set()),
        (Spy, {"hidden", "legal"}, set()),
        (Thief, {"hidden"}, set()),
        (Keeper, {"hidden"}, set()),
        (Moody, {"deterministic", "restores"}, set()),
        (Forgetful, {"restores"}, {"deterministic"}),
    ],
)
def test_an_agent_that_breaks_a_rule_is_told(
    agent: type, broken: set[str], untried: set[str]
) -> None:
    found = verdicts(agent)
    assert {rule for rule, ok in found.items() if ok is False} == broken
    assert {rule for rule, ok in found.items() if ok is None} == untried


def test_an_observation_that_shows_a_hidden_word_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    observe = World._observe

    def leaking(self: World) -> Any:
        return msgspec.structs.replace(observe(self), nudge=self.place.step_id)

    monkeypatch.setattr(World, "_observe", leaking)
    assert verdicts(Sound)["hidden"] is False


def test_what_is_not_claimed_is_not_held_against_it() -> None:
    class Modest(Moody):
        deterministic = False

    found = verdicts(Modest)
    assert (found["deterministic"], found["restores"]) == (None, None)
    found = verdicts(Modest, claims=frozenset({"restores"}))
    assert (found["deterministic"], found["restores"]) == (None, False)


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_built_in_agents_keep_every_rule(name: str) -> None:
    spec = find_agent(name)
    candidate = Candidate(
        make=lambda seed, plan, _: spec.make(seed, plan), privilege=spec.privilege
    )
    assert {ok for _, ok, _ in check_contract(candidate)} == {True}


@pytest.mark.parametrize("setup", [name for name, setup in SETUPS.items() if not setup.replays])
def test_the_setups_keep_every_rule(setup: str) -> None:
    reply = {"action": "choose", "choice": "A", "task_ids": [], "channel": "NONE"}
    query = reply | {"action": "query_state", "choice": "NONE", "channel": "email"}
    more: dict[str, Any] = {}
    if setup == "heartbeat":
        more = {"heartbeat_enabled": None, "heartbeat_minutes": None}
    if setup == "ledger":
        more = {"ledger": []}
    report = {"queries": [{"channel": "notes", "evidence": ""}], "due": [], "later": [],
              "must_not_select": []}  # fmt: skip
    entries = [{"reply": one | more, "schema": "reply"} for one in (query, reply)]
    chat = ScriptedChat([*entries, {"reply": report, "schema": "report"}])
    options = SetupOptions(words=built_in())

    def make(_: int, __: WeekPlan, tape: Tape) -> Agent:
        return make_agent(setup, chat, tape, options)

    found = check_contract(Candidate(make=make, claims=frozenset({"restores"})))
    assert {rule: ok for rule, ok, _ in found if ok is not True} == {"deterministic": None}


def test_its_weeks_are_tiny_and_hold_what_matters() -> None:
    weeks = [make_week(seed, knobs) for seed, knobs in enumerate(WEEKS, start=1)]
    assert sum(len(day.steps) for week in weeks for day in week.days) < 40
    assert any(step.updates for week in weeks for day in week.days for step in day.steps)
    assert any(task.cross_day for week in weeks for day in week.days for task in day.tasks)
    assert 0 < REFUSING < len(weeks) - 1
    assert CUTS[-1] == 1
