from __future__ import annotations

import logging
import socket
import time
import traceback
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

from actmem.errors import InputError, ProviderError
from actmem.models.chat import Message
from actmem.models.openai import Limits, OpenAIChat
from actmem.models.structured import Schema

from .conftest import Answer, Endpoint, completion, need, refusal

KEY = "sk-test-1234567890abcdef"
SCHEMA = Schema(
    "choice",
    {
        "type": "object",
        "properties": {"choice": {"enum": ["A", "B"]}},
        "required": ["choice"],
        "additionalProperties": False,
    },
)
GOOD = '{"choice": "A"}'
ASK = [Message("system", "Rules."), Message("user", "Choose.")]
FAST = Limits(retries=2, attempt_seconds=0.4, total_seconds=3, backoff_seconds=0.01)


@pytest.fixture
def open_chat(monkeypatch: pytest.MonkeyPatch) -> Any:
    need(find_spec("openai") is not None, "needs the extra 'openai'")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    chats: list[OpenAIChat] = []

    def make(url: str, **options: Any) -> OpenAIChat:
        chat = OpenAIChat("some/model", base_url=url, **{"limits": FAST, **options})
        chats.append(chat)
        return chat

    yield make
    for chat in chats:
        chat.close()


Open = Callable[..., OpenAIChat]


def test_completion_with_usage(endpoint: Endpoint, open_chat: Open) -> None:
    endpoint.answers = [completion(GOOD)]
    got = open_chat(endpoint.url).complete(ASK, SCHEMA)
    assert (got.text, got.parsed, got.problem) == (GOOD, {"choice": "A"}, "")
    assert (got.finish, got.schema_sent) == ("stop", "native")
    usage = got.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (100, 60, 7)
    assert (usage.calls, usage.retries, usage.estimated) == (1, 0, False)
    sent = endpoint.requests[0]
    assert sent["model"] == "some/model"
    assert sent["temperature"] == 0
    assert sent["messages"][1] == {"role": "user", "content": "Choose."}
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA.definition
    assert endpoint.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize(
    ("told", "known"), [(0.00014, 0.00014), (0, 0.0), (-1, None), ("1", None), (True, None)]
)
def test_a_cost_that_the_server_tells(
    endpoint: Endpoint, open_chat: Open, told: Any, known: float | None
) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "cost": told}
    endpoint.answers = [completion("fine", usage=usage)]
    assert open_chat(endpoint.url).complete(ASK).usage.cost == known


def test_uncounted_tokens_are_marked_as_estimates(endpoint: Endpoint, open_chat: Open) -> None:
    endpoint.answers = [completion("hello", usage={"prompt_tokens": "many"})]
    usage = open_chat(endpoint.url).complete(ASK).usage
    assert usage.estimated
    assert usage.prompt_tokens > 0


def test_neighbours_of_one_role_are_sent_as_one(endpoint: Endpoint, open_chat: Open) -> None:
    endpoint.answers = [completion("ok")]
    open_chat(endpoint.url).complete([Message("user", "a"), Message("user", "b")])
    assert endpoint.requests[0]["messages"] == [{"role": "user", "content": "a\n\nb"}]


@pytest.mark.parametrize("status", [500, 502, 503, 504, 429, 408])
def test_passing_fault_is_retried(endpoint: Endpoint, open_chat: Open, status: int) -> None:
    endpoint.answers = [refusal(status, "busy"), refusal(status, "busy"), completion(GOOD)]
    got = open_chat(endpoint.url).complete(ASK, SCHEMA)
    assert got.parsed == {"choice": "A"}
    assert got.usage.retries == 2


