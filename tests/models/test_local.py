"""The embedded runtime with the smallest model: plumbing only, never what it answers."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from actmem.errors import InputError, ProviderError
from actmem.models.catalogue import is_fetched, locate
from actmem.models.chat import Chat, Message
from actmem.models.dialogue import Dialogue
from actmem.models.registry import ModelOptions, open_model
from actmem.models.structured import Schema, check
from actmem.models.tape import Called, Tape

from .conftest import need

NAME = "smollm2-135m"
SCHEMA = Schema(
    "act",
    {
        "type": "object",
        "properties": {
            "choice": {"enum": ["A", "B", "C"]},
            "task_ids": {"type": "array", "items": {"enum": ["task_1", "task_2"]}, "maxItems": 2},
            "note": {"type": "string", "maxLength": 20},
        },
        "required": ["choice", "task_ids", "note"],
        "additionalProperties": False,
    },
)


@pytest.fixture(scope="module")
def chat() -> Iterator[Chat]:
    need(importlib.util.find_spec("xllamacpp") is not None, "needs the extra 'local'")
    need(is_fetched(NAME), f"needs the weights: actmem fetch model {NAME}")
    chat = open_model(f"local:{NAME}", ModelOptions(window=2048, max_tokens=96))
    yield chat
    chat.close()


def test_structured_call(chat: Chat) -> None:
    got = chat.complete([Message("user", "Choose an option. Answer in JSON.")], SCHEMA)
    assert got.problem == ""
    assert check(got.parsed, SCHEMA.definition) == ""
    assert json.dumps(json.loads(got.text)) == got.text  # on one line, without stray white space
    assert (got.finish, got.schema_sent) == ("stop", "native")
    assert got.usage.prompt_tokens > 10
    assert 5 < got.usage.completion_tokens < 96
    assert not got.usage.estimated


def test_a_growing_history_is_read_from_the_cache(chat: Chat) -> None:
    calls: list[Called] = []
    dialogue = Dialogue(chat, Tape(write=calls.append))
    dialogue.say("You plan a day. " * 40, role="system")
    for step in range(4):
        dialogue.say(f"Step {step}: it is morning and nothing happens. Choose.")
        assert dialogue.ask(lambda value: value["choice"], SCHEMA) in "ABC"
    assert dialogue.invalid == 0
    for before, call in itertools.pairwise(calls):
        usage = call.completion.usage
        assert usage.cached_tokens >= before.completion.usage.prompt_tokens - 8
        assert usage.cached_tokens < usage.prompt_tokens


def test_a_reply_at_the_token_limit_says_so(chat: Chat) -> None:
    short = open_model(f"local:{NAME}", ModelOptions(window=2048, max_tokens=3))
    got = short.complete([Message("user", "Tell a long story.")], SCHEMA)
    assert got.finish == "length"
    assert "cut off" in got.problem
    short.close()
    assert chat.complete([Message("user", "Hi.")]).text  # the shared weights are still there


def test_a_prompt_beyond_the_window_is_one_line(chat: Chat) -> None:
    with pytest.raises(ProviderError, match="larger than the window of 2048") as caught:
        chat.complete([Message("user", "word " * 3000)])
    assert "\n" not in str(caught.value)


def test_settings_hold_what_may_change_a_reply(chat: Chat) -> None:
    assert json.loads(json.dumps(chat.settings)) == chat.settings
    assert {"sha256", "threads", "window", "runtime", "temperature"} <= set(chat.settings)
    assert (chat.parallel, chat.window) == (1, 2048)
    assert str(Path.home()) not in json.dumps(chat.settings)


@pytest.mark.usefixtures("chat")
@pytest.mark.skipif(sys.platform != "linux", reason="a process is bound to cores on Linux alone")
def test_a_process_bound_to_one_core_takes_one_thread() -> None:
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        settings = open_model(f"local:{NAME}", ModelOptions()).settings
    finally:
        os.sched_setaffinity(0, allowed)
    assert (settings["threads"], settings["batch_threads"]) == (1, 1)


def test_by_path(chat: Chat) -> None:
    path = locate(NAME)[0]
    by_path = open_model(f"local:{path}", ModelOptions(window=512, max_tokens=4))
    assert by_path.settings["sha256"] == chat.settings["sha256"]
    assert by_path.complete([Message("user", "Hi.")]).usage.completion_tokens <= 4
    by_path.close()
    by_path.close()


PROGRAM = """
import sys, threading, time
from actmem.models.chat import Message
from actmem.models.registry import ModelOptions, open_model
chat = open_model("local:smollm2-135m", ModelOptions(window=8192, max_tokens=4000, temperature=1))
words = 20 if sys.argv[1] != "reading" else 2500
ask = [Message("user", "Write a very long story about this: " + "one two " * words)]
threading.Thread(target=chat.complete, args=(ask,), daemon=True).start()
time.sleep(1)
try:
    print("ready", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("state", ["writing", "reading"])
def test_an_interrupted_process_leaves_at_once(chat: Chat, state: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, state],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert time.monotonic() - started < 20
    assert b"Traceback" not in errors


def test_no_gguf(tmp_path: Path) -> None:
    need(importlib.util.find_spec("xllamacpp") is not None, "needs the extra 'local'")
    path = tmp_path / "a.gguf"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="is no GGUF file"):
        open_model(f"local:{path}")
    path.write_bytes(b"GGUF and then rubbish" * 10)
    broken = open_model(f"local:{path}")
    with pytest.raises(InputError, match=r"cannot be loaded"):
        broken.complete([Message("user", "Hi.")])
    broken.close()


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        open_model(f"local:{tmp_path / 'none.gguf'}")


def test_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTMEM_HOME", str(tmp_path))
    with pytest.raises(InputError, match="actmem fetch model smollm2-135m"):
        open_model(f"local:{NAME}")


def test_embedder_is_no_chat_model() -> None:
    with pytest.raises(InputError, match="no chat model"):
        open_model("local:minilm")
