"""``report`` and ``compare`` as a user types them: forms, refusals, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from actmem.week.make import Knobs, make_week
from actmem.week.scenario import dump

from .conftest import Call

NOTHING = {"action": "choose", "choice": "A", "task_ids": [], "channel": "NONE"}


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return two weeks of one day."""
    folder = tmp_path_factory.mktemp("two")
    paths = [folder / f"w{seed}.json" for seed in (7, 8)]
    for seed, path in zip((7, 8), paths, strict=True):
        path.write_bytes(dump(make_week(seed, Knobs(days=1))))
    return paths


@pytest.fixture
def run(call: Call, tmp_path: Path, weeks: list[Path]) -> Any:
    """Run agents or a scripted model into a folder of a name, and return it."""

    def make(name: str, *args: object, files: list[Path] = weeks) -> Path:
        folder = tmp_path / name
        given = [word for path in files for word in ("--scenario", path)]
        called = call("run", "week", *given, *args, "-o", folder, "--json")
        assert called.code in (0, 3), called.err
        return folder

    return make


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "script.json"
    path.write_text(json.dumps([{"reply": NOTHING}]))
    return f"scripted:{path}"


def rows(called: Any, table: str) -> list[dict[str, Any]]:
    found = json.loads(called.out)["tables"][table]["rows"]
    assert isinstance(found, list)
    return found


def test_a_report_of_floors(call: Call, run: Any) -> None:
    folder = run("floors")
    called = call("report", folder, "--json")
    assert (called.code, called.err) == (0, "")
    setups = {row["setup"]: row for row in rows(called, "setups")}
    assert list(setups) == ["nop", "all", "random", "keyword", "oracle"]
    assert {row["from"] for row in setups.values()} == {"run"}
    scored = json.loads(call("score", "run", folder, "--json").out)["rows"]
    for row in scored:
        ours = setups[row["agent"]]
        assert ours["macro_set_f1"] == pytest.approx(row["set_f1"])
        assert ours["fp"] == row["counts"]["set_fp"]
    keyword = setups["keyword"]
    assert keyword["macro_set_f1_low"] <= keyword["macro_set_f1"] <= keyword["macro_set_f1_high"]


def test_the_four_forms(call: Call, run: Any) -> None:
    folder = run("floors", "--agent", "nop")
    text = call("report", folder)
    assert text.code == 0
    assert "By setup (Table 2 of the paper)" in text.out
    assert "Played for this report" in text.out
    assert call("report", folder, "--markdown").out.startswith("# Weeks")
    assert call("report", folder, "--csv").out.startswith("# setups\n")
    assert json.loads(call("report", folder, "--json").out)["suite"] == "week"


def test_a_models_report(call: Call, run: Any, model: str) -> None:
    folder = run("m", "--model", model, "--setups", "single,ledger")
    called = call("report", folder, "--json")
    (row,) = rows(called, "models")[:1]
    assert (row["model"], row["single"], row["from"]) == (model, 0.0, "run")
    costs = {row["agent"]: row for row in rows(called, "costs")}
    assert costs[f"single {model}"]["calls"] > 0
    assert json.loads(called.out)["facts"]["form"] == "list"
    assert not [row for row in rows(called, "setups") if row["from"] == "published"]


def test_below_full_coverage_the_exit_code_is_3_with_the_cause(
    call: Call, run: Any, tmp_path: Path
) -> None:
    path = tmp_path / "dead.json"
    path.write_text(json.dumps([{"fail": "connection refused"}]))
    folder = run("dead", "--model", f"scripted:{path}")
    for verb in ("report", "compare"):
        called = call(verb, folder)
        assert called.code == 3
        (line,) = called.err.splitlines()
        assert line.startswith("incomplete: single")
        assert "connection refused" in line
    assert "INCOMPLETE" in called.out


def test_other_weeks_are_refused_and_named(call: Call, run: Any, weeks: list[Path]) -> None:
    one, two = run("one", "--agent", "nop"), run("two", "--agent", "nop", files=weeks[:1])
    for verb in ("report", "compare"):
        called = call(verb, one, two)
        assert (called.code, called.out) == (2, "")
        assert "plays other weeks" in called.err
        assert "only there full-8" in called.err


def test_a_week_of_other_content_is_refused(
    call: Call, run: Any, weeks: list[Path], tmp_path: Path
) -> None:
    path = tmp_path / "changed.json"
    data = json.loads(weeks[0].read_bytes())
    data["days"][0]["steps"][0]["text"] = "Another scene."
    path.write_text(json.dumps(data))
    one = run("one", "--agent", "nop", files=weeks[:1])
    two = run("two", "--agent", "nop", files=[path])
    called = call("report", one, two)
    assert (called.code, "other content here full-7" in called.err) == (2, True)


def test_another_version_is_refused(call: Call, run: Any) -> None:
    one, two = run("one", "--agent", "nop"), run("two", "--agent", "all")
    manifest = two / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"actmem":"0.', '"actmem":"99.'))
    for verb in ("report", "compare"):
        called = call(verb, one, two)
        assert (called.code, "with ActMem 99." in called.err) == (2, True)


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("--form", "flags"), "with form flags"),
        (("--history-tokens", "2000"), "with history tokens 2000"),
        (("--nudge", "informed"), "with nudge informed"),
    ],
)
def test_other_settings_are_refused_in_a_report_and_told_in_a_comparison(
    call: Call, run: Any, model: str, args: tuple[str, ...], problem: str
) -> None:
    one = run("one", "--model", model, "--setups", "heartbeat-60")
    two = run("two", "--model", model, "--setups", "heartbeat-30", *args)
    called = call("report", one, two)
    assert (called.code, problem in called.err) == (2, True), called.err
    compared = call("compare", one, two)
    assert compared.code == (3 if "flags" in args else 0)  # the script's replies are no flags
    assert "They were not given the same" in compared.out


