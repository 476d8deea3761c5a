"""Chat completions, for servers without the Responses API (llama.cpp, vLLM, Ollama and their like)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import openai

from memkit.engines.openai.wire import Called, Question, Reply, Result, Turn, arguments, read, spent


class _Part(msgspec.Struct):
    text: str | None = None


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class _Call(msgspec.Struct):
    id: str | int | None = None
    function: _Function | None = None


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[_Call | None] | None = None


class _Choice(msgspec.Struct):
    message: _Message | None = None
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int
    completion_tokens: int = 0


class _Answer(msgspec.Struct):
    """Servers that only resemble the API leave parts out: what is not there is empty."""

    choices: list[_Choice] | None = None
    usage: msgspec.Raw = msgspec.Raw()


def ask(client: openai.OpenAI, question: Question, *, effort: str) -> Reply:
    """One request. Raises the client's errors, and ModelError for a body that is no answer."""
    more: dict[str, Any] = {"reasoning_effort": effort} if effort else {}
    if question.schema is not None:
        name, schema = question.schema
        more["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": name, "schema": dict(schema), "strict": True},
        }
    if question.tools:
        more["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                    "strict": True,
                },
            }
            for tool in question.tools
        ]
    answer = client.chat.completions.with_raw_response.create(
        model=question.model,
        messages=[{"role": "system", "content": question.instructions}, *_messages(question.turns)],
        # The older name: every server knows it, and the one that refuses it has the Responses API.
        max_tokens=question.max_output,
        **more,
    )
    return _reply(read(answer.content, kind=_Answer))


def _messages(turns: Iterable[Turn]) -> list[Any]:
    """The conversation; calls of one turn stand in one message, as this API wants it."""
    found: list[dict[str, Any]] = []
    for turn in turns:
        if isinstance(turn, Called):
            if not (found and found[-1]["role"] == "assistant"):
                found.append({"role": "assistant", "content": None})
            call = {"id": turn.id, "type": "function", "function": {"name": turn.name, "arguments": turn.arguments}}
            found[-1].setdefault("tool_calls", []).append(call)
        elif isinstance(turn, Result):
            found.append({"role": "tool", "tool_call_id": turn.id, "content": turn.text})
        else:
            found.append({"role": turn.role, "content": turn.text})
    return found


def _reply(answer: _Answer) -> Reply:
    usage = spent(answer.usage, kind=_Usage)
    used = usage.prompt_tokens + usage.completion_tokens if usage else 0
    if not answer.choices or (message := answer.choices[0].message) is None:
        return Reply(tokens_used=used)
    calls = tuple(
        Called(
            id=str(call.id or f"call_{at}"), name=call.function.name or "", arguments=arguments(call.function.arguments)
        )
        for at, call in enumerate(message.tool_calls or ())
        if call is not None and call.function is not None
    )
    end = answer.choices[0].finish_reason
    content = message.content or ""
    return Reply(
        text=content if isinstance(content, str) else "".join(part.text or "" for part in content),
        calls=calls,
        refusal=message.refusal or ("its filter stopped it" if end == "content_filter" else ""),
        cut=end == "length",
        tokens_used=used,
    )
