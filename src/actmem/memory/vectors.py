"""The vectors of a memory that grows and changes, a row each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Vectors:
    """Rows of 32-bit floats, of length 1, kept in one block that doubles when it is full."""

    def __init__(self) -> None:
        self._block: NDArray[Any] = np.zeros((0, 0), np.float32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> NDArray[Any]:
        """All rows, in the order in which they were added."""
        return self._block[: self._count]

    def add(self, vector: NDArray[Any]) -> int:
        """Add a row and return its place."""
        if self._count == len(self._block):
            larger = np.zeros((max(64, 2 * self._count), len(vector)), np.float32)
            if self._count:
                larger[: self._count] = self.rows
            self._block = larger
        self._block[self._count] = vector
        self._count += 1
        return self._count - 1

    def replace(self, place: int, vector: NDArray[Any]) -> None:
        """Put another row into a place."""
        self._block[place] = vector
