"""The forms of a report: what a cell looks like, and what each form keeps."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from actmem.report.cells import NOTHING, best_of, cell, coverage
from actmem.report.document import Case, Cell, Column, Plot, Report, Section, Table
from actmem.report.stats import Interval
from actmem.report.terminal import show_report
from actmem.report.text import drawn, markdown, plain, shown, to_csv

RATE = Column(key="rate", title="rate", kind="percent", help="A share.")
NAME = Column(key="name", title="name", kind="text")
COUNT = Column(key="count", title="count")


@pytest.fixture
def report() -> Report:
    table = Table(
        name="small",
        title="A small table",
        columns=[NAME, RATE, COUNT],
        rows=[
            [cell("a|b"), Cell(value=0.5, low=0.25, high=0.75, best=True), cell(12_345)],
            [cell("none", note="INCOMPLETE"), cell(None), NOTHING],
        ],
        note="A note.",
    )
    plot = Plot(name="plot", title="A plot", spec={"mark": "point"})
    case = Case(name="case", title="A case", lines=["first", "second"])
    return Report(
        suite="week",
        title="A report",
        facts={"runs": "one"},
        sections=[Section(title="Results", text="Some words.", blocks=[table, plot, case])],
        incomplete=["none: 1 failed"],
    )


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (None, "percent", "n/a"), (0.1234, "percent", "12.3"), (-0.05, "percent", "-5.0"),
        (3037, "count", "3037"), (12_345, "count", "12,345"), (0.0625, "number", "0.062"),
        (12.34, "number", "12.3"), (1234.5, "number", "1,234"), (0.0, "number", "0"), (0.0001, "number", "<0.001"),
        ("word", "percent", "word"),
    ],
)  # fmt: skip
def test_values_as_text(value: Any, kind: str, text: str) -> None:
    assert shown(value, kind) == text


def test_a_cell_shows_its_interval_and_note() -> None:
    assert drawn(cell(0.5, Interval(0.25, 0.75)), RATE) == "50.0 [25.0, 75.0]"
    assert drawn(cell(0.5, note="± 1.0"), RATE) == "50.0 ± 1.0"
    assert drawn(cell(900, note="*"), COUNT) == "900*"
    assert drawn(coverage(4, 5), NAME) == "4/5 INCOMPLETE"
    assert drawn(coverage(5, 5), NAME) == "5/5"


def test_the_best_are_the_highest_of_those_that_are_ranked() -> None:
    values = [cell(0.5), cell(0.9), cell(None), cell(0.5), NOTHING, cell(0.4)]
    marked = best_of(values, [True, False, True, True, True, True])
    assert [one.best for one in marked] == [True, False, False, True, False, False]
    assert not any(one.best for one in best_of(values, [True, *[False] * 5]))
    assert not any(one.best for one in best_of([cell(0.0), cell(0.0)], [True, True]))


def test_markdown(report: Report) -> None:
    lines = markdown(report).splitlines()
    assert lines[0] == "# A report"
    assert "| a\\|b | **50.0 [25.0, 75.0]** | 12,345 |" in lines
    assert "| none INCOMPLETE | n/a |  |" in lines
    assert "| --- | ---: | ---: |" in lines
    assert lines[-4:] == ["```text", "first", "second", "```"]
    assert "A plot" not in "\n".join(lines)


def test_csv_has_a_section_a_table_with_bounds_and_notes(report: Report) -> None:
    text = to_csv(report)
    assert text.startswith("# small\n")
    rows = list(csv.reader(io.StringIO(text.partition("\n")[2])))
    assert rows == [
        ["name", "name_note", "rate", "rate_low", "rate_high", "count"],
        ["a|b", "", "0.5", "0.25", "0.75", "12345"],
        ["none", "INCOMPLETE", "n/a", "", "", ""],
    ]


def test_json_names_tables_and_columns(report: Report) -> None:
    found = plain(report)
    assert found["incomplete"] == ["none: 1 failed"]
    assert found["tables"]["small"]["columns"]["rate"] == "A share."
    assert found["tables"]["small"]["rows"] == [
        {"name": "a|b", "rate": 0.5, "rate_low": 0.25, "rate_high": 0.75, "count": 12_345,
         "best": ["rate"]},
        {"name": "none", "rate": None, "count": "", "notes": {"name": "INCOMPLETE"}},
    ]  # fmt: skip
    assert found["cases"] == [{"name": "case", "title": "A case", "lines": ["first", "second"]}]


def test_the_terminal_shows_all_but_plots(
    report: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    show_report(report)
    out = capsys.readouterr().out
    for text in ("A report", "RESULTS", "Some words.", "*50.0 [25.0, 75.0]", "12,345", "n/a",
                 "none INCOMPLETE", "A note.", "  first"):  # fmt: skip
        assert text in out
    assert "A plot" not in out


def test_a_report_without_sections_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    empty = Report(suite="week", title="Nothing", facts={}, sections=[])
    show_report(empty)
    assert capsys.readouterr().out == "Nothing\n"
    assert to_csv(empty) == ""
    assert plain(empty)["tables"] == {}
    assert markdown(empty) == "# Nothing\n\n"
    bare = Report(
        suite="week", title="Bare", facts={},
        sections=[Section(title="S", blocks=[Table(name="t", title="T", columns=[NAME], rows=[])])],
    )  # fmt: skip
    show_report(bare)
    assert to_csv(bare) == "# t\nname\n"
