"""What the memory libraries may not do, seen from outside: in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys, threading
from pathlib import Path

attempts = []
NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")
sys.addaudithook(lambda event, given: event in NETWORK and attempts.append((event, given)))

from tests.memory.conftest import HashingEmbedder, history
from tests.memory.scribe import Scribe
from actmem.memory.model import Model
from actmem.memory.registry import Parts, find_memory

for name in ("langmem", "mem0", "mem0"):
    folder = Path(sys.argv[1]) / f"{name}-{len(list(Path(sys.argv[1]).iterdir()))}"
    folder.mkdir()
    model = Model(Scribe())
    memory = find_memory(name).make(Parts(HashingEmbedder, lambda: model, lambda: folder))
    memory.write(history("my boat is red", "noted"))
    found = memory.read("my red boat", 512)
    getattr(memory, "close", lambda: None)()
    print(name, model.usage.calls, found[0].text)
print(attempts, threading.active_count())
"""
FOREIGN = {
    "OPENAI_API_KEY": "key",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    "OPENAI_API_BASE": "http://127.0.0.1:9/v1",
    "OPENROUTER_API_KEY": "key",
    "ANTHROPIC_API_KEY": "key",
    "GOOGLE_API_KEY": "key",
    "MEM0_API_KEY": "key",
    "MEM0_TELEMETRY": "True",
    "ANONYMIZED_TELEMETRY": "True",
    "LANGSMITH_API_KEY": "key",
    "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
    "LANGSMITH_TRACING": "true",
    "LANGCHAIN_API_KEY": "key",
    "LANGCHAIN_TRACING_V2": "true",
    "QDRANT_URL": "http://127.0.0.1:9",
}
"""What turns telemetry on, or sends the calls of one library or another elsewhere."""


def test_no_key_redirects_a_call_and_nothing_reaches_network_or_home(tmp_path: Path) -> None:
    home, folders = tmp_path / "home", tmp_path / "folders"
    home.mkdir()
    folders.mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, str(folders)],
        env=kept | FOREIGN | {"HOME": str(home)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    said = "1 day 1: my boat is red"
    assert done.stdout.splitlines() == [f"langmem {said}", f"mem0 {said}", f"mem0 {said}", "[] 1"]
    assert list(home.iterdir()) == []