LASTING: dict[str, tuple[Answer, str, int]] = {
    "503": (refusal(503, "overloaded"), r"server error \(status 503: overloaded\) \(3 attempts\)", 3),
    "503 page": (Answer(b"<html>down</html>", 503), r"server error \(status 503\)", 3),
    "rubbish": (Answer(b"\x00\xffrubbish"), "no chat completion", 3),
    "empty body": (Answer(b""), "no chat completion", 3),
    "no choices": (Answer(b'{"choices": []}'), "no chat completion", 3),
    "a list": (Answer(b"[1]"), "no chat completion", 3),
    "deep": (Answer(b"[" * 100_000), "no chat completion", 3),
    "cut off": (Answer(b'{"choices": [1, 2, 3]}', cut=True), "no connection", 3),
    "silence": (Answer(GOOD.encode(), delay=1.0), r"no answer within 0\.4 s", 3),
    "trickle": (Answer(b"x" * 1000, trickle=0.02), r"no whole answer within 0\.4 s", 3),
    "trickling error": (Answer(b"x" * 1000, 500, trickle=0.02), "no whole answer", 3),
    "1 MB": (completion("x" * 1_000_000), "larger than 524288 bytes", 1),
    "wrong key": (refusal(401, f"Incorrect API key provided: {KEY}"), "the key is not accepted", 1),
    "masked key": (refusal(401, "Bad key sk-te********cdef"), "the key is not accepted", 1),
    "forbidden": (refusal(403, "no"), "not allowed", 1),
    "no model": (refusal(404, "no such model"), r"not found \(status 404: no such model\)", 1),
    "too long": (refusal(400, "maximum context length"), "maximum context length", 1),
    "no money": (refusal(429, "quota", code="insufficient_quota"), "too many requests", 1),
    "wait long": (
        Answer(b"{}", 429, {"retry-after": "3600"}), "the server asks to wait 3600 s", 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", LASTING)
def test_lasting_fault_is_one_line(
    endpoint: Endpoint, open_chat: Open, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answer, cause, attempts = LASTING[fault]
    endpoint.answers = [answer]
    started = time.monotonic()
    with pytest.raises(ProviderError, match=cause) as caught:
        open_chat(endpoint.url).complete(ASK)
    assert time.monotonic() - started < 20
    assert len(endpoint.requests) == attempts
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert KEY not in shown
    assert "sk-te" not in shown


def test_empty_and_half_replies_are_the_models_fault(endpoint: Endpoint, open_chat: Open) -> None:
    chat = open_chat(endpoint.url)
    for text, problem in (("", "empty"), (None, "empty"), ('{"choice": "A', "cut off")):
        endpoint.answers = [completion(text)]
        got = chat.complete(ASK, SCHEMA)
        assert got.parsed is None
        assert problem in got.problem


def test_dead_endpoint(open_chat: Open) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(ProviderError, match=r"no connection: .*refused.* \(3 attempts\)"):
        open_chat(f"http://127.0.0.1:{port}/v1").complete(ASK)


def test_retry_after_is_waited_for(endpoint: Endpoint, open_chat: Open) -> None:
    endpoint.answers = [Answer(b"{}", 429, {"retry-after": "0.3"}), completion("ok")]
    started = time.monotonic()
    assert open_chat(endpoint.url).complete(ASK).usage.retries == 1
    assert time.monotonic() - started >= 0.3


def test_total_time_bounds_all_attempts(endpoint: Endpoint, open_chat: Open) -> None:
    endpoint.answers = [Answer(delay=5)]
    limits = Limits(retries=100, attempt_seconds=0.3, total_seconds=1, backoff_seconds=0.01)
    started = time.monotonic()
    with pytest.raises(ProviderError, match="the limit is 1 s"):
        open_chat(endpoint.url, limits=limits).complete(ASK)
    assert time.monotonic() - started < 10


def test_refused_schema_goes_into_the_prompt(endpoint: Endpoint, open_chat: Open) -> None:
    def server(request: dict[str, Any]) -> Answer:
        if "response_format" in request:
            return refusal(400, "response_format is not supported")
        return completion(f"```json\n{GOOD}\n```")

    endpoint.answers = [server]
    chat = open_chat(endpoint.url)
    first = chat.complete(ASK, SCHEMA)
    assert (first.parsed, first.schema_sent, first.usage.retries) == ({"choice": "A"}, "prompt", 0)
    assert '"enum": ["A", "B"]' in endpoint.requests[1]["messages"][-1]["content"]
    chat.complete(ASK, SCHEMA)
    assert len(endpoint.requests) == 3  # what worked is kept
    assert ASK[-1].content == "Choose."


def test_newer_name_of_the_token_limit(endpoint: Endpoint, open_chat: Open) -> None:
    def server(request: dict[str, Any]) -> Answer:
        if "max_tokens" in request:
            return refusal(400, "Use 'max_completion_tokens' instead.", param="max_tokens")
        return completion(GOOD)

    endpoint.answers = [server]
    got = open_chat(endpoint.url, max_tokens=77).complete(ASK, SCHEMA)
    assert got.schema_sent == "native"
    assert endpoint.requests[1]["max_completion_tokens"] == 77


def test_refused_temperature_names_the_option(endpoint: Endpoint, open_chat: Open) -> None:
    endpoint.answers = [refusal(400, "Unsupported value", param="temperature")]
    with pytest.raises(ProviderError, match="--temperature none"):
        open_chat(endpoint.url).complete(ASK)


def test_no_temperature(endpoint: Endpoint, open_chat: Open) -> None:
    endpoint.answers = [completion("ok")]
    open_chat(endpoint.url, temperature=None).complete(ASK)
    assert "temperature" not in endpoint.requests[0]


def test_server_that_repeats_the_key(endpoint: Endpoint, open_chat: Open) -> None:
    endpoint.answers = [completion(f"your key is {KEY}")]
    chat = open_chat(endpoint.url)
    assert chat.complete(ASK).text == "your key is [key]"
    assert KEY not in repr(chat) + repr(chat.settings) + str(vars(chat)["settings"])


def test_reply_with_a_lone_surrogate(endpoint: Endpoint, open_chat: Open) -> None:
    endpoint.answers = [completion("a\ud800b")]
    assert open_chat(endpoint.url).complete(ASK).text == "a\ufffdb"


def test_text_in_parts(endpoint: Endpoint, open_chat: Open) -> None:
    endpoint.answers = [completion([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])]
    assert open_chat(endpoint.url).complete(ASK).text == "ab"


def test_key_is_needed_for_the_default_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        OpenAIChat("m")


def test_unusable_key_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-abc\ndef")
    with pytest.raises(InputError) as caught:
        OpenAIChat("m", base_url="http://127.0.0.1:1/v1")
    assert "sk-abc" not in str(caught.value)


def test_settings_show_no_password_of_the_url(open_chat: Open) -> None:
    chat = open_chat("http://user:secret@127.0.0.1:9/v1?token=secret#secret")
    assert chat.settings["endpoint"] == "http://127.0.0.1:9/v1"
    with pytest.raises(ProviderError) as caught:
        chat.complete(ASK)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://x/v1", "http://", "http://[::1", "x"])
def test_bad_url(url: str) -> None:
    with pytest.raises(InputError, match="--base-url"):
        OpenAIChat("m", base_url=url)


@pytest.mark.parametrize(
    "body", [b"[1]", b'"x"', b"null", b'{"error": "text"}', b'{"error": [1]}', b'{"detail": [{}]}']
)
def test_strange_error_body(endpoint: Endpoint, open_chat: Open, body: bytes) -> None:
    endpoint.answers = [Answer(body, 400)]
    with pytest.raises(ProviderError, match=r"refused \(status 400"):
        open_chat(endpoint.url).complete(ASK)
