"""Each system with a real model, a very small one: what it says is nonsense, that it runs is not."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.memory.conftest import HashingEmbedder
from tests.models.conftest import need

from actmem.memory.model import Model
from actmem.memory.packing import spent
from actmem.memory.protocol import DAY, Turn
from actmem.memory.registry import Parts, find_memory
from actmem.models.catalogue import is_fetched
from actmem.models.chat import Chat
from actmem.models.registry import ModelOptions, open_model

NAME = "smollm2-135m"
SAID = (
    ("The parcels for my sister Runa go to 14 Fjordgata in Tromsø.", "Fjordgata it is."),
    (
        "Runa's parcels go to 9 Storgata in Tromsø now, she has moved.",
        "I have changed her address.",
    ),
)


@pytest.fixture(scope="module")
def chat() -> Iterator[Chat]:
    need(find_spec("xllamacpp") is not None, "the extra local is not installed")
    need(is_fetched(NAME), f"actmem fetch model {NAME}")
    chat = open_model(f"local:{NAME}", ModelOptions(threads=1, max_tokens=300, window=2048))
    yield chat
    chat.close()


@pytest.mark.parametrize(
    ("system", "sessions"), [("generative-agents", 1), ("scm", 1), ("memtree", 2), ("a-mem", 1)]
)
def test_a_small_model_writes_and_reads(system: str, sessions: int, chat: Chat) -> None:
    """The sessions are as many as bring the system's first call."""
    model = Model(chat)
    parts = Parts(HashingEmbedder, lambda: model, lambda: Path("unused"))
    memory: Any = find_memory(system).make(parts)
    for day, said in enumerate(SAID[:sessions]):
        memory.write(
            [
                Turn(2 * day + n, day, day * DAY + n, role, text)
                for n, (role, text) in enumerate(zip(("user", "assistant"), said, strict=True))
            ]
        )
    found = memory.read("Where do Runa's parcels go?", 200)
    assert 0 < spent(found) <= 200
    assert model.usage.calls - model.usage.invalid == 1
    assert model.usage.tokens > 50
