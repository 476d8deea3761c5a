"""A model's server on loopback that says what a test wrote down, in the Responses API and in chat completions.

It fails on a question that nobody expected, and `ModelServer.finish` on an answer that nobody asked for.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

NAME = "scripted-1"


@dataclass(frozen=True, kw_only=True)
class Request:
    """A question as it came in. api: responses, chat or models; text: all words of it; schema: its name, "" without."""

    api: str
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def text(self) -> str:
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def schema(self) -> dict[str, Any]:
        if self.api == "chat":
            return dict(self.body.get("response_format", {}).get("json_schema", {}))
        return dict(self.body.get("text", {}).get("format", {}))

    @property
    def properties(self) -> set[str]:
        """The keys that the answer must have."""
        return set(self.schema.get("schema", {}).get("properties", {}))

    @property
    def messages(self) -> list[str]:
        """What the user says in it, in order; instructions left out."""
        turns = self.body["messages"] if self.api == "chat" else self.body["input"]
        return [turn["content"] for turn in turns if turn.get("role") == "user"]

    @property
    def tools(self) -> list[str]:
        return [t.get("name") or t["function"]["name"] for t in self.body.get("tools", [])]

    @property
    def results(self) -> list[str]:
        """What tools gave so far."""
        if self.api == "chat":
            return [m["content"] for m in self.body["messages"] if m["role"] == "tool"]
        return [i["output"] for i in self.body["input"] if i.get("type") == "function_call_output"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the server sends. calls: (tool, arguments). status: other than 200 with `error` as the body.

    wait: seconds before it; torn: the connection ends in the middle of the body; cut: the model came to its limit.
    raw: the body as it stands, in place of what the API wants; drip: seconds between a byte of the body and the next.
    """

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any] | str], ...] = ()
    refusal: str = ""
    status: int = 200
    error: Any = None
    headers: tuple[tuple[str, str], ...] = ()
    wait: float = 0.0
    torn: bool = False
    cut: bool = False
    usage: tuple[int, int] | None = (100, 10)  # input, output; None where the server does not say
    raw: bytes | None = None
    drip: float = 0.0


Step = Answer | Callable[[Request], Answer]


def said(value: object) -> Answer:
    """An answer of JSON."""
    return Answer(text=json.dumps(value, ensure_ascii=False))


def calls(*each: tuple[str, dict[str, Any] | str]) -> Answer:
    """An answer that calls tools."""
    return Answer(calls=each)


