"""Reports as text: Markdown, CSV and JSON. Plots and calendars are left to the page."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from actmem.report.document import Case, Cell, Column, Report, Section, Table

Row = list[str]


def shown(value: Any, kind: str) -> str:
    """Return a value as text: fractions as per cent with one decimal, n/a where undefined."""
    if value is None:
        return "n/a"
    if isinstance(value, str):
        return value
    if kind == "percent":
        return f"{100 * value:.1f}"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if value == 0:
        return "0"
    if 0 < value < 0.001:
        return "<0.001"
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 10 else 3
    return f"{value:,.{digits}f}"


def drawn(cell: Cell, column: Column) -> str:
    """Return a cell as text, with interval and note."""
    text = shown(cell.value, column.kind)
    if cell.low is not None and cell.high is not None:
        text += f" [{shown(cell.low, column.kind)}, {shown(cell.high, column.kind)}]"
    if cell.note:
        text += cell.note if cell.note == "*" else f" {cell.note}"
    return text.strip()


def tables(report: Report) -> Iterator[Table]:
    """Yield the tables of a report in their order."""
    for section in report.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                yield block


def markdown(report: Report) -> str:
    """Return a report as Markdown; the best of a table is in bold."""
    lines = [f"# {report.title}", ""]
    lines += [f"- {name}: {_inline(value)}" for name, value in report.facts.items()]
    for section in report.sections:
        lines += ["", f"## {section.title}"]
        if section.text:
            lines += ["", section.text]
        lines += _blocks(section)
    return "\n".join(lines) + "\n"


def _blocks(section: Section) -> Iterator[str]:
    for block in section.blocks:
        if isinstance(block, Table):
            yield from ("", f"### {block.title}", "")
            yield from _markdown_table(block)
            if block.note:
                yield from ("", block.note)
        elif isinstance(block, Case):
            yield from ("", f"### {block.title}", "", "```text", *block.lines, "```")


def _markdown_table(table: Table) -> Iterator[str]:
    yield "| " + " | ".join(_inline(column.title) for column in table.columns) + " |"
    rules = ("---" if column.kind == "text" else "---:" for column in table.columns)
    yield "| " + " | ".join(rules) + " |"
    for row in table.rows:
        cells = []
        for cell, column in zip(row, table.columns, strict=True):
            text = _inline(drawn(cell, column))
            cells.append(f"**{text}**" if cell.best else text)
        yield "| " + " | ".join(cells) + " |"


def _inline(text: str) -> str:
    """Return text that stays in its cell, and is not taken for markup."""
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").split())


def to_csv(report: Report) -> str:
    """Return the tables one below the other: a line with its name, its columns, its rows.

    Rates are fractions. A column with intervals is followed by ``…_low`` and ``…_high``, one with
    notes by ``…_note``. An undefined rate is ``n/a``, a cell in which nothing belongs is empty.
    """
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    for number, table in enumerate(tables(report)):
        if number:
            out.write("\n")
        out.write(f"# {table.name}\n")
        bounded = [any(row[i].low is not None for row in table.rows) for i in _places(table)]
        noted = [any(row[i].note for row in table.rows) for i in _places(table)]
        head: Row = []
        for column, has_bounds, has_note in zip(table.columns, bounded, noted, strict=True):
            head.append(column.key)
            head += [f"{column.key}_low", f"{column.key}_high"] if has_bounds else []
            head += [f"{column.key}_note"] if has_note else []
        write(head)
        for row in table.rows:
            line: list[Any] = []
            for cell, has_bounds, has_note in zip(row, bounded, noted, strict=True):
                line.append("n/a" if cell.value is None else cell.value)
                line += [cell.low, cell.high] if has_bounds else []
                line += [cell.note] if has_note else []
            write(line)
    return out.getvalue()


def _places(table: Table) -> range:
    return range(len(table.columns))


def plain(report: Report) -> dict[str, Any]:
    """Return a report as plain data: each table by its name, a mapping for each row.

    Rates are fractions and null where undefined; ``…_low`` and ``…_high`` bound the interval.
    ``best`` lists the columns in which the row is marked, ``notes`` what stands beside a value.
    """
    return {
        "suite": report.suite,
        "title": report.title,
        "facts": report.facts,
        "incomplete": list(report.incomplete),
        "tables": {
            table.name: {
                "title": table.title,
                "note": table.note,
                "columns": {column.key: column.help or column.title for column in table.columns},
                "rows": [_plain_row(table, row) for row in table.rows],
            }
            for table in tables(report)
        },
        "cases": [
            {"name": block.name, "title": block.title, "lines": list(block.lines)}
            for section in report.sections
            for block in section.blocks
            if isinstance(block, Case)
        ],
    }


def _plain_row(table: Table, row: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for cell, column in zip(row, table.columns, strict=True):
        fields[column.key] = cell.value
        if cell.low is not None:
            fields |= {f"{column.key}_low": cell.low, f"{column.key}_high": cell.high}
    pairs = list(zip(row, table.columns, strict=True))
    if best := [column.key for cell, column in pairs if cell.best]:
        fields["best"] = best
    if notes := {column.key: cell.note for cell, column in pairs if cell.note}:
        fields["notes"] = notes
    return fields
