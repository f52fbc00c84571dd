"""In the runner: fail closed, resumed, bound to its trials; and nothing hidden reaches an agent."""

import random
from pathlib import Path

import pytest

from actmem.errors import InputError
from actmem.run.execute import execute
from actmem.run.store import RunFolder
from actmem.trials.agents import find_agent
from actmem.trials.agents.agent import play
from actmem.trials.agents.floors import floor
from actmem.trials.grammar import Call
from actmem.trials.results import Result
from actmem.trials.score import score
from actmem.trials.select import choose, sample
from actmem.trials.suite import TrialsSuite, make_manifest, unit_files
from actmem.trials.trial import Trial
from actmem.trials.world import Episode, Observation

AGENT = """
class Dies:
    def decide(self, observation):
        raise RuntimeError("no more")

class DiesLate:
    def decide(self, observation):
        if observation.step == 3:
            raise RuntimeError("no more")
        return "wait()"

class Rubbish:
    def decide(self, observation):
        return "I would rather not"

class NoText:
    def decide(self, observation):
        return None

class Waits:
    def __init__(self, seed):
        self.seed = seed

    def decide(self, observation):
        return "wait()"

class NotMade:
    def __init__(self):
        raise OSError("no licence")

    def decide(self, observation):
        return "wait()"
"""


def run(path: Path, trials: list[Trial], *agents: str) -> list[Result]:
    manifest = make_manifest(trials, agents)
    folder = RunFolder.prepare(path, manifest, unit_files(trials))
    execute(folder, TrialsSuite(folder))
    return TrialsSuite(folder).results()


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    path = tmp_path / "agents.py"
    path.write_text(AGENT)
    return path


@pytest.mark.parametrize("name", ["Dies", "DiesLate", "Rubbish", "NoText", "NotMade"])
def test_a_broken_agent_scores_nothing_and_says_so(
    name: str, agents: Path, tmp_path: Path, trials: tuple[Trial, ...]
) -> None:
    chosen = [t for t in trials if not t.go][:3] + [t for t in trials if t.go][:3]
    (result,) = run(tmp_path / "run", chosen, f"{agents}:{name}")
    assert (result.planned, result.scored, result.failed) == (6, 0, 6)
    assert result.rates.passed == 0
    assert not result.complete
    assert result.errors


def test_a_legal_agent_is_scored_and_gets_its_seed(
    agents: Path, tmp_path: Path, small: list[Trial]
) -> None:
    (result,) = run(tmp_path / "run", small, f"{agents}:Waits")
    assert result.complete
    assert result.rates.passed == 0
    row = result.row()
    assert {"planned", "scored", "failed", "accuracy", "miss_rate", "false_alarm_rate"} <= set(row)
    assert "A" in row["by_subset"]


def test_a_killed_run_resumes_to_the_same_trace(tmp_path: Path, small: list[Trial]) -> None:
    (whole,) = run(tmp_path / "one", small, "oracle")
    run(tmp_path / "two", small, "oracle")
    trace = sorted((tmp_path / "two" / "traces").glob("*.jsonl"))[0]
    lines = trace.read_bytes().splitlines(keepends=True)
    trace.write_bytes(b"".join(lines[:3]) + lines[3][:10])
    (resumed,) = run(tmp_path / "two", small, "oracle")
    assert resumed == whole
    assert trace.read_bytes().splitlines(keepends=True)[1:-1] == lines[1:-1]


def test_a_forged_or_foreign_record_is_refused(tmp_path: Path, small: list[Trial]) -> None:
    run(tmp_path / "run", small, "oracle")
    trace = sorted((tmp_path / "run" / "traces").glob("*.jsonl"))[0]
    lines = trace.read_bytes().splitlines(keepends=True)
    folder = RunFolder.open(tmp_path / "run")
    for forged in (lines[:-2] + lines[-1:], [*lines[:1], *lines[2:]], [*lines[:2], *lines[1:]]):
        trace.write_bytes(b"".join(forged))
        with pytest.raises(InputError):
            TrialsSuite(folder).results()
    units = tmp_path / "run" / "units" / "trials.json"
    units.write_bytes(units.read_bytes().replace(b'"go":true', b'"go":false'))
    with pytest.raises(InputError, match="does not hold the trials"):
        TrialsSuite(folder).results()


def test_planning_refuses_what_cannot_run(small: list[Trial]) -> None:
    for chosen, agents in (([], ["nop"]), (small, ["nobody"]), (small * 2, ["nop"])):
        with pytest.raises(InputError):
            make_manifest(chosen, agents)
    with pytest.raises(InputError, match="no subset 'D'"):
        choose("A,D")
    with pytest.raises(InputError, match="no trial 'x'"):
        choose(None, ["x"])
    with pytest.raises(InputError, match="no such file"):
        find_agent("nowhere.py:Agent")


