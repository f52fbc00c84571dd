"""Embeddings of an endpoint: unit vectors in order, kept on disk, every fault a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from actmem.cli import run_cli
from actmem.errors import InputError, ProviderError
from actmem.memory.open import find_embedder
from actmem.models.openai import Limits

from .conftest import Answer, Endpoint, refusal

pytest.importorskip("openai")
numpy = pytest.importorskip("numpy")
from actmem.models.embed_openai import EndpointEmbedder  # noqa: E402  (needs the extras)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTMEM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def vectors(request: dict[str, Any]) -> Answer:
    """Lengths and first letters, listed backwards: the index says which is whose."""
    texts = request["input"]
    data = [
        {"index": i, "embedding": [float(len(text)), float(ord(text[0]) % 7) + 1]}
        for i, text in enumerate(texts)
    ]
    return Answer(json.dumps({"data": data[::-1]}).encode())


def embedder(endpoint: Endpoint, **limits: Any) -> EndpointEmbedder:
    given = Limits(**({"retries": 0} | limits))
    return EndpointEmbedder("m", base_url=endpoint.url, limits=given)


def test_vectors_are_units_in_the_order_of_the_texts(endpoint: Endpoint) -> None:
    endpoint.answers = [vectors]
    texts = [f"{'ab'[i % 2]}{'x' * i}" for i in range(70)]
    got = embedder(endpoint).embed(texts)
    assert got.shape == (70, 2)
    assert str(got.dtype) == "float32"
    assert numpy.allclose(numpy.linalg.norm(got, axis=1), 1, atol=1e-6)
    for text, row in zip(texts, got, strict=True):
        wanted = numpy.array([len(text), ord(text[0]) % 7 + 1])
        assert numpy.allclose(row, wanted / numpy.linalg.norm(wanted), atol=1e-6)
    assert [len(request["input"]) for request in endpoint.requests] == [64, 6]


def test_no_text_is_asked_for_twice(endpoint: Endpoint) -> None:
    endpoint.answers = [vectors]
    first = embedder(endpoint).embed(["one", "two", "one"])
    again = embedder(endpoint).embed(["two", "three", "one"])
    assert (again[0] == first[1]).all()
    assert (again[2] == first[0]).all()
    assert [request["input"] for request in endpoint.requests] == [["one", "two"], ["three"]]
    assert embedder(endpoint).embed([]).shape[0] == 0


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"not json"),
        Answer(b"[]"),
        Answer(b'{"data": []}'),
        Answer(b'{"data": [{"index": 0, "embedding": [0, 0]}]}'),
        Answer(b'{"data": [{"index": 0, "embedding": "x"}]}'),
        Answer(b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]}'),
        refusal(500, "out of order"),
        refusal(401, "bad key sk-secretsecret"),
    ],
)
def test_a_fault_is_a_line_without_the_key(answer: Answer, endpoint: Endpoint) -> None:
    endpoint.answers = [answer]
    with pytest.raises(ProviderError, match="openai/m at ") as raised:
        embedder(endpoint).embed(["one"])
    assert "secretsecret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_may_mend_is_tried_again(endpoint: Endpoint) -> None:
    endpoint.answers = [refusal(503, "busy"), vectors]
    assert embedder(endpoint, retries=2).embed(["one"]).shape == (1, 2)
    assert len(endpoint.requests) == 2


def test_embedders_by_name() -> None:
    assert find_embedder().settings["model"] == "minilm"
    secret = find_embedder("openai/m", base_url="http://me:pass@x/v1?key=k")
    assert secret.settings == {"model": "openai/m", "endpoint": "http://x/v1"}
    for name in ("openai/", "bert"):
        with pytest.raises(InputError, match="no embedder"):
            find_embedder(name)
    with pytest.raises(InputError, match="is not set"):
        find_embedder("openai/m").open()


def test_memories_embed_with_an_endpoint_and_nothing_is_sent_to_plan(
    endpoint: Endpoint, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def call(*args: object) -> tuple[int, str, str]:
        capfd.readouterr()
        return run_cli([str(arg) for arg in args]), *capfd.readouterr()

    endpoint.answers = [vectors]
    data = ("mem2act", "--data", "mini-10", "--memory", "none,dense")
    line = (*data, "--embedder", "openai/e", "--base-url", endpoint.url)
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"reply": {"name": "x", "arguments": {}}}]))
    code, out, err = call("plan", *line, "--model", f"scripted:{script}", "--negatives", 1)
    assert (code, endpoint.requests) == (0, []), err
    assert "dense answer" in out
    code, out, err = call("run", *line, "-o", tmp_path / "run", "--json")
    assert code == 0, err
    used = {"model": "openai/e", "endpoint": endpoint.url}
    assert json.loads(out)["settings"]["embedder"] == used
    sent = len(endpoint.requests)
    assert sent > 0
    assert call("run", *line, "-o", tmp_path / "run", "--json")[:2] == (0, out)
    assert len(endpoint.requests) == sent
    assert "--threads needs a --model" in call("run", *line, "--threads", 1)[2]
    assert "--base-url needs a --model" in call("run", *data, "--base-url", endpoint.url)[2]
