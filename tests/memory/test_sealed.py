from __future__ import annotations

import os
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from actmem.memory.sealed import FIRST_DAY, Clock, Ids, Seal, imported

MODULE = """
import logging, os, warnings
seen = os.environ.get("ACTMEM_TEST"), os.environ.get("ACTMEM_OTHER")
warnings.warn("old", DeprecationWarning)
logging.getLogger("chatty.part").error("nothing to see")
"""


def test_a_library_is_imported_in_an_environment_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "chatty.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("ACTMEM_TEST", "before")
    monkeypatch.delitem(sys.modules, "chatty", raising=False)
    found = imported("chatty", logger="chatty", ACTMEM_TEST="a", ACTMEM_OTHER="b")
    assert found.seen == ("a", "b")
    assert os.environ["ACTMEM_TEST"] == "before"
    assert "ACTMEM_OTHER" not in os.environ
    with pytest.raises(ImportError):
        imported("no_such_library", logger="x", ACTMEM_OTHER="b")
    assert "ACTMEM_OTHER" not in os.environ
    capfd.readouterr()


def test_inside_of_a_seal_the_clock_is_the_history_s_and_ids_repeat() -> None:
    library: Any = Ids()

    def draw() -> tuple[datetime, list[uuid.UUID]]:
        return Clock.now(UTC), [library.uuid4(), library.uuid4()]

    seal = Seal()
    moment, first = seal.run(1443, draw)
    assert moment == FIRST_DAY.replace(day=2, minute=3)
    assert first[0] != first[1]
    assert seal.run(0, draw)[1] != first
    assert Seal().run(0, draw)[1] == first
    outside, ids = draw()
    assert abs((outside - datetime.now(UTC)).total_seconds()) < 3600
    assert ids != draw()[1]
    assert library.uuid5(library.NAMESPACE_DNS, "a") == uuid.uuid5(uuid.NAMESPACE_DNS, "a")
