"""A history of the released size: 2,029 sessions, 25,000 turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "memory.py"
SHARED = 25
"""Times are bars for a free machine; other work may take most of the one that tests."""


def test_the_released_size_fits_time_and_memory() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARK)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        # One thread: the product is bound by memory, and threads that wait for each other cost more.
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )
    found = json.loads(done.stdout)
    assert (found["sessions"], found["turns"]) == (2029, 25_000)
    assert found["bm25_index_s"] <= 2 * SHARED, found
    assert found["hybrid_read_p95_ms"] <= 10 * SHARED, found
    assert found["peak_memory_mb"] <= 1000, found
