"""What reports are made of: small weeks worked out by hand, and a run of a whole week."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import pytest

from actmem.cli import run_cli
from actmem.report.document import Cell, Report, Table
from actmem.report.text import tables
from actmem.report.week_data import Entry, WeekData
from actmem.run.coverage import Status
from actmem.run.store import RunFolder
from actmem.week.judge import judge_rows
from actmem.week.make import Knobs, make_week
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.results import Played, result
from actmem.week.scenario import dump

Chosen = Mapping[str, Sequence[str]]


class Weeks:
    """Two weeks, ``one`` and ``two``, of a single day: post and bread are due, the oven at ten by
    the clock, the mail on its channel; paint is a lure."""

    def __init__(self, build: Callable[..., WeekPlan], rows_for: Callable[..., Any]) -> None:
        plan = build(
            {
                "steps": [
                    "08:00 post_cue",
                    "09:00 bread_cue",
                    {"at": "10:00", "inbox": ["mail_cue"]},
                ],
                "tasks": {
                    "post": {},
                    "bread": {},
                    "oven": {"target_time": "10:00"},
                    "mail": {"cue_channel": "inbox"},
                },
                "lures": {"paint": "start"},
            }
        )
        self.plans = {
            name: prepare(msgspec.structs.replace(plan.scenario, scenario_name=name))
            for name in ("one", "two")
        }
        self._rows = rows_for

    def played(
        self,
        unit: str,
        chosen: Chosen,
        queries: Any = None,
        status: Status = "complete",
        **more: Any,
    ) -> Played:
        plan = self.plans[unit]
        return judge_rows(plan, self._rows(plan, chosen, queries), status, **more)

    def entry(
        self,
        agent: str,
        *played: Played,
        setup: str = "",
        model: str = "",
        privilege: str = "",
        **settings: Any,
    ) -> Entry:
        one = result(agent, privilege, played, setup=setup, model=model)
        return Entry(one, played, "run", f"run-{agent}", settings)

    def data(self, *entries: Entry, weeks: Sequence[str] = ("one", "two")) -> WeekData:
        plans = {name: self.plans[name] for name in weeks}
        units = {name: plan.digest for name, plan in plans.items()}
        return WeekData(units, plans, entries, (), (), {})


@pytest.fixture
def weeks(build: Callable[..., WeekPlan], rows_for: Callable[..., Any]) -> Weeks:
    return Weeks(build, rows_for)


ALL = {"mon1": ["post"], "mon2": ["bread"], "mon3": ["oven", "mail"]}
"""The perfect day: 4 hits."""
HALF = {"mon1": ["post"], "mon2": ["paint"]}
"""1 hit, 1 false positive, 3 missed: Set-F1 2 / (2 + 1 + 3)."""


def cells(table: Table, **wanted: str) -> dict[str, Cell]:
    """Return the one row of a table in which the named columns hold the given text, by column."""
    keys = [column.key for column in table.columns]
    found = [
        by_key
        for row in table.rows
        if all(
            (by_key := dict(zip(keys, row, strict=True)))[k].value == v for k, v in wanted.items()
        )
    ]
    assert len(found) == 1, (wanted, len(found))
    return found[0]


def named(report: Report, name: str) -> Table:
    """Return a report's table by its name."""
    (found,) = (table for table in tables(report) if table.name == name)
    return found


def reply(*handles: str, channel: str = "") -> dict[str, Any]:
    action = "query_state" if channel else "choose"
    choice = "NONE" if channel else "A"
    given = {"choice": choice, "task_ids": list(handles), "channel": channel or "NONE"}
    return {"reply": {"action": action, **given}}


SCRIPT = [
    {"pick": "digest"},
    *([reply()] * 3), reply("task_3"), reply("task_3", "task_7"), reply("task_5"), reply("task_1"),
    reply(channel="email"), reply(channel="calendar"), reply(channel="clock"),
    *([{"reply": "no JSON"}] * 9),
]  # fmt: skip
"""A model that acts and asks at random, and often says nothing that can be used."""


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Return the run of a whole week: the floors, and a scripted model under two setups."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "week.json").write_bytes(dump(make_week(3, Knobs())))
    (folder / "script.json").write_text(json.dumps(SCRIPT))
    agents = [f"--agent={name}" for name in ("nop", "all", "random", "keyword", "oracle")]
    models = ["--model", f"scripted:{folder}/script.json", "--setups", "single,heartbeat-60"]
    given = [*agents, *models, "--scenario", str(folder / "week.json"), "-o", str(folder / "run")]
    assert run_cli(["run", "week", *given, "--json"]) == 0
    return RunFolder.open(folder / "run")
