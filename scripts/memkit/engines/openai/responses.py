"""The Responses API: nothing is stored on the server, each request carries its conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import openai

from memkit.engines.openai.wire import Called, Question, Reply, Result, Turn, arguments, read, spent


class _Part(msgspec.Struct):
    type: str = ""
    text: str | None = None
    refusal: str | None = None


class _Item(msgspec.Struct):
    type: str = ""
    content: list[_Part] | None = None
    call_id: str | int | None = None
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class _Usage(msgspec.Struct):
    input_tokens: int
    output_tokens: int = 0


class _Answer(msgspec.Struct):
    """Servers that only resemble the API leave parts out: what is not there is empty."""

    output: list[_Item] | None = None
    status: str | None = None
    usage: msgspec.Raw = msgspec.Raw()


def ask(client: openai.OpenAI, question: Question, *, effort: str) -> Reply:
    """One request. Raises the client's errors, and ModelError for a body that is no answer."""
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
    answer = client.responses.with_raw_response.create(
        model=question.model,
        instructions=question.instructions,
        input=[_item(turn) for turn in question.turns],
        max_output_tokens=question.max_output,
        store=False,
        **more,
    )
    return _reply(read(answer.content, kind=_Answer))


def follows(reply: Reply, schema: Mapping[str, Any]) -> bool:
    """Is the reply an object with the schema's properties? Tells a server that ignores the schema."""
    try:
        value = msgspec.json.decode(reply.text, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return False
    return set(value) == set(schema["required"])


def _item(turn: Turn) -> Any:
    if isinstance(turn, Called):
        return {"type": "function_call", "call_id": turn.id, "name": turn.name, "arguments": turn.arguments}
    if isinstance(turn, Result):
        return {"type": "function_call_output", "call_id": turn.id, "output": turn.text}
    return {"role": turn.role, "content": turn.text}


def _reply(answer: _Answer) -> Reply:
    texts, refusals, calls = [], [], []
    for at, item in enumerate(answer.output or ()):
        if item.type == "message":
            for part in item.content or ():
                if part.type == "refusal":
                    refusals.append(part.refusal or "without a word")
                else:
                    texts.append(part.text or "")
        elif item.type == "function_call":
            calls.append(
                Called(id=str(item.call_id or f"call_{at}"), name=item.name or "", arguments=arguments(item.arguments))
            )
    usage = spent(answer.usage, kind=_Usage)
    return Reply(
        text="".join(texts),
        calls=tuple(calls),
        refusal=" ".join(refusals),
        cut=answer.status == "incomplete",
        tokens_used=usage.input_tokens + usage.output_tokens if usage else 0,
    )
