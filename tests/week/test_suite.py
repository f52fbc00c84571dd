"""The week suite as the runner sees it: plans, labels, and a score from the record alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from actmem.errors import InputError
from actmem.run.execute import execute
from actmem.run.plan import Manifest
from actmem.run.store import RunFolder
from actmem.week.make import Knobs, make_week
from actmem.week.obligations import prepare
from actmem.week.scenario import Scenario
from actmem.week.suite import WeekSuite, make_manifest, unit_files

AGENT = "class Agent:\n    def decide(self, observation):\n        raise RuntimeError\n"


@pytest.fixture(scope="module")
def weeks() -> list[Scenario]:
    return [make_week(seed, Knobs(days=1)) for seed in (1, 2)]


def folder(path: Path, weeks: list[Scenario], manifest: Manifest) -> RunFolder:
    return RunFolder.prepare(path, manifest, unit_files(weeks))


def test_a_plan_is_every_agent_on_every_week(weeks: list[Scenario]) -> None:
    plan = make_manifest(weeks, ["nop", "random", "nop"], seed=5, repeats=3)
    assert len(plan.episodes) == 2 * 2 * 3
    assert len({episode.id for episode in plan.episodes}) == 12
    assert plan.units == {week.scenario_name: week.digest for week in weeks}
    seeds = {
        agent: [e.seed for e in plan.episodes if e.agent == agent] for agent in ("nop", "random")
    }
    assert seeds["nop"] == seeds["random"]  # all agents meet the same chance
    assert len(set(seeds["nop"])) == 6
    assert make_manifest(weeks, ["nop"], seed=6).episodes[0].seed not in seeds["nop"]


def test_plans_that_cannot_be(weeks: list[Scenario]) -> None:
    with pytest.raises(InputError, match="same name"):
        make_manifest([weeks[0], weeks[0]], ["nop"])
    with pytest.raises(InputError, match="nobody"):
        make_manifest(weeks, ["nop", "nobody"])


def test_the_plan_records_what_an_agents_file_held(weeks: list[Scenario], tmp_path: Path) -> None:
    path = tmp_path / "agent.py"
    path.write_text(AGENT)
    (one,) = make_manifest(weeks[:1], [f"{path}:Agent"]).episodes
    path.write_text(AGENT + "# another\n")
    (two,) = make_manifest(weeks[:1], [f"{path}:Agent"]).episodes
    assert len(one.settings["agent_file"]) == 64
    assert one.settings != two.settings
    assert make_manifest(weeks[:1], ["nop"]).episodes[0].settings == {}


def test_the_trace_says_with_what_it_was_played(weeks: list[Scenario], tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(AGENT)
    plan = make_manifest(weeks, ["oracle", f"{agent}:Agent"], seed=3, nudge="informed")
    run = folder(tmp_path / "run", weeks, plan)
    suite = WeekSuite(run)
    first, second = plan.episodes[:2]
    oracle, own = suite.header(first), suite.header(second)
    assert oracle.privilege == "sees the due sets, informed heartbeat"
    assert own.privilege == "informed heartbeat"
    assert oracle.unit_digest == weeks[0].digest
    assert own.settings == {
        "seed": second.seed,
        "nudge": "informed",
        "agent_file": second.settings["agent_file"],
    }
    assert oracle.versions["actmem"]
    run.release()


@pytest.mark.parametrize(
    ("nudge", "labels"),
    [
        ("channels", ["", "sees the due sets"]),
        ("neutral", ["", "sees the due sets"]),
        ("informed", ["informed heartbeat", "sees the due sets, informed heartbeat"]),
        (
            "task-reminder",
            ["task-reminder heartbeat", "sees the due sets, task-reminder heartbeat"],
        ),
    ],
)
def test_every_row_shows_its_privilege(
    weeks: list[Scenario], tmp_path: Path, nudge: str, labels: list[str]
) -> None:
    plan = make_manifest(weeks[:1], ["nop", "oracle"], nudge=nudge)  # type: ignore[arg-type]
    run = folder(tmp_path / "run", weeks, plan)
    execute(run, WeekSuite(run))
    assert [row.privilege for row in WeekSuite(run).results()] == labels


def test_scoring_runs_no_agent(weeks: list[Scenario], tmp_path: Path) -> None:
    agent, flag = tmp_path / "agent.py", tmp_path / "loaded"
    agent.write_text(f"open({str(flag)!r}, 'w').close()\n" + AGENT)
    plan = make_manifest(weeks, [f"{agent}:Agent"])
    run = folder(tmp_path / "run", weeks, plan)
    execute(run, WeekSuite(run))
    flag.unlink()
    before = WeekSuite(RunFolder.open(tmp_path / "run")).results()
    assert not flag.exists()
    agent.unlink()
    assert WeekSuite(RunFolder.open(tmp_path / "run")).results() == before
    assert (before[0].planned, before[0].scored, before[0].failed) == (2, 0, 2)


def test_what_is_not_there_counts_as_due_and_not_done(
    weeks: list[Scenario], tmp_path: Path
) -> None:
    plan = make_manifest(weeks, ["oracle"])
    run = folder(tmp_path / "run", weeks, plan)
    (unplayed,) = WeekSuite(run).results()
    assert (unplayed.planned, unplayed.scored, unplayed.failed) == (2, 0, 0)
    assert unplayed.rates.set_f1 == 0
    assert unplayed.counts["set_fn"] > 0
    execute(run, WeekSuite(run))
    (whole,) = WeekSuite(run).results()
    assert whole.rates.set_f1 == 1
    path = run.trace_path(plan.episodes[0])
    path.unlink()
    (half,) = WeekSuite(run).results()
    assert (half.scored, half.failed) == (1, 0)
    assert half.counts["set_tp"] + half.counts["set_fn"] <= whole.counts["set_tp"]
    assert half.counts["set_fn"] > 0
    assert half.counts["set_fp"] == 0


def test_an_edited_week_is_refused(weeks: list[Scenario], tmp_path: Path) -> None:
    run = folder(tmp_path / "run", weeks, make_manifest(weeks, ["nop"]))
    name = weeks[0].scenario_name
    other = msgspec.structs.replace(weeks[1], scenario_name=name)
    run.unit_path(name).write_bytes(unit_files([other])[name])
    with pytest.raises(InputError, match="is not the scenario that the manifest names"):
        WeekSuite(run).results()
    with pytest.raises(InputError, match="is not the scenario"):
        execute(run, WeekSuite(run))
    RunFolder.prepare(tmp_path / "run", run.manifest, {}).release()  # the lock is free


def test_a_run_of_another_suite_or_of_an_unknown_nudge(
    weeks: list[Scenario], tmp_path: Path
) -> None:
    plan = make_manifest(weeks, ["nop"])
    for changed, hint in (
        (msgspec.structs.replace(plan, suite="trials"), "suite 'trials'"),
        (msgspec.structs.replace(plan, settings={"nudge": "louder"}), "'louder'"),
        (msgspec.structs.replace(plan, settings={"nudge": {"a": 1}}), "nudge"),
    ):
        with pytest.raises(InputError, match=hint):
            WeekSuite(RunFolder(tmp_path, changed))


def test_a_unit_file_is_the_week(weeks: list[Scenario], tmp_path: Path) -> None:
    run = folder(tmp_path / "run", weeks, make_manifest(weeks, ["nop"]))
    for week in weeks:
        assert WeekSuite(run).unit(week.scenario_name).digest == prepare(week).digest == week.digest
    run.release()
