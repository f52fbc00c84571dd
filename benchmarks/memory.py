"""Speed and size of the retrievers on a history of the released size.

``python benchmarks/memory.py [TURNS]`` prints JSON: seconds to index, milliseconds of a read, and
the process's peak memory. The history is synthetic: 2,029 sessions, 60 words a turn, words by
Zipf's law; vectors are drawn, so that no time for embedding is in the figures.
"""

from __future__ import annotations

import itertools
import json
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actmem.memory.bm25 import BM25
from actmem.memory.hybrid import Hybrid
from actmem.memory.protocol import DAY, Turn

SESSIONS = 2_029
TURNS = 25_000
VOCABULARY = 20_000
READS = 200


class DrawnEmbedder:
    """Unit vectors of 384 numbers, drawn."""

    def __init__(self) -> None:
        self._chance = np.random.default_rng(0)

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return a row a text."""
        rows = self._chance.standard_normal((len(texts), 384), np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


def words(chance: Random) -> Callable[[int], str]:
    """Return a function that draws a text of so many words."""
    letters = "abcdefghijklmnoprstuvw"
    known = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(VOCABULARY)]
    weights = list(itertools.accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
    return lambda number: " ".join(chance.choices(known, cum_weights=weights, k=number))


def measure(number: int) -> dict[str, float]:
    """Return the figures for a history of ``number`` turns."""
    text = words(Random(1))
    days = [i * SESSIONS // number for i in range(number)]
    turns = [Turn(i, day, day * DAY, "user", text(60)) for i, day in enumerate(days)]
    lexical = BM25()
    lexical.write(turns)
    started = time.perf_counter()
    lexical.finish()
    index = time.perf_counter() - started
    memory = Hybrid(DrawnEmbedder())
    memory.write(turns)
    memory.finish()
    reads = []
    for _ in range(READS):
        query = text(20)
        started = time.perf_counter()
        found = memory.read(query, 512)
        reads.append(1000 * (time.perf_counter() - started))
        assert found
    reads.sort()
    return {
        "sessions": SESSIONS,
        "turns": number,
        "bm25_index_s": round(index, 3),
        "hybrid_read_p50_ms": round(reads[READS // 2], 2),
        "hybrid_read_p95_ms": round(reads[READS * 95 // 100], 2),
        "peak_memory_mb": round(peak_bytes() / 1e6),
    }


def peak_bytes() -> int:
    """Return the most memory that this process was resident with.

    Linux keeps in ``ru_maxrss`` what the process that started this one held, so it is not asked.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else TURNS)))
