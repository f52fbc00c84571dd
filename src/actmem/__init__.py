"""ActMem: does an AI agent act on what it remembers?

The public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from actmem.errors import ActMemError as ActMemError
    from actmem.errors import InputError as InputError
    from actmem.week.check import check as check_week
    from actmem.week.make import Knobs as Knobs
    from actmem.week.make import make_week as make_week
    from actmem.week.make import make_weeks as make_weeks
    from actmem.week.obligations import prepare as prepare
    from actmem.week.pmbench import load_any as load_week
    from actmem.week.scenario import Scenario as Scenario
    from actmem.week.score import Row as Row
    from actmem.week.score import score as score
    from actmem.week.world import Act as Act
    from actmem.week.world import Observation as Observation
    from actmem.week.world import Query as Query
    from actmem.week.world import SetHeartbeat as SetHeartbeat
    from actmem.week.world import World as World

__version__ = "0.1.0"

_PUBLIC = {
    "ActMemError": ("actmem.errors", "ActMemError"),
    "InputError": ("actmem.errors", "InputError"),
    "check_week": ("actmem.week.check", "check"),
    "Knobs": ("actmem.week.make", "Knobs"),
    "make_week": ("actmem.week.make", "make_week"),
    "make_weeks": ("actmem.week.make", "make_weeks"),
    "prepare": ("actmem.week.obligations", "prepare"),
    "load_week": ("actmem.week.pmbench", "load_any"),
    "Scenario": ("actmem.week.scenario", "Scenario"),
    "Row": ("actmem.week.score", "Row"),
    "score": ("actmem.week.score", "score"),
    "Act": ("actmem.week.world", "Act"),
    "Observation": ("actmem.week.world", "Observation"),
    "Query": ("actmem.week.world", "Query"),
    "SetHeartbeat": ("actmem.week.world", "SetHeartbeat"),
    "World": ("actmem.week.world", "World"),
}
"""Module and name of each public name."""

__all__ = [
    "Act",
    "ActMemError",
    "InputError",
    "Knobs",
    "Observation",
    "Query",
    "Row",
    "Scenario",
    "SetHeartbeat",
    "World",
    "check_week",
    "load_week",
    "make_week",
    "make_weeks",
    "prepare",
    "score",
]


def __getattr__(name: str) -> Any:
    """Load a public name."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'actmem' has no attribute {name!r}")
    module, attribute = _PUBLIC[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