def test_a_nudge_matters_only_where_there_is_a_heartbeat(call: Call, run: Any, model: str) -> None:
    one = run("one", "--model", model, "--setups", "heartbeat-60")
    two = run("two", "--model", model, "--setups", "single", "--nudge", "informed")
    called = call("report", one, two)
    assert called.code == 0, called.err


def test_the_same_agent_twice_is_compared_but_not_reported(
    call: Call, run: Any, model: str
) -> None:
    one = run("one", "--model", model)
    two = run("two", "--model", model, "--history-tokens", "2000")
    called = call("report", one, two)
    assert (called.code, f"holds single {model}" in called.err) == (2, True)
    compared = call("compare", one, two, "--json")
    names = {row[side] for row in rows(compared, "differences") for side in ("one", "two")}
    assert names == {f"one: single {model}", f"two: single {model}", "keyword"}
    (row,) = (r for r in rows(compared, "differences") if r["two"] != "keyword")
    assert (row["difference"], row["p"]) == (0.0, 1.0)


def test_floors_of_several_runs_stand_once(call: Call, run: Any) -> None:
    called = call("report", run("one"), run("two"), "--json")
    assert called.code == 0
    assert [row["setup"] for row in rows(called, "setups")].count("keyword") == 1


def test_wrong_usage_is_one_line(call: Call, run: Any, tmp_path: Path, weeks: list[Path]) -> None:
    (tmp_path / "garbage").mkdir()
    (tmp_path / "garbage" / "manifest.json").write_bytes(b"\x00rubbish")
    (tmp_path / "empty").mkdir()
    folder = run("one", "--agent", "nop")
    for args, problem in [
        ((), "name a run folder"),
        ((tmp_path / "nowhere",), "is no run folder"),
        ((tmp_path / "empty",), "is no run folder"),
        ((tmp_path / "garbage",), "manifest.json"),
        ((weeks[0],), "is no run folder"),
        ((folder, folder), "is named twice"),
        (("--log", weeks[0]), "--log needs the week"),
        (("--scenario", weeks[0]), "needs the logs"),
        (("--scenario", weeks[0], *("--log", weeks[1]) * 2), "is named twice"),
        (("--scenario", weeks[0], "--log", weeks[1]), str(weeks[1])),
        ((folder, "--scenario", weeks[0]), "leave one out"),
    ]:
        called = call("report", *args)
        assert (called.code, called.out) == (2, ""), args
        assert called.err.count("\n") == 1
        assert problem in called.err
    assert call("compare").code == 2


def test_a_run_that_plans_nothing_is_refused(call: Call, run: Any) -> None:
    folder = run("one", "--agent", "nop")
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"units": {}, "episodes": []}))
    for verb in ("report", "compare"):
        called = call(verb, folder)
        assert (called.code, "plans no episode" in called.err) == (2, True)


def test_a_model_that_was_set_otherwise_is_another_model(call: Call, run: Any, model: str) -> None:
    one = run("one", "--model", model)
    path = Path(model.removeprefix("scripted:"))
    path.write_text(json.dumps([{"reply": NOTHING | {"choice": "B"}}]))
    two = run("two", "--model", model, "--setups", "heartbeat-60")
    called = call("report", one, two)
    assert (called.code, f"with model {model} script" in called.err) == (2, True), called.err


def test_a_damaged_trace_is_one_line(call: Call, run: Any) -> None:
    folder = run("one", "--agent", "nop")
    path = next((folder / "traces").glob("*.jsonl"))
    path.write_bytes(b"rubbish\n" + path.read_bytes())
    called = call("report", folder)
    assert (called.code, called.err.count("\n")) == (2, 1)
    assert f"{path}:1" in called.err


def test_traces_are_no_logs(call: Call, run: Any, weeks: list[Path]) -> None:
    folder = run("one", "--agent", "nop", files=weeks[:1])
    path = next((folder / "traces").glob("*.jsonl"))
    called = call("report", "--scenario", weeks[0], "--log", path)
    assert (called.code, "report on its run folder" in called.err) == (2, True)


def test_logs_are_reported_by_model_and_setup(
    call: Call, weeks: list[Path], tmp_path: Path
) -> None:
    week = json.loads(weeks[0].read_bytes())
    steps = [(day["name"], step["id"]) for day in week["days"] for step in day["steps"]]
    lines = [json.dumps({"day": day, "step_id": step, "task_ids": []}) for day, step in steps]
    whole, cut, other = (tmp_path / f"{name}.jsonl" for name in ("m__single", "m__ledger", "nop"))
    whole.write_text("\n".join(lines))
    cut.write_text("\n".join(lines[:3]))
    other.write_text("\n".join(lines))
    words = [word for path in (whole, cut, other) for word in ("--log", path)]
    called = call("report", "--scenario", weeks[0], *words, "--json")
    assert called.code == 3
    assert called.err == "incomplete: ledger m: 0 failed, 1 not ended of 1 episodes\n"
    found = [(row["setup"], row["from"]) for row in rows(called, "setups")]
    assert found[:3] == [("single", "log"), ("ledger", "log"), ("nop", "log")]
    assert found[3] == ("nop", "played now")


@pytest.mark.parametrize("name", ["manifest.json", "units/w7.json", "lock"])
def test_a_report_overwrites_no_run(call: Call, run: Any, name: str) -> None:
    folder = run("a", "--agent", "nop")
    before = (folder / "manifest.json").read_bytes()
    called = call("report", folder, "-o", folder / name)
    assert called.code == 2
    assert "lies in a run's folder" in called.err
    assert (folder / "manifest.json").read_bytes() == before
    assert call("report", folder, "-o", folder / "report.html").code == 0
