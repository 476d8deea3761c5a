"""The real Codex on a closed machine: its model is a scripted server on loopback, what leaves loopback is caught."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.commands.world import World
from tests.hooks.tools import processes, settle
from tests.support.model_server import NAME, Answer, ModelServer, Request, Step, calls

NEWS = "CONNECT raw.githubusercontent.com:443 HTTP/1.1"  # what a terminal's first screen asks for; no setting stops it
_SECONDS = 60
_CONFIG = """\
model = "{model}"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[feedback]
enabled = false

# The first three ask the network at each start; the server would hold sessions open.
[features]
apps = false
plugins = false
remote_plugin = false
daemon_auto_start = false
memories = {memories}

[projects."{project}"]
trust_level = "trusted"
"""


def programs() -> list[Path]:
    """The programs that scripts/interop/prepare.py installed, in folders named after their version."""
    return [Path(each) for each in os.environ.get("INTEROP_CODEX", "").split(os.pathsep) if each]


def version(program: Path) -> str:
    return program.parents[2].name.removeprefix("codex-")


def told(request: Request, *, role: str) -> list[str]:
    """What a role says in a question of Codex, a part each."""
    items = [item for item in request.body["input"] if item.get("role") == role]
    return [part["text"] for item in items for part in item["content"] if "text" in part]


def idle(world: World) -> bool:
    """Does no memkit work in the background? A session that ends while one does is left to the next run."""
    return not any("-m memkit" in line for line in processes(world))


@contextmanager
def wall() -> Iterator[tuple[str, list[str]]]:
    """A proxy that lets nothing through: (its address, what it was asked for)."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            asked.append(self.requestline)
            self.send_error(403)

        do_GET = do_POST = do_HEAD = do_PUT = do_CONNECT

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", asked
        finally:
            server.shutdown()


def behind(proxy: str) -> dict[str, str]:
    """The variables that send all but loopback to the proxy."""
    outside = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), proxy)
    return outside | {name.lower(): proxy for name in outside} | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


@dataclass(frozen=True)
class Codex:
    """world: the machine that it runs on, its clock the real one; server: its model."""

    program: Path
    world: World
    server: ModelServer

    @property
    def version(self) -> str:
        return version(self.program)

    @property
    def project(self) -> Path:
        return Path(self.world.env["HOME"]) / "shop"

    def configure(self, *, memories: bool = False) -> None:
        """memories: Codex's own."""
        self.world.codex.mkdir(exist_ok=True)
        text = _CONFIG.format(model=NAME, url=self.server.url, memories=str(memories).lower(), project=self.project)
        (self.world.codex / "config.toml").write_text(text, encoding="utf-8")

    def ask(self, prompt: str, *steps: Step, of: tuple[str, ...] = (), trusted: bool = True) -> str:
        """A session of one prompt, from its start to its end and that of all that works behind it: its id.

        steps: what the model answers. of: ("resume", ID) or ("fork", ID).
        """
        self.server.steps.extend(steps)
        words = ["exec", "--json", "--dangerously-bypass-approvals-and-sandbox"]
        words += ["--dangerously-bypass-hook-trust"] * trusted
        done = subprocess.run(
            [str(self.program), *words, *of, prompt],
            env=self.world.env,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )
        assert not self.server.unexpected, self.server.unexpected
        assert done.returncode == 0, f"codex {words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        [started] = [event["thread_id"] for event in events if event["type"] == "thread.started"]
        settle(self.world)
        return str(started)

    def shell(self, command: str) -> Step:
        """The model has Codex run a command, once memkit's run that the session's start began is over."""

        def step(_: Request) -> Answer:
            until = time.monotonic() + _SECONDS
            while not idle(self.world):
                assert time.monotonic() < until
                time.sleep(0.02)
            return calls(("exec_command", {"cmd": command}))

        return step
