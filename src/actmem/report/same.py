"""What may stand in one table: the same units, version and settings; all else is refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from actmem.errors import InputError
from actmem.run.store import RunFolder


class Entry(Protocol):
    """What a row of a table is made from."""

    @property
    def name(self) -> str:
        """How tables call it."""

    @property
    def floor(self) -> bool:
        """True for floors and oracle, which may come from any of the runs."""

    @property
    def where(self) -> str:
        """The run that it is of."""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that have to be equal in one table; those that do not apply are left out."""


def refuse_other_units(folders: Sequence[RunFolder], what: str) -> None:
    """Refuse runs that do not play the very same units (``what`` in words), and say which differ.

    A run that plans no episode is refused as well.
    """
    first = folders[0]
    for folder in folders:
        if not folder.manifest.episodes:
            raise InputError("plans no episode: there is nothing to report", folder.path)
    for other in folders[1:]:
        one, two = first.manifest.units, other.manifest.units
        if one == two:
            continue
        changed = sorted(name for name in one.keys() & two.keys() if one[name] != two[name])
        parts = [
            f"{text} {some(names)}"
            for text, names in (
                ("only there", sorted(one.keys() - two.keys())),
                ("only here", sorted(two.keys() - one.keys())),
                ("other content here", changed),
            )
            if names
        ]
        raise InputError(
            f"plays other {what} than {first.path}: {'; '.join(parts)}. Report them apart",
            other.path,
        )


def some(names: Sequence[str]) -> str:
    """Return the first three names, and how many more there are."""
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def refuse_mixed(entries: Sequence[Entry], names: Sequence[str]) -> None:
    """Refuse entries whose settings ``names`` differ, and say which, where and how."""
    for name in names:
        known: Entry | None = None
        for entry in entries:
            if name not in entry.settings:
                continue
            if known is None:
                known = entry
            elif entry.settings[name] != known.settings[name]:
                here, there = _apart(entry.settings[name], known.settings[name])
                cure = (
                    "run one of them again"
                    if name == "actmem"
                    else "report them apart, or set them against each other with actmem compare"
                )
                raise InputError(
                    f"{entry.name} was run with {_title(name)} {here}, but {known.name} of "
                    f"{known.where} with {there}; {cure}",
                    entry.where,
                )


def model_settings(folder: RunFolder, model: str) -> dict[str, Any]:
    """Return how a run set one model, for an entry's settings; nothing where there is no model."""
    models = folder.manifest.settings.get("models")
    known = models.get(model) if isinstance(models, dict) else None
    return {f"model {model}": known} if model else {}


def refuse_other_models(entries: Sequence[Entry]) -> None:
    """Refuse entries of one model that was set otherwise: under one name they are two models."""
    names = {name for entry in entries for name in entry.settings if name.startswith("model ")}
    refuse_mixed(entries, sorted(names))


def refuse_twice(entries: Sequence[Entry]) -> None:
    """Refuse two entries of one name, floors aside: neither is the other's repeat."""
    known: dict[str, Entry] = {}
    for entry in entries:
        if entry.floor:
            continue
        other = known.setdefault(entry.name, entry)
        if other is not entry:
            raise InputError(
                f"holds {entry.name}, and so does {other.where}; report them apart, or set them "
                "against each other with actmem compare",
                entry.where,
            )


def _apart(one: Any, two: Any) -> tuple[str, str]:
    """Return how two values differ; of mappings, the first key that does."""
    if isinstance(one, dict) and isinstance(two, dict):
        name = min((k for k in one.keys() | two.keys() if one.get(k) != two.get(k)), key=str)
        return f"{name} {_short(one.get(name))}", f"{name} {_short(two.get(name))}"
    return _short(one), _short(two)


def _short(value: Any) -> str:
    """Return a value in a few words; of a digest, its beginning."""
    text = str(value)
    return text if len(text) <= 40 else f"{text[:8]}…"


def _title(name: str) -> str:
    if name.startswith("model "):
        return name
    return "ActMem" if name == "actmem" else name.replace("_", " ")
