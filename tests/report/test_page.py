"""The page: whole, closed to the outside, safe with hostile text, the same each time."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser

import pytest

from actmem.errors import InputError
from actmem.report.document import (
    Block,
    Calendar,
    Case,
    Cell,
    Column,
    Moment,
    Plot,
    Report,
    Section,
    Table,
)
from actmem.report.page import TEMPLATE, render_html
from actmem.report.week import week_report
from actmem.run.store import RunFolder

VOID = {"meta", "br", "hr", "img", "input", "link", "col", "wbr"}
FORBIDDEN = {"script", "img", "iframe", "object", "embed", "link", "base", "form", "foreignobject"}
EVIL = "</td></title></style><script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7 * 7 }}"


class Checker(HTMLParser):
    """Follows the structure: every element closed in order, ids unique, links inside the page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.labelled: list[str] = []
        self.scopes: list[str | None] = []
        self.titles: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert len(given) == len(attrs), f"an attribute stands twice in <{tag}>"
        assert not [name for name in given if name.startswith("on")]
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [
            value or "" for name, value in attrs if name in ("href", "src", "xlink:href")
        ]
        self.labelled += (given.get("aria-labelledby") or "").split()
        if tag == "th":
            self.scopes.append(given.get("scope"))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self.open and self.open[-1] == "title":
            self.titles.append(data)


def checked(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    assert len(set(checker.ids)) == len(checker.ids)
    assert set(checker.labelled) <= set(checker.ids)
    assert not FORBIDDEN & set(checker.tags)
    assert all(link.startswith("#") and link[1:] in checker.ids for link in checker.links)
    assert set(checker.scopes) <= {"row", "col"}
    return checker


def every_block(text: str) -> Report:
    """Return a report with a block of each kind, ``text`` wherever a name or a text can stand."""
    table = Table(
        name=text,
        title=text,
        note=text,
        columns=[
            Column(key="a", title=text, kind="text", help=text),
            Column(key="b", title="rate", kind="percent"),
            Column(key="c", title="count"),
            Column(key="d", title="number", kind="number"),
        ],
        rows=[
            [Cell(value=text), Cell(value=0.5, low=0.25, high=0.75, best=True), Cell(value=12345),
             Cell(value=-1.25)],
            [Cell(value=text), Cell(value=None), Cell(value=0, note="INCOMPLETE"),
             Cell(value="", note=text)],
        ],
    )  # fmt: skip
    spec = {
        "description": text,
        "data": {"values": [{"name": text, "x": 1}, {"name": "b", "x": 2}]},
        "mark": {"type": "point", "clip": True},
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "title": text},
            "color": {"field": "name", "type": "nominal"},
            "description": {"field": "name"},
        },
    }
    moments = [
        Moment(day="Monday", time="08:00", step=text, marks=[("hit", text), ("query", text)]),
        Moment(day=text, time="09:00", step="s2", marks=[(outcome, f"{text}\n{text}")
               for outcome in ("late", "open", "miss", "false", "invalid", "query", "other")]),
        Moment(day=text, time=text, step="s3", marks=[]),
    ]  # fmt: skip
    blocks: list[Block] = [
        table,
        Plot(name=text, title=text, spec=spec, note=text),
        Plot(name="p2", title="Another", spec=spec),
        Case(name=text, title=text, lines=[text, f"  {text}"]),
        Calendar(name=text, title=text, moments=moments, note=text),
        Calendar(name="c2", title="Empty", moments=[]),
    ]
    sections = [
        Section(title=text, text=f"{text}\n\n{text}", blocks=blocks),
        Section(title="Empty"),
    ]
    return Report(suite=text, title=text, facts={text: text}, sections=sections, incomplete=[text])


def test_every_kind_of_block_is_drawn() -> None:
    page = checked(render_html(every_block("plain words")))
    assert page.tags.count("table") == 1
    assert page.tags.count("svg") == 2
    assert page.tags.count("article") == 1
    text = " ".join(" ".join(page.text).split())
    for shown in ("50.0", "25.0 to 75.0", "(best)", "12,345", "−1.250", "n/a", "INCOMPLETE"):
        assert shown in text
    assert page.scopes == ["col"] * 4 + ["row"] * 2
    assert "plain words" in page.titles  # a mark's tooltip
    for name in (
        "on time",
        "late",
        "missed",
        "false alarm",
        "no valid action",
        "question",
        "other",
    ):
        assert name in text


def test_hostile_text_is_text() -> None:
    html = render_html(every_block(EVIL))
    page = checked(html)
    assert "<script" not in html
    assert "alert(1)" in "".join(page.text)
    assert "49" not in re.sub(r"[\d.]*49[\d.]+|[\d.]+49", "", "".join(page.text))
    assert EVIL in page.titles  # the plot's tooltip holds it unharmed


def test_what_no_page_can_hold_is_replaced() -> None:
    html = render_html(every_block("a\x00b\x1bc\ud800d\uffffe"))
    assert html.encode()
    assert "a\ufffdb\ufffdc\ufffdd\ufffde" in html
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", html)
    checked(html)


def test_nothing_is_fetched_from_elsewhere() -> None:
    html = render_html(every_block("plain words"))
    assert "//" not in html.replace("//fonts", "//")
    assert not re.search(r"@import|@font-face|data:|javascript:|xmlns", html)
    assert all(found.startswith("url(#") for found in re.findall(r"url\([^)]*", html))
    assert "default-src 'none'" in html


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rgb`` or ``#rrggbb`` (WCAG 2)."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_text_and_signs_stand_out_in_light_dark_and_print() -> None:
    css = (TEMPLATE / "style.css").read_text()
    themes = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    assert len(themes) == 3
    for theme in themes:
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]+)", theme))
        for text in ("ink", "muted", "accent", "hit", "late", "miss", "false", "invalid", "query"):
            for ground in ("page", "panel"):
                assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
        assert contrast(colours["ink"], colours["best"]) >= 7
        assert contrast(colours["warn"], colours["warn-page"]) >= 4.5
        assert all(contrast(colours[f"c{n}"], colours["page"]) >= 3 for n in range(1, 9))


def test_equal_reports_have_equal_pages() -> None:
    report = every_block("plain words")
    assert render_html(report) == render_html(report)


@pytest.mark.parametrize("package", ["jinja2", "vl_convert"])
def test_a_missing_package_names_the_extra(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"{package}.*actmem\[report\]"):
        render_html(every_block("plain words"))


def test_the_report_of_a_run_is_one_small_page(played: RunFolder) -> None:
    report = week_report([played])
    html = render_html(report)
    page = checked(html)
    assert len(html.encode()) < 3_000_000
    assert "//" not in html
    assert page.tags.count("svg") == 2
    assert "sees the due sets" in "".join(page.text)
    assert html == render_html(report)
