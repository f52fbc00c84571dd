"""The adapter with the embedded runtime: it can hold a model to all that the libraries ask for.

The model is called with short prompts of ours: a small one reads the libraries' own for minutes.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.memory.conftest import HashingEmbedder, history
from tests.memory.scribe import Listed, langmem, mem0, removed
from tests.models.conftest import need

from actmem.errors import ProviderError
from actmem.memory.langmem import LangMem
from actmem.memory.mem0 import Mem0
from actmem.memory.model import Model
from actmem.models.catalogue import is_fetched
from actmem.models.chat import Chat, Message
from actmem.models.registry import ModelOptions, open_model

NAME = "smollm2-135m"
TURNS = history("My boat is red.", "Noted.", "I sold her.", "A pity.")


@pytest.fixture(scope="module")
def chat() -> Iterator[Chat]:
    need(importlib.util.find_spec("xllamacpp") is not None, "needs the extra 'local'")
    need(is_fetched(NAME), f"needs the weights: actmem fetch model {NAME}")
    with closing(open_model(f"local:{NAME}", ModelOptions(window=2048, max_tokens=16))) as chat:
        yield chat


def test_a_model_is_held_to_the_libraries_schemas(chat: Chat, tmp_path: Path) -> None:
    asked = Listed(langmem("The boat is red."), removed, mem0("The boat is red."))
    memory = LangMem(Model(asked), HashingEmbedder())
    memory.write(TURNS[:2])
    memory.write(TURNS[2:])
    with closing(Mem0(Model(asked), HashingEmbedder(), tmp_path)) as other:
        other.write(TURNS[:2])
    beginnings = ('{"calls": [{"name": "', '{"calls": [{"name": "', '{"memory": [')
    for schema, beginning in zip(asked.schemas, beginnings, strict=True):
        reply = chat.complete([Message("user", "My boat is red. Answer in JSON.")], schema)
        assert reply.text.startswith(beginning)
        assert reply.schema_sent == "native"


def test_a_prompt_beyond_the_window_is_one_line(chat: Chat, tmp_path: Path) -> None:
    with (
        closing(Mem0(Model(chat), HashingEmbedder(), tmp_path)) as memory,
        pytest.raises(ProviderError, match=r"tokens is larger than the window of 2048") as got,
    ):
        memory.write(TURNS[:2])
    assert "\n" not in str(got.value)