def refused(status: int, message: str, *, code: str | None = None, **headers: str) -> Answer:
    """An error of the server."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Answer(status=status, error={"error": {"message": message, "type": "error", "code": code}}, headers=named)


def too_long() -> Answer:
    return refused(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded")


@dataclass
class ModelServer:
    """steps: the answers in order; always: what answers every question instead. apis: those that it knows.

    requests: all that came in, those for models left out. port: 0 takes a free one.
    """

    steps: list[Step] = field(default_factory=list)
    always: Callable[[Request], Answer] | None = None
    apis: Sequence[str] = ("responses", "chat")
    models: Sequence[str] = (NAME,)
    requests: list[Request] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    most_at_once: int = 0
    _at_once: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            disable_nagle_algorithm = True  # headers and body are two packets: the second would wait for 40 ms
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer._models(self)

            def do_POST(self) -> None:
                outer._answer(self)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """A client that goes away in the middle is what some tests are about."""

        self._http = Server(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        if kind is None:
            self.finish()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """What makes memkit ask this server."""
        return {
            "MEMKIT_ENGINE": "openai",
            "MEMKIT_OPENAI_BASE_URL": self.url,
            "MEMKIT_MEMORIES_EXTRACT_MODEL": NAME,
        }

    def finish(self) -> None:
        """Fails when something was asked that nobody expected, or something expected was not asked."""
        assert not self.unexpected, self.unexpected
        assert not self.steps, f"{len(self.steps)} answers were not asked for"

    def _models(self, handler: BaseHTTPRequestHandler) -> None:
        _send(handler, 200, {"object": "list", "data": [{"id": m, "object": "model"} for m in self.models]})

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        api = "chat" if handler.path.endswith("/chat/completions") else "responses"
        if api not in self.apis or not handler.path.startswith("/v1/"):
            _send(handler, 404, {"detail": "Not Found"})
            return
        request = Request(api=api, body=body, headers={k.lower(): v for k, v in handler.headers.items()})
        with self._lock:
            self.requests.append(request)
            step: Step | None = self.always or (self.steps.pop(0) if self.steps else None)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            if step is None:
                self.unexpected.append(request.text[-2_000:])
                _send(handler, 400, {"error": {"message": "nobody expected this question"}})
                return
            self._send_answer(handler, request, step if isinstance(step, Answer) else step(request))
        except Exception as error:
            self.unexpected.append(repr(error))
            raise
        finally:
            with self._lock:
                self._at_once -= 1

    def _send_answer(self, handler: BaseHTTPRequestHandler, request: Request, answer: Answer) -> None:
        time.sleep(answer.wait)
        if answer.status != 200:
            _send(handler, answer.status, answer.error, headers=answer.headers)
            return
        value = answer.raw or (_chat(answer) if request.api == "chat" else _responses(answer))
        if request.api == "responses" and request.body.get("stream") and not answer.raw:
            _send(handler, 200, _events(value), torn=answer.torn, drip=answer.drip, kind="text/event-stream")
        else:
            _send(handler, 200, value, torn=answer.torn, drip=answer.drip)


def _send(
    handler: BaseHTTPRequestHandler,
    status: int,
    value: object,
    *,
    headers: Sequence[tuple[str, str]] = (),
    torn: bool = False,
    kind: str = "application/json",
    drip: float = 0.0,
) -> None:
    data = value if isinstance(value, bytes) else (value if isinstance(value, str) else json.dumps(value)).encode()
    try:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(data)))
        for name, text in headers:
            handler.send_header(name, text)
        handler.end_headers()
        for at in range(len(data) if drip else 0):
            handler.wfile.write(data[at : at + 1])
            time.sleep(drip)
        if not drip:
            handler.wfile.write(data[: len(data) // 2] if torn else data)
        if torn:
            handler.wfile.flush()
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
    except (BrokenPipeError, ConnectionResetError):
        handler.close_connection = True  # the one who asked was killed, as some tests do


def _arguments(value: dict[str, Any] | str) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _responses(answer: Answer) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    if answer.text:
        parts.append({"type": "output_text", "text": answer.text, "annotations": []})
    if answer.refusal:
        parts.append({"type": "refusal", "refusal": answer.refusal})
    if parts:
        output.append({"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": parts})
    for number, (name, arguments) in enumerate(answer.calls):
        output.append(
            {
                "type": "function_call",
                "id": f"f{number}",
                "call_id": f"call_{time.monotonic_ns()}_{number}",
                "name": name,
                "arguments": _arguments(arguments),
                "status": "completed",
            }
        )
    value: dict[str, Any] = {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": NAME,
        "status": "incomplete" if answer.cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if answer.cut else None,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    if answer.usage:
        value["usage"] = {
            "input_tokens": answer.usage[0],
            "output_tokens": answer.usage[1],
            "total_tokens": sum(answer.usage),
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
    return value


def _events(response: dict[str, Any]) -> str:
    """A response as it is streamed, in the few events that say all of it: its items whole."""
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for number, item in enumerate(response["output"]):
        events.append({"type": "response.output_item.done", "output_index": number, "item": item})
    events.append({"type": f"response.{response['status']}", "response": response})
    return "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)


def _chat(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.refusal:
        message["refusal"] = answer.refusal
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{time.monotonic_ns()}_{number}",
                "type": "function",
                "function": {"name": name, "arguments": _arguments(arguments)},
            }
            for number, (name, arguments) in enumerate(answer.calls)
        ]
    value: dict[str, Any] = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": NAME,
        "choices": [{"index": 0, "message": message, "finish_reason": "length" if answer.cut else "stop"}],
    }
    if answer.usage:
        value["usage"] = {
            "prompt_tokens": answer.usage[0],
            "completion_tokens": answer.usage[1],
            "total_tokens": sum(answer.usage),
        }
    return value
