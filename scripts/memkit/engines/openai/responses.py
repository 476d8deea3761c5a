"""The Responses API: nothing is stored on the server, each request carries its conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import openai

from memkit.engines.openai.wire import Called, Question, Reply, Result, Turn


def ask(client: openai.OpenAI, question: Question, *, effort: str) -> Reply:
    """One request. Raises the client's errors."""
    more: dict[str, Any] = {"reasoning": {"effort": effort}} if effort else {}
    if question.schema is not None:
        name, schema = question.schema
        more["text"] = {"format": {"type": "json_schema", "name": name, "schema": dict(schema), "strict": True}}
    if question.tools:
        more["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
                "strict": True,
            }
            for tool in question.tools
        ]
    answer = client.responses.create(
        model=question.model,
        instructions=question.instructions,
        input=[_item(turn) for turn in question.turns],
        max_output_tokens=question.max_output,
        store=False,
        **more,
    )
    return _reply(answer)


def follows(reply: Reply, schema: Mapping[str, Any]) -> bool:
    """Is the reply an object with the schema's properties? Tells a server that ignores the schema."""
    try:
        value = json.loads(reply.text)
    except ValueError:
        return False
    return isinstance(value, dict) and set(value) == set(schema["required"])


def _item(turn: Turn) -> Any:
    if isinstance(turn, Called):
        return {"type": "function_call", "call_id": turn.id, "name": turn.name, "arguments": turn.arguments}
    if isinstance(turn, Result):
        return {"type": "function_call_output", "call_id": turn.id, "output": turn.text}
    return {"role": turn.role, "content": turn.text}


def _reply(answer: Any) -> Reply:
    """Servers that only resemble the API leave parts out: what is not there is empty."""
    texts, refusals, calls = [], [], []
    for item in getattr(answer, "output", None) or ():
        kind = getattr(item, "type", "")
        if kind == "message":
            for part in getattr(item, "content", None) or ():
                if getattr(part, "type", "") == "refusal":
                    refusals.append(str(getattr(part, "refusal", "") or "without a word"))
                else:
                    texts.append(str(getattr(part, "text", "") or ""))
        elif kind == "function_call":
            calls.append(Called(id=str(item.call_id), name=str(item.name), arguments=str(item.arguments or "")))
    usage = getattr(answer, "usage", None)
    return Reply(
        text="".join(texts),
        calls=tuple(calls),
        refusal=" ".join(refusals),
        cut=getattr(answer, "status", "") == "incomplete",
        tokens_used=(usage.input_tokens or 0) + (usage.output_tokens or 0) if usage else 0,
    )
