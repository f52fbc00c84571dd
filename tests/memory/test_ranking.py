from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actmem.memory.ranking import best, fuse


@given(st.lists(st.integers(0, 4), max_size=30), st.integers(0, 35))
def test_the_best_are_those_of_a_stable_sort(scores: list[int], limit: int) -> None:
    order = sorted(range(len(scores)), key=lambda i: -scores[i])[:limit]
    assert best(np.array(scores, np.float32), limit) == order
    assert best(np.array(scores, np.float32), limit, above=0.0) == [i for i in order if scores[i]]


def test_reciprocal_ranks_are_added() -> None:
    # 7: 1/61 + 1/62; 3: 1/62 + 1/61; 9: 1/63; 5: 1/63: ties go to the older turn
    assert fuse([[7, 3, 9], [3, 7, 5]], 4) == [3, 7, 5, 9]
    assert fuse([[1, 2], [2]], 1) == [2]
    assert fuse([[], []], 3) == []


def test_a_late_place_in_both_beats_a_first_place_in_one() -> None:
    one, two = [8, *range(20, 29), 4], [*range(40, 50), 4]
    assert 2 / (60 + 11) > 1 / 61
    assert fuse([one, two], 1) == [4]
    assert pytest.approx(1 / 61) == 1 / (60 + 1)
