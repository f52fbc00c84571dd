"""Plots as SVG that stands in the page: drawn before, so that a reader's browser runs no script.

Colours are the page's CSS variables, so that one drawing serves light, dark and paper. What a mark
says of itself for screen readers becomes its ``<title>``, which browsers show as a tooltip.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from actmem.extra import load
from actmem.report.document import Plot

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_COLOURS = 8
GROWTH = 1.2
"""How far a plot may grow where there is room; it shrinks as far as it must."""

_AXIS = {
    "domainColor": "var(--line)", "gridColor": "var(--grid)", "tickColor": "var(--line)",
    "labelColor": "var(--muted)", "titleColor": "var(--muted)", "labelFontSize": 12,
    "titleFontSize": 12, "titleFontWeight": "normal", "tickSize": 4, "titlePadding": 8,
    "labelPadding": 4, "labelFlush": False,
}  # fmt: skip
_LABELS = {"labelColor": "var(--ink)", "titleColor": "var(--muted)", "labelFontSize": 12,
           "titleFontSize": 12, "titleFontWeight": "normal"}  # fmt: skip
THEME: dict[str, Any] = {
    "background": None,
    "font": "system-ui, sans-serif",
    "axis": _AXIS,
    "legend": _LABELS | {"labelLimit": 300, "symbolSize": 90, "symbolStrokeWidth": 2},
    "header": _LABELS,
    "title": {"color": "var(--ink)", "fontSize": 12, "fontWeight": 600},
    "view": {"stroke": None},
    "range": {"category": [f"var(--c{n})" for n in range(1, _COLOURS + 1)]},
    "mark": {"color": "var(--c1)"},
    "text": {"color": "var(--ink)", "fontSize": 12},
    "style": {
        "interval": {"strokeWidth": 1.5, "opacity": 0.6},
        "reference": {"color": "var(--muted)", "strokeDash": [4, 3], "strokeWidth": 1},
        "guide": {"color": "var(--line)", "strokeWidth": 1},
        "guide-label": {"color": "var(--muted)", "fontSize": 11},
        "floor": {"color": "var(--muted)", "strokeWidth": 1.5},
        "floor-label": {"color": "var(--muted)"},
    },
}
"""The Vega-Lite configuration of every plot. Its styles are what a plot's marks may name:
``interval``, ``reference`` (a level to compare with), ``guide`` (a help line), ``guide-label``,
``floor`` (an agent without a model) and ``floor-label``."""


def printable(text: str) -> str:
    """Return the text with a mark in place of what neither HTML nor XML can hold."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def draw(plot: Plot, name: str) -> str:
    """Return a plot as an ``<svg>`` element; ``name`` is a prefix of its ids, unique in the page.

    Its text for those who do not see it is the specification's ``description``, else the title.
    Raises ``InputError`` that names the extra where vl-convert is missing.
    """
    spec = _printable(plot.spec)
    drawn = load("vl_convert", "a report", "report").vegalite_to_svg(
        spec, config=THEME, allowed_base_urls=[]
    )
    root = ElementTree.fromstring(drawn)  # noqa: S314  (made here, from JSON)
    _tidy(root)
    _rename(root, name)
    width = float(root.attrib.pop("width"))
    root.attrib.pop("height")
    root.attrib.pop("version", None)
    root.attrib |= {"class": "plot", "style": f"max-width:{width * GROWTH:.0f}px", "role": "img"}
    root.attrib["aria-label"] = printable(str(spec.get("description") or plot.title))
    return ElementTree.tostring(root, encoding="unicode")


def _printable(value: Any) -> Any:
    """Return a copy of JSON data whose texts can be printed."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {_printable(key): _printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(item) for item in value]
    return value


def _tidy(element: ElementTree.Element) -> None:
    """Leave out namespaces, invisible shapes and the markup for scripts; keep labels as titles."""
    element.tag = element.tag.rpartition("}")[2]
    label = element.attrib.pop("aria-label", "")
    kind = element.attrib.pop("aria-roledescription", "")
    for name in ("aria-hidden", "class", "role"):
        element.attrib.pop(name, None)
    for child in list(element):
        if _invisible(child):
            element.remove(child)
        else:
            _tidy(child)
    if label and kind not in ("axis", "legend", "title", "header"):
        title = ElementTree.Element("title")
        title.text = label
        element.insert(0, title)


def _invisible(element: ElementTree.Element) -> bool:
    shape = element.attrib.get("class") in ("background", "foreground")
    return shape and not {"fill", "stroke"} & element.attrib.keys()


def _rename(root: ElementTree.Element, prefix: str) -> None:
    """Number the ids anew: several plots stand in one page, and each is to be drawn alike."""
    names: dict[str, str] = {}
    for element in root.iter():
        if (known := element.attrib.get("id")) is not None:
            names[known] = f"{prefix}-{len(names) + 1}"
            element.attrib["id"] = names[known]
    for element in root.iter():
        for key, value in element.attrib.items():
            if value.startswith("url(#"):
                element.attrib[key] = f"url(#{names[value[5:-1]]})"
