"""Cases: of the kind that they say, from all agents, each task once."""

from __future__ import annotations

from actmem.report.document import Case
from actmem.report.week_cases import KINDS, MOST, week_cases
from actmem.run.store import RunFolder
from actmem.week.records import records
from actmem.week.replay import rows_of
from actmem.week.score import align
from actmem.week.suite import WeekSuite


def cases(folder: RunFolder) -> dict[str, list[Case]]:
    found = {}
    for section in week_cases([WeekSuite(folder)]):
        found[section.title] = [block for block in section.blocks if isinstance(block, Case)]
    return found


def test_each_kind_has_cases_of_models(played: RunFolder) -> None:
    found = cases(played)
    assert list(found) == list(KINDS)
    for some in found.values():
        assert 0 < len(some) <= MOST
        assert all(case.lines[0].startswith(("single ", "heartbeat-60 ")) for case in some)
    agents = {case.lines[0].partition(" ")[0] for some in found.values() for case in some}
    assert agents == {"single", "heartbeat-60"}


def test_a_case_is_what_its_kind_says(played: RunFolder) -> None:
    suite = WeekSuite(played)
    known = {}
    for agent, (episode, *_) in suite.by_agent().items():
        plan = suite.unit(episode.unit)
        rows = align(plan, rows_of(plan, suite.recorded(episode))).rows
        for record in records(plan, rows):
            head = f"{agent}, {episode.unit}, {record.day}"
            known[head, record.label] = record
    found = cases(played)
    for title, some in found.items():
        for case in some:
            record = known[case.lines[0], case.title]
            assert record.outcome not in ("on_time", "late", "withheld")
            if title == "Missed after an update":
                assert record.updates
                assert any("the update:" in line for line in case.lines)
            if title == "Missed without asking":
                assert record.broken == "evidence"
                assert record.source != "narrative"
                assert any(line.startswith("seen: never") for line in case.lines)
    titles = [case.title for some in found.values() for case in some]
    days = [case.lines[0] for some in found.values() for case in some]
    assert len(set(zip(titles, days, strict=True))) == len(titles)


def test_a_case_shows_the_scene_or_the_channel_and_the_acts(played: RunFolder) -> None:
    for some in cases(played).values():
        for case in some:
            text = "\n".join(case.lines)
            assert "outcome: " in text
            assert "  agent asked: " in text
            assert "agent chose: " in text


def test_the_oracle_has_no_cases(played: RunFolder) -> None:
    suite = WeekSuite(played)
    oracle = {"oracle": suite.by_agent()["oracle"]}
    suite.by_agent = lambda: oracle  # type: ignore[method-assign]
    assert week_cases([suite]) == []


def test_no_run_no_cases() -> None:
    assert week_cases([]) == []
