"""What weeks share: the files are read strictly, and weeks speak in their shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from actmem.errors import InputError
from actmem.week.content import shared
from actmem.week.content.schema import Part, verb_phrase
from actmem.week.content.shared import (
    Archetypes,
    Phrases,
    Routines,
    phrases,
    read_shared,
    routines,
)
from actmem.week.make import Knobs, make_week
from actmem.week.scenario import Day, Scenario


@pytest.fixture(scope="module")
def weeks() -> list[Scenario]:
    return [make_week(seed) for seed in range(41, 51)]


def of_shape(day: Day) -> list[str]:
    """Return the shapes that the opening of a day can have come from."""
    text = " ".join(day.start_instructions)
    found = []
    for pattern in phrases().openings:
        before, after = pattern.split("{list}")
        if text.startswith(before) and text.endswith(after):
            found.append(pattern)
    return found


def test_openings_stand_before_and_after_the_agenda(weeks: list[Scenario]) -> None:
    days = [day for week in weeks for day in week.days if day.start_instructions]
    assert all(of_shape(day) for day in days)
    assert len({max(of_shape(day), key=len) for day in days}) >= 10
    for day in days:
        assert not any(line != line.strip() or not line for line in day.start_instructions)


def test_agendas_come_in_four_forms(weeks: list[Scenario]) -> None:
    forms = set()
    for lines in (day.start_instructions for week in weeks for day in week.days):
        if any(line.startswith("- ") for line in lines):
            forms.add("dashes")
        elif any(line.startswith("1) ") for line in lines):
            forms.add("numbers")
            numbered = [line for line in lines if line[0].isdigit() and ") " in line[:4]]
            assert [line.split(")")[0] for line in numbered] == [
                str(number) for number in range(1, len(numbered) + 1)
            ]
        else:
            forms.add("running text" if len(lines) == 1 else "lines")
    assert forms == {"dashes", "numbers", "running text", "lines"}


def test_a_dependency_stands_inside_the_quotation_that_announces_its_task(
    weeks: list[Scenario],
) -> None:
    quoted = plain = 0
    for day in (day for week in weeks for day in week.days):
        action = {task.id: verb_phrase(task.action_text).lower() for task in day.tasks}
        texts = [text.lower() for text in (*day.start_instructions, *(s.text for s in day.steps))]
        for task in day.tasks:
            if task.depends_on is None:
                continue
            text = next(text for text in texts if action[task.id] in text)
            start = text.index(action[task.id])
            end = text.index(action[task.depends_on], start)
            assert '"' not in text[start:end]
            if text[:start].count('"') % 2:
                quoted += 1
            else:
                plain += 1
    assert quoted >= 2
    assert plain >= 10


def test_every_routine_and_clock_action_can_come_up() -> None:
    drawn = {
        task.action_text
        for seed in range(60)
        for task in make_week(seed, Knobs(days=1)).days[0].tasks
        if task.regular
    }
    bank = routines()
    wanted = {a for routine in bank.narrative for a in routine.actions} | {*bank.clock_actions}
    assert drawn <= wanted
    assert len(drawn & {*bank.clock_actions}) >= 15
    assert all(drawn & {*routine.actions} for routine in bank.narrative)


@pytest.mark.parametrize(
    ("name", "kind", "text", "finding"),
    [
        ("phrases", Phrases, "openings = 5", "block of lines"),
        ("phrases", Phrases, "opening = ''", "unknown field `opening`"),
        ("routines", Routines, "narrative = []", "missing required field `clock_actions`"),
        ("routines", Routines, "[[narrative]]\nid = 3", "$.narrative[0].id"),
        ("archetypes", Archetypes, "archetypes = [", "Invalid"),
    ],
)
def test_a_fault_in_a_file_is_named(
    name: str,
    kind: type[Part],
    text: str,
    finding: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared, "FOLDER", tmp_path)
    with pytest.raises(InputError, match=name):
        read_shared(name, kind)
    (tmp_path / f"{name}.toml").write_text(text, "utf-8")
    with pytest.raises(InputError) as error:
        read_shared(name, kind)
    assert finding in str(error.value)
    assert f"{name}.toml" in str(error.value)
