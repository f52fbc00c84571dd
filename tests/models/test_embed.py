from __future__ import annotations

import importlib.util
import math
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from actmem.errors import InputError
from actmem.models import embed
from actmem.models.catalogue import is_fetched, locate

from .conftest import need


@pytest.fixture(scope="module")
def numpy() -> Any:
    need(importlib.util.find_spec("tokenizers") is not None, "needs the extra 'memory'")
    need(is_fetched("minilm"), "needs the weights: actmem fetch model minilm")
    return importlib.import_module("numpy")


@pytest.fixture(scope="module")
def embedder(numpy: Any) -> embed.Embedder:
    return embed.Embedder(cache=False)


PAIRS = [
    ("Please water the plants at noon.", "The flowers need watering at twelve."),
    ("The train to Paris leaves at six.", "Departure of the rail service to Paris: 18:00."),
    ("My sister is allergic to peanuts.", "Nuts make my sister ill."),
    ("The password of the router was changed.", "There is a new login for the wireless box."),
]


def test_vectors_have_length_one(embedder: embed.Embedder, numpy: Any) -> None:
    vectors = embedder.embed(["a", "b " * 2000, "", "ü😀", "lone \ud800"])
    assert vectors.shape == (5, 384)
    assert str(vectors.dtype) == "float32"
    assert numpy.allclose(numpy.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == (0, 384)


def test_the_published_example(embedder: embed.Embedder, numpy: Any) -> None:
    """The first numbers that the reference implementation gives for these two sentences."""
    got = embedder.embed(["This is an example sentence", "Each sentence is converted"])[:, :4]
    expected = [[0.067657, 0.063496, 0.048713, 0.079305], [0.086439, 0.102763, 0.005395, 0.002044]]
    assert numpy.abs(got - numpy.array(expected)).max() < 2e-5


def test_related_sentences_are_nearest(embedder: embed.Embedder) -> None:
    left = embedder.embed([a for a, _ in PAIRS])
    right = embedder.embed([b for _, b in PAIRS])
    cosines = left @ right.T
    assert [int(row.argmax()) for row in cosines] == [0, 1, 2, 3]
    assert all(cosines[i, i] > 0.4 for i in range(4))


def test_neighbours_in_a_batch_change_nothing(embedder: embed.Embedder, numpy: Any) -> None:
    texts = [f"sentence {'with more words ' * n}" for n in range(20)]
    together = embedder.embed(texts)
    alone = numpy.concatenate([embedder.embed([text]) for text in texts])
    assert numpy.abs(together - alone).max() < 1e-5


def test_gelu_is_exact_enough(numpy: Any) -> None:
    x = numpy.linspace(-6, 6, 500, dtype=numpy.float32)
    exact = [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()]
    assert numpy.abs(embed._gelu(numpy, x) - exact).max() < 2e-6


def test_cache_on_disk(numpy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = locate("minilm")
    monkeypatch.setattr(embed, "home", lambda: tmp_path)
    monkeypatch.setattr(embed, "locate", lambda _: paths)
    texts = [f"text number {i}" for i in range(30)]
    first = embed.Embedder().embed([*texts, *texts])
    again = embed.Embedder()
    monkeypatch.setattr(again, "_forward", lambda _: pytest.fail("computed again"))
    assert numpy.array_equal(first, again.embed([*texts, *texts]))
    (file,) = (tmp_path / "embeddings").iterdir()
    base = sqlite3.connect(file)
    assert base.execute("SELECT count(*) FROM vectors").fetchone() == (30,)
    base.close()


def test_unusable_cache(numpy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "embeddings").write_text("a file")
    monkeypatch.setattr(embed, "home", lambda: tmp_path)
    with pytest.raises(InputError, match="cannot be used"):
        embed.Embedder()


def test_speed(embedder: embed.Embedder) -> None:
    started = time.perf_counter()
    embedder.embed([f"The meeting number {i} is about the budget." for i in range(64)])
    assert time.perf_counter() - started < 120


def test_without_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, numpy: Any) -> None:
    monkeypatch.setenv("ACTMEM_HOME", str(tmp_path))
    with pytest.raises(InputError, match="actmem fetch model minilm"):
        embed.Embedder()
