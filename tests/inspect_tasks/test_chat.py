"""Inspect's models as ours: schemas, settings, faults, limits, and no key anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from actmem.errors import ProviderError, StoppedError
from actmem.models.chat import Completion, Message
from actmem.models.structured import Schema

from .conftest import mock, scored
from .test_week import SCRIPT

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect and what it imports warn

KEY = "sk-test-1234567890abcdef"
COLOUR = Schema(
    "colour",
    {
        "type": "object",
        "properties": {
            "colour": {"enum": ["red", "green", None]},
            "shades": {"type": "array", "items": {"type": "string", "maxLength": 9}, "maxItems": 1},
        },
        "required": ["colour", "shades"],
        "additionalProperties": False,
    },
)
GREEN = {"reply": {"colour": "green", "shades": ["lime"]}}


class Refusal(Exception):  # noqa: N818
    """What a client raises for a request that its server refuses."""

    def __init__(self, status: int) -> None:
        self.status_code = status
        super().__init__(f"no {KEY}")


def complete(
    model: Any,
    schema: str = "auto",
    messages: Sequence[Message] = (),
    asked: Schema | None = COLOUR,
) -> tuple[Completion, Any]:
    """Ask once, from a thread, as an episode does."""
    from actmem.inspect_tasks.chat import InspectChat

    async def ask() -> tuple[Completion, Any]:
        chat: Any = InspectChat(model, schema)  # type: ignore[arg-type]
        prompt = messages or [Message("user", "Which?")]
        return await anyio.to_thread.run_sync(partial(chat.complete, prompt, asked)), chat

    return anyio.run(ask)


def test_a_provider_without_schemas_is_told_in_the_prompt() -> None:
    told: list[Any] = []
    prompt = [Message("system", "Be brief."), Message("user", "Hello."), Message("user", "Which?")]
    completion, chat = complete(mock([GREEN], told=told), messages=prompt)
    assert completion.parsed == GREEN["reply"]
    assert (completion.schema_sent, completion.finish) == ("prompt", "stop")
    usage = completion.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (40, 30, 2)
    ((messages, config),) = told
    assert [m.role for m in messages] == ["system", "user"]
    assert messages[1].text.startswith("Hello.\n\nWhich?\n\n")
    assert '"maxItems": 1' in messages[1].text
    assert config.response_schema is None
    assert chat.settings["model"] == "mockllm/model"


def test_a_schema_goes_natively_where_it_can_and_is_checked_all_the_same() -> None:
    told: list[Any] = []
    two = {"reply": {"colour": "green", "shades": ["lime", "moss"]}}
    completion, _ = complete(mock([two], told=told), "native")
    assert completion.parsed is None
    assert "2 items" in completion.problem  # Inspect's schemas cannot say so
    ((messages, config),) = told
    assert messages[0].text == "Which?"
    assert config.response_schema.name == "colour"
    assert config.response_schema.json_schema.properties["colour"].enum == ["red", "green", None]


def test_a_refused_schema_goes_into_the_prompt() -> None:
    told: list[Any] = []

    def reply(messages: Any, tools: Any, choice: Any, config: Any) -> Any:
        if config.response_schema is not None:
            raise Refusal(400)
        return answering.api.outputs(messages, tools, choice, config)

    from inspect_ai.model import get_model

    answering = mock([GREEN], told=told)
    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    completion, _ = complete(model, "native")
    assert (completion.parsed, completion.schema_sent) == (GREEN["reply"], "prompt")
    assert len(told) == 1


@pytest.mark.parametrize("fault", [Refusal(401), Refusal(400), OSError(f"{KEY}\nis wrong")])
def test_what_a_provider_raises_is_one_line_without_the_key(fault: Exception) -> None:
    model = mock([fault])
    model.api.api_key = KEY
    with pytest.raises(ProviderError, match=r"mockllm/model: \w+: ") as raised:
        complete(model, "native")
    assert KEY not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_reply_that_was_cut_off_is_told_so() -> None:
    from inspect_ai.model import ModelOutput, get_model

    cut = ModelOutput.from_content("mockllm/model", '{"colour": "gr', stop_reason="max_tokens")
    blocked = ModelOutput.from_content("mockllm/model", "", error="blocked")
    for output in (cut, blocked):
        output.usage = None
    model = get_model("mockllm/model", custom_outputs=[cut, blocked], memoize=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(model.api), "_ensure_default_usage", _no_usage)
        completion, _ = complete(model)
        assert (completion.parsed, completion.finish) == (None, "length")
        assert completion.usage.estimated
        with pytest.raises(ProviderError, match="blocked"):
            complete(model)


async def _no_usage(*_: Any) -> None:
    """Leave the usage out, as some providers do."""


def test_without_a_schema_none_is_sent() -> None:
    completion, _ = complete(mock(["yes"]), asked=None)
    assert (completion.text, completion.schema_sent, completion.parsed) == ("yes", "", None)


def test_a_cancelled_call_stops_the_episode() -> None:
    from inspect_ai.model import get_model

    from actmem.inspect_tasks.chat import InspectChat

    async def never(*_: Any) -> Any:
        await anyio.sleep(60)

    raised: list[BaseException] = []

    def episode() -> None:
        model = get_model("mockllm/model", custom_outputs=never, memoize=False)
        try:
            InspectChat(model, "auto").complete([Message("user", "Which?")])
        except BaseException as error:
            raised.append(error)
            raise

    async def cancel() -> None:
        with anyio.move_on_after(0.2):
            await anyio.to_thread.run_sync(episode)

    with suppress(StoppedError):
        anyio.run(cancel)
    assert isinstance(raised[0], StoppedError)


def test_a_limit_of_inspects_ends_the_episode_and_the_rest_is_missed(
    evaluate: Callable[..., Any], two_weeks: list[Path], capfd: Any
) -> None:
    from actmem.inspect_tasks.week import week

    log = evaluate(week(scenario=str(two_weeks[1])), mock(SCRIPT), token_limit=400, temperature=0.5)
    (sample,) = log.samples
    assert sample.limit.type == "token"
    value = sample.scores["week_counts"].value
    assert (value["scored"], value["failed"]) == (0, 1)
    assert value["chosen_tasks"] > 0
    header = sample.store["actmem:trace"][0]["settings"]
    assert header["model_settings"]["temperature"] == 0.5
    assert header["model_settings"]["max_tokens"] == 1024
    code, row, err = scored(log, capfd)
    assert (code, row["scored"], row["counts"]["set_fn"]) == (3, 0, value["set_fn"])
    assert "limit" in err
