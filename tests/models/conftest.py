"""A server on loopback that plays every fault of a model's endpoint, in a stated order."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


def need(there: bool, reason: str) -> None:
    """Skip a test without what it needs; where CI must have it, fail."""
    if there:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass
class Answer:
    """One HTTP answer."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the answer."""
    trickle: float = 0.0
    """Seconds between the bytes of the body."""
    cut: bool = False
    """Close the connection in the middle of the body."""


def completion(text: Any, **more: Any) -> Answer:
    """An answer as it should be."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    usage = {
        "prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107,
        "prompt_tokens_details": {"cached_tokens": 60},
    }  # fmt: skip
    body = {
        "id": "x",
        "object": "chat.completion",
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }
    return Answer(json.dumps({**body, **more}).encode())


def refusal(status: int, message: str, **more: Any) -> Answer:
    """An error as OpenAI's endpoint words it."""
    return Answer(json.dumps({"error": {"message": message, **more}}).encode(), status)


class Endpoint:
    """Plays ``answers`` in order, the last one again and again, and keeps the requests."""

    def __init__(self) -> None:
        self.answers: list[Answer | Callable[[dict[str, Any]], Answer]] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self._lock = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers["content-length"])
                request = json.loads(self.rfile.read(size))
                answer = endpoint.take(request, self.headers.get("authorization", ""))
                with suppress(OSError):  # the client may have gone: some tests are about that
                    self.play(answer)

            def play(self, answer: Answer) -> None:
                time.sleep(answer.delay)
                self.send_response(answer.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer.body)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if answer.cut:
                    self.wfile.write(answer.body[: len(answer.body) // 2])
                    self.close_connection = True
                elif answer.trickle:
                    for i in range(len(answer.body)):
                        self.wfile.write(answer.body[i : i + 1])
                        self.wfile.flush()
                        time.sleep(answer.trickle)
                else:
                    self.wfile.write(answer.body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def take(self, request: dict[str, Any], key: str) -> Answer:
        with self._lock:
            self.requests.append(request)
            self.keys.append(key)
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer(request) if callable(answer) else answer

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.close()
