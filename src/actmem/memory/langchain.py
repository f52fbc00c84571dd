"""Our chat model and embedder in the form in which LangChain's libraries take them.

All calls stay in this process and go through the memory's ``Model``: taped, counted, bounded. Tools
that a library binds become one JSON Schema (see ``tool_schema``), so that models without tool calls
of their own can make them; the reply comes back as LangChain's ``tool_calls``.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, PrivateAttr

from actmem.hashing import digest
from actmem.memory.embedder import Embedder
from actmem.memory.model import Model
from actmem.memory.sealed import Seal
from actmem.memory.tool_schema import BOUNDS, bounded_tool, calls_schema
from actmem.models.chat import Message
from actmem.models.structured import Schema

_ROLES: Mapping[str, Literal["system", "user", "assistant"]] = {
    "system": "system", "human": "user", "ai": "assistant",
}  # fmt: skip


@cache
def words() -> dict[str, str]:
    """Return the adapter's texts by name."""
    text = files("actmem.memory").joinpath("libraries.toml").read_text("utf-8")
    found: dict[str, str] = tomllib.loads(text)
    return found


def adapter_digest() -> str:
    """Return the digest of the adapter's texts and bounds, for the record."""
    return digest([words(), BOUNDS])


class ToolChat(BaseChatModel):
    """A LangChain chat model that asks ours.

    ``step`` names its calls in the trace. Where no tools are bound, replies are text, or JSON that
    fits ``reply``. Where the model gives no valid reply, the message is empty and calls no tool.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    model: Model
    step: str
    seal: Seal
    reply: Schema | None = None
    cache: bool = False
    _made: int = PrivateAttr(default=0)

    @property
    def _llm_type(self) -> str:
        return "actmem"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return the model with tools; ``tool_choice`` is None, "auto", "any" or a tool's name."""
        bounded = [bounded_tool(convert_to_openai_tool(tool)) for tool in tools]
        return self.bind(tools=bounded, tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """Ask the model; what it raises is kept by the seal."""
        tools, choice = kwargs.pop("tools", None), kwargs.pop("tool_choice", None)
        kwargs.pop("ls_structured_output_format", None)
        if stop or kwargs:
            raise TypeError(f"not supported: {', '.join(kwargs) or 'stop'}")
        prompt = [_message(message) for message in messages]
        call = self._call_tools if tools else self._say
        message = self.seal.guard(call)(prompt, tools, choice)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _say(self, prompt: list[Message], _: None, __: None) -> AIMessage:
        if self.reply is None:
            return AIMessage(self.model.complete(self.step, prompt).text)
        found = self.model.answer(self.step, prompt, self.reply)
        return AIMessage("" if found is None else json.dumps(found, ensure_ascii=False))

    def _call_tools(
        self, prompt: list[Message], tools: list[dict[str, Any]], choice: str | None
    ) -> AIMessage:
        named = [tool for tool in tools if tool["name"] == choice] or tools
        needed = choice not in (None, "auto")
        told = words()["tools"].format(
            tools="\n".join(json.dumps(tool, ensure_ascii=False) for tool in named),
            rule=words()["needed" if needed else "optional"],
        )
        if prompt and prompt[0].role == "system":
            # The tools come first: they stay the same, so that a prompt cache holds them.
            told += "\n\n" + prompt.pop(0).content
        schema = calls_schema(named, least=int(needed))
        found: dict[str, Any] | None = self.model.answer(
            self.step, [Message("system", told), *prompt], schema
        )
        calls = []
        for call in found["calls"] if found is not None else ():
            self._made += 1  # a counter, since ids come up in later prompts
            calls.append({"name": call["name"], "args": call["args"], "id": f"call-{self._made}"})
        return AIMessage("", tool_calls=calls)


def _message(given: BaseMessage) -> Message:
    """Return a message of LangChain's as one of ours; tool calls and answers become text."""
    text = str(given.text)
    if isinstance(given, ToolMessage):
        return Message("user", words()["result"].format(id=given.tool_call_id, text=text))
    if isinstance(given, AIMessage) and given.tool_calls:
        calls = [{name: call[name] for name in ("id", "name", "args")} for call in given.tool_calls]
        text = "\n".join(filter(None, (text, json.dumps({"calls": calls}, ensure_ascii=False))))
    return Message(_ROLES[given.type], text)


class TextEmbeddings(Embeddings):
    """LangChain embeddings that ask our embedder."""

    def __init__(self, embedder: Embedder, seal: Seal) -> None:
        self._embed = seal.guard(embedder.embed)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector a text."""
        found: list[list[float]] = self._embed(texts).tolist()
        return found

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of one text."""
        return self.embed_documents([text])[0]
