from __future__ import annotations

import numpy as np

from actmem.memory.hashed import HashedWords


def test_texts_that_share_words_are_near_each_other() -> None:
    boat, again, tax, nothing, odd = HashedWords().embed(
        ["the red boat", "The red boat has oars.", "income tax form", "…", "\ud800"]
    )
    assert boat @ again > 0.5 > boat @ tax
    assert np.allclose([np.linalg.norm(row) for row in (boat, again, tax)], 1)
    assert not nothing.any()
    assert np.isfinite(odd).all()
    assert (HashedWords().embed(["the red boat"])[0] == boat).all()
    assert HashedWords().embed([]).shape == (0, 64)
