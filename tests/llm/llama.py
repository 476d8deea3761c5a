"""A real model server on loopback, and a door before it that takes down all that goes through."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CONTEXT = 4_096  # tokens, input and output together
_START_SECONDS = 120
# Ends the server when the input does: also when the tests are interrupted or killed.
_GUARDED = """
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
(cat <&3 >/dev/null; kill $child 2>/dev/null) &
wait $child
"""
_BUSY = b'{"error": {"message": "busy"}}'


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A question and what came back. status: 200 or an error."""

    path: str
    asked: dict[str, Any]
    status: int
    said: dict[str, Any]

    @property
    def tokens(self) -> int:
        """Input and output as the server counts them, 0 for an error."""
        return self._usage("input_tokens", "prompt_tokens") + self.output_tokens

    @property
    def output_tokens(self) -> int:
        return self._usage("output_tokens", "completion_tokens")

    def _usage(self, *names: str) -> int:
        return sum((self.said.get("usage") or {}).get(name, 0) for name in names)

    @property
    def _responses(self) -> bool:
        return self.path.endswith("/responses")

    @property
    def schema(self) -> dict[str, Any]:
        """The name of the schema that the answer had to follow, and the JSON Schema."""
        return dict(self.asked["text"]["format"] if self._responses else self.asked["response_format"]["json_schema"])

    @property
    def properties(self) -> set[str]:
        return set(self.schema["schema"]["properties"])

    @property
    def instructions(self) -> str:
        return str(self.asked["instructions"] if self._responses else self.asked["messages"][0]["content"])

    @property
    def message(self) -> str:
        """What the user says in the question, its last turn."""
        return str((self.asked["input"] if self._responses else self.asked["messages"])[-1]["content"])

    @property
    def cut(self) -> bool:
        """Did the answer come to its limit?"""
        if self._responses:
            return bool(self.said["status"] == "incomplete")
        return bool(self.said["choices"][0]["finish_reason"] == "length")

    @property
    def answer(self) -> str:
        """The text of the answer."""
        if self._responses:
            parts = [part for item in self.said["output"] for part in item.get("content") or ()]
            return "".join(part.get("text", "") for part in parts)
        return self.said["choices"][0]["message"]["content"] or ""


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Starts the server, waits until it has loaded its model, and gives its address; ends it afterwards.

    folder: where its log goes.
    """
    port = _free_port()
    line = [os.environ["LLAMA_SERVER"], "-m", os.environ["LLAMA_MODEL"], "--host", "127.0.0.1", "--port", str(port)]
    line += ["-c", str(CONTEXT), "-t", "2", "-np", "1", "--offline", "--jinja", "--metrics"]
    with (folder / "llama-server.log").open("wb") as log:
        process = subprocess.Popen(
            ["sh", "-c", _GUARDED, "sh", "nice", *line],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _wait(f"http://127.0.0.1:{port}/health", process, folder / "llama-server.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            with _here().open(url, timeout=5):
                return
        except OSError:  # not yet; an HTTP error while it loads is one of these, too
            time.sleep(0.2)
    raise AssertionError(f"llama-server did not start:\n{log.read_text(errors='replace')[-2_000:]}")


def metrics(url: str) -> dict[str, float]:
    """The server's own counters by name."""
    with _here().open(f"{url}/metrics", timeout=20) as answer:
        rows = [row.split() for row in answer.read().decode().splitlines() if not row.startswith("#")]
    return {name.removeprefix("llamacpp:"): float(value) for name, value in rows}


def _here() -> urllib.request.OpenerDirector:
    """Opens addresses of this machine, whatever proxy the environment names."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass
class Door:
    """Passes questions on to the server. faults: answers to give instead, first, as (status, Retry-After)."""

    server: str
    faults: list[tuple[int, str]] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def environment(self) -> dict[str, str]:
        """What makes memkit ask through this door."""
        url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        return {"MEMKIT_ENGINE": "openai", "MEMKIT_OPENAI_BASE_URL": url}

    def __enter__(self) -> Door:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                _reply(self, *outer._passed(self.path, None))

            def do_POST(self) -> None:
                outer._pass(self)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _pass(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        with self._lock:
            fault = self.faults.pop(0) if self.faults else None
        status, data = self._passed(handler.path, body) if fault is None else (fault[0], _BUSY)
        exchange = Exchange(path=handler.path, asked=json.loads(body), status=status, said=json.loads(data))
        with self._lock:
            self.exchanges.append(exchange)
        _reply(handler, status, data, retry_after=fault[1] if fault else "")

    def _passed(self, path: str, body: bytes | None) -> tuple[int, bytes]:
        request = urllib.request.Request(self.server + path, body, {"Content-Type": "application/json"})
        try:
            with _here().open(request, timeout=600) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


def _reply(handler: BaseHTTPRequestHandler, status: int, data: bytes, *, retry_after: str = "") -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    if retry_after:
        handler.send_header("Retry-After", retry_after)
    handler.end_headers()
    handler.wfile.write(data)
