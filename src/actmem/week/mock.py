"""The mock week: a complete, sound week on one screen, for tests and docs.

Two days with a task of each kind: a narrative cue, a time, an email, a value that falls, a task that
waits for another, one announced the day before, and an override.
"""

from __future__ import annotations

from pathlib import Path

from actmem.week.scenario import Scenario, load

PATH = Path(__file__).with_name("mock.json")
"""The scenario file."""


def mock() -> Scenario:
    """Read the mock week."""
    return load(PATH)
