"""A calendar says what the scorer says: its marks, counted, are the counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from actmem.report.document import Calendar
from actmem.report.week_calendar import MARKS, week_calendar, week_calendars
from actmem.run.plan import Episode
from actmem.run.store import RunFolder
from actmem.trace import read_trace
from actmem.week.suite import WeekSuite


def episode(folder: RunFolder, agent: str) -> Episode:
    (one,) = [e for e in folder.manifest.episodes if e.agent.partition(" ")[0] == agent]
    return one


def marks(calendar: Calendar) -> Counter[str]:
    return Counter(outcome for moment in calendar.moments for outcome, _ in moment.marks)


@pytest.mark.parametrize(
    "agent", ["nop", "all", "random", "keyword", "oracle", "single", "heartbeat-60"]
)
def test_marks_are_the_scorers_counts(played: RunFolder, agent: str) -> None:
    suite, one = WeekSuite(played), episode(played, agent)
    result = suite.played(one)
    counts, seen = result.score.summary, marks(week_calendar(suite, one))
    for outcome in ("hit", "late", "miss"):
        assert seen[outcome] == counts[outcome]
    assert seen["false"] == counts["set_fp"] - counts["late"]
    assert seen["query"] == counts["state_query_calls"]
    assert seen["invalid"] == result.invalid


def test_every_outcome_comes_up(played: RunFolder) -> None:
    suite = WeekSuite(played)
    agents = ("single", "random", "all", "keyword")
    seen = sum((marks(week_calendar(suite, episode(played, a))) for a in agents), Counter())
    assert all(seen[name] for name in ("hit", "late", "miss", "false", "query", "invalid", "open"))


def test_every_step_of_the_week_is_there(played: RunFolder) -> None:
    suite, one = WeekSuite(played), episode(played, "oracle")
    calendar = week_calendar(suite, one)
    steps = [(d.day.name, s.id, s.time) for d in suite.unit(one.unit).days for s in d.day.steps]
    assert [(m.day, m.step, m.time) for m in calendar.moments] == steps


def test_hits_and_misses_say_what_was_seen(played: RunFolder) -> None:
    suite = WeekSuite(played)
    for agent in ("oracle", "keyword", "nop", "all"):
        one = episode(played, agent)
        links = suite.played(one).links
        said = Counter(
            (outcome, words.partition("\n")[2].partition(" ")[0])
            for moment in week_calendar(suite, one).moments
            for outcome, words in moment.marks
            if outcome in ("hit", "miss")
        )
        assert said["hit", "seen"] == links.hits_with_evidence
        assert said["hit", "not"] == links.hits_without_evidence
        missed = said["miss", "seen"] + said["miss", "not"]
        assert missed == links.broken["evidence"] + links.broken["action"]


def test_a_query_shows_the_reply(played: RunFolder) -> None:
    suite, one = WeekSuite(played), episode(played, "keyword")
    asked = [e for e in suite.recorded(one) if hasattr(e, "reply")]
    shown = [w for m in week_calendar(suite, one).moments for o, w in m.marks if o == "query"]
    assert [words.partition("\n")[0] for words in shown] == [event.channel for event in asked]
    assert all(
        words.partition("\n")[2][:40] in e.reply for words, e in zip(shown, asked, strict=True)
    )


def test_a_broken_off_week_shows_what_was_due(played: RunFolder, tmp_path: Any) -> None:
    one = episode(played, "keyword")
    cut = RunFolder(tmp_path, played.manifest)
    for source in (played.path / "units").iterdir():
        (tmp_path / "units").mkdir(exist_ok=True)
        (tmp_path / "units" / source.name).write_bytes(source.read_bytes())
    (tmp_path / "traces").mkdir()
    lines = played.trace_path(one).read_bytes().splitlines(keepends=True)
    cut.trace_path(one).write_bytes(b"".join(lines[:60]) + lines[60][:9])
    suite = WeekSuite(cut)
    calendar = week_calendar(suite, one)
    assert read_trace(cut.trace_path(one), suite.events).footer is None
    assert "steps were not played" in calendar.note
    assert marks(calendar)["miss"] == suite.played(one).score.summary["miss"]
    assert any(words.endswith("not played") for m in calendar.moments for _, words in m.marks)
    (only,) = week_calendars([suite])  # nothing else has begun
    assert only == calendar


def test_models_come_before_floors_and_a_page_stays_small(
    played: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = WeekSuite(played)
    titles = [calendar.title.partition(" ")[0] for calendar in week_calendars([suite])]
    assert titles == ["single", "heartbeat-60"]
    assert len(week_calendars([suite, suite])) == 2  # one agent, one calendar
    assert MARKS > 1000
    monkeypatch.setattr("actmem.report.week_calendar.MARKS", 1)
    assert len(week_calendars([suite])) == 1
