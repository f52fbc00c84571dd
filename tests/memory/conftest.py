"""An embedder without weights, and small histories."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from actmem.memory.model import Model
from actmem.memory.protocol import DAY, Turn
from actmem.memory.registry import Parts
from actmem.models.chat import Chat
from actmem.models.scripted import ScriptedChat


class HashingEmbedder:
    """Words hashed into 64 signed places: texts that share words are near each other."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        self.calls.append(len(texts))
        rows = np.zeros((len(texts), 64), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()):
                seed = hashlib.sha256(word.encode()).digest()
                row[seed[0] % 64] += 1 if seed[1] % 2 else -1
            norm = np.linalg.norm(row)
            row /= norm if norm else 1
        return rows


def parts(chat: Chat | None = None, folder: Path = Path("unused")) -> Parts:
    """Return what memories are made of, without weights; ``{}`` is the reply to everything."""
    return Parts(HashingEmbedder, lambda: Model(chat or ScriptedChat(["{}"])), lambda: folder)


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


def history(*texts: str) -> list[Turn]:
    """Return turns of sessions of four, user and assistant in turn."""
    return [
        Turn(i, i // 4, i // 4 * DAY + i % 4, "assistant" if i % 2 else "user", text)
        for i, text in enumerate(texts)
    ]


@pytest.fixture(scope="session")
def turns() -> Callable[..., list[Turn]]:
    """Return ``history``."""
    return history