def test_a_folder_is_scored_without_the_agents_code(
    agents: Path, tmp_path: Path, small: list[Trial]
) -> None:
    (first,) = run(tmp_path / "run", small, f"{agents}:Waits")
    agents.write_text("raise SystemExit('this must not run')")
    assert TrialsSuite(RunFolder.open(tmp_path / "run")).results() == [first]


def test_the_plan_records_what_an_agents_file_held(agents: Path, small: list[Trial]) -> None:
    (one, *_) = make_manifest(small, [f"{agents}:Waits"]).episodes
    agents.write_text(AGENT + "# another\n")
    (two, *_) = make_manifest(small, [f"{agents}:Waits"]).episodes
    assert len(one.settings["agent_file"]) == 64
    assert one.settings != two.settings
    assert make_manifest(small, ["nop"]).episodes[0].settings == {}


def test_a_run_goes_trial_by_trial(small: list[Trial]) -> None:
    plan = make_manifest(small, ["nop", "oracle"], repeats=2)
    assert [e.unit for e in plan.episodes] == [t.id for t in small for _ in range(4)]
    assert [e.agent for e in plan.episodes[:4]] == ["nop", "nop", "oracle", "oracle"]
    seeds = {a: [e.seed for e in plan.episodes if e.agent == a] for a in ("nop", "oracle")}
    assert seeds["nop"] == seeds["oracle"]  # all agents meet the same chance


def test_the_sample_has_one_trial_a_world_and_subset() -> None:
    chosen = sample()
    assert len({(t.subset, t.world) for t in chosen}) == len(chosen) == 12
    assert {t.kind for t in chosen if t.subset != "A"} == {"time", "event", "mixed"}
    listed = Path(__file__).parents[2] / "docs" / "trials.md"
    for trial in chosen:
        assert f"--trial {trial.id}" in listed.read_text()


def test_nothing_hidden_reaches_an_agent(trials: tuple[Trial, ...]) -> None:
    for trial in trials:
        episode = Episode(trial)
        observation: Observation | None = episode.reset()
        agent = floor("ongoing-only", trial)
        seen = []
        while observation is not None:
            seen.append(observation)
            observation = episode.act(agent.decide(observation))
        assert trial.intention in seen[0].text
        for later in seen[1:]:
            assert trial.intention not in later.text
            assert later.brief == ""
        for each in seen:
            # what the view holds is what the text says; no setup, trial or world hangs on it
            assert set(type(each).__slots__) == {"step", "brief", "reply", "view"}
            assert each.view.text() in each.text
            for name in each.view.shown:
                assert name in each.text


def test_a_sentinel_in_the_hidden_part_reaches_no_observation(small: list[Trial]) -> None:
    import msgspec

    for trial in small:
        marked = msgspec.structs.replace(trial, id="SENTINEL", pattern="SENTINEL")
        hidden = msgspec.structs.replace(
            marked,
            trigger=msgspec.structs.replace(trial.trigger, names=("SENTINEL",)),
            intended=msgspec.structs.replace(trial.intended, args=("SENTINEL",)),
        )
        episode, agent = Episode(hidden), floor("ongoing-only", hidden)
        observation: Observation | None = episode.reset()
        while observation is not None:
            assert "SENTINEL" not in repr(observation)
            assert "SENTINEL" not in observation.text
            observation = episode.act(agent.decide(observation))


def test_play_ends_for_every_floor(small: list[Trial]) -> None:
    for trial in small:
        assert len(play(trial, floor("oracle", trial))) == trial.steps


def test_no_course_of_legal_actions_breaks_a_world(trials: tuple[Trial, ...]) -> None:
    rng = random.Random(4)
    for trial in trials:
        episode = Episode(trial)
        observation: Observation | None = episode.reset()
        replies = []
        while observation is not None:
            view = observation.view
            things = [*view.shown, "north", "east", "south", "west", "red", "ana", "09:30"]
            name = rng.choice(sorted(episode.world.SIGNATURES))
            kinds = episode.world.SIGNATURES[name]
            args = [rng.choice(things) if kind is str else rng.randint(-1, 21) for kind in kinds]
            replies.append(str(Call(name, tuple(args))))
            observation = episode.act(replies[-1])
        result = score(trial, replies)
        assert result.played == trial.steps
        assert result.malformed == 0
        assert 0 <= result.ongoing <= 1
        assert not (result.hit and result.miss)
