"""Chat completions, for servers without the Responses API (llama.cpp, vLLM, Ollama and their like)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import openai

from memkit.engines.openai.wire import Called, Question, Reply, Result, Turn


def ask(client: openai.OpenAI, question: Question, *, effort: str) -> Reply:
    """One request. Raises the client's errors."""
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
    answer = client.chat.completions.create(
        model=question.model,
        messages=[{"role": "system", "content": question.instructions}, *_messages(question.turns)],
        # The older name: every server knows it, and the one that refuses it has the Responses API.
        max_tokens=question.max_output,
        **more,
    )
    return _reply(answer)


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


def _reply(answer: Any) -> Reply:
    """Servers that only resemble the API leave parts out: what is not there is empty."""
    choices = getattr(answer, "choices", None) or ()
    usage = getattr(answer, "usage", None)
    used = (usage.prompt_tokens or 0) + (usage.completion_tokens or 0) if usage else 0
    if not choices:
        return Reply(tokens_used=used)
    message = choices[0].message
    calls = tuple(
        Called(id=str(call.id), name=str(call.function.name), arguments=str(call.function.arguments or ""))
        for call in getattr(message, "tool_calls", None) or ()
        if getattr(call, "function", None) is not None
    )
    end = choices[0].finish_reason
    refusal = getattr(message, "refusal", None) or ("its filter stopped it" if end == "content_filter" else "")
    return Reply(
        text=str(message.content or ""),
        calls=calls,
        refusal=str(refusal),
        cut=end == "length",
        tokens_used=used,
    )
