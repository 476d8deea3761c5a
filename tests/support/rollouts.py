"""A readable builder of rollout files, for tests and for the bundled samples.

    Rollout(cwd="/home/dev/shop").user("Fix the retry.").run("pytest -q", exit=1).final("Fixed.").write(folder)

Everything is a function of what is said: same calls, same bytes. A session that goes on after `write` and is written
again keeps its id and starts with the same bytes, as a growing session does.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Self

from tests.support import shapes
from tests.support.shapes import Payload, Shell, Wrapping

KeyOrder = Literal["usual", "payload_first", "type_first"]
_STEP = 0.5  # seconds between two lines


class Rollout:
    """One session. Steps return the builder; `name` tells sessions of one directory and start apart.

    started: ISO 8601 with a zone. repository: None derives a remote from cwd when there is a branch. thread_source,
    memory_mode, model_provider: None leaves the key out. meta: keys of session_meta to add or to replace, None drops
    one. wrapping, shell: what `run` uses by default. used_percent: of both rate limits.
    """

    def __init__(
        self,
        *,
        cwd: str = "/home/dev/shop",
        name: str = "session",
        branch: str | None = "main",
        repository: str | None = None,
        started: str = "2026-11-20T09:00:00Z",
        source: object = "cli",
        thread_source: str | None = "user",
        memory_mode: str | None = None,
        model_provider: str | None = "openai",
        originator: str = "codex-tui",
        cli_version: str = "0.171.0",
        agents_md: str = "",
        meta: Mapping[str, object] | None = None,
        key_order: KeyOrder = "usual",
        wrapping: Wrapping = "chunk",
        shell: Shell = "exec_command",
        used_percent: float = 10.0,
    ) -> None:
        self.cwd = cwd
        self.started = datetime.fromisoformat(started).timestamp()
        self.last = self.started
        self.id = shapes.uuid7(self.started, f"{cwd}\0{name}")
        self._agents_md = agents_md
        self._key_order = key_order
        self._wrapping = wrapping
        self._shell = shell
        self._used_percent = used_percent
        self._rows: list[tuple[str, Mapping[str, object]]] = []
        self._lines: list[bytes] = []
        self._turn = ""
        self._turn_cwd = cwd
        self._open = False
        own: Payload = {
            "session_id": self.id,
            "id": self.id,
            "timestamp": shapes.moment(self.started),
            "cwd": cwd,
            "originator": originator,
            "cli_version": cli_version,
            "source": source,
            "thread_source": thread_source,
            "model_provider": model_provider,
            "memory_mode": memory_mode,
            "base_instructions": {"text": "(base instructions left out)"},
            "git": self._git(branch, repository),
            **(meta or {}),
        }
        keep_null = {"source"} - {key for key, value in (meta or {}).items() if value is None}
        self._meta = {key: value for key, value in own.items() if value is not None or key in keep_null}
        self.line("session_meta", self._meta)

    def _git(self, branch: str | None, repository: str | None) -> Payload | None:
        if branch is None:
            return None
        remote = repository or f"https://git.example.com/acme/{self.cwd.rstrip('/').rpartition('/')[2]}.git"
        return {"commit_hash": self._key("commit", 40), "branch": branch, "repository_url": remote}

    def _key(self, kind: str, digits: int = 16) -> str:
        """Hex digits that no other line of any session has."""
        return shapes.noise_hex(f"{self.id}/{len(self._lines)}/{kind}", digits=digits)

    # --- lines ---------------------------------------------------------------------------------------------------

    def line(self, kind: str, payload: Mapping[str, object], **more: object) -> Self:
        """A line of any type, with its time and ordinal; `more` adds keys beside `payload`."""
        self.last = round(self.last + _STEP, 3)
        row: Payload = {"timestamp": shapes.moment(self.last), "ordinal": len(self._lines), "type": kind, **more}
        if self._key_order == "payload_first":
            row = {"payload": payload, "type": kind, **more, "timestamp": row["timestamp"]}
        elif self._key_order == "type_first":
            row = {"type": kind, "payload": payload, **more, "timestamp": row["timestamp"]}
        else:
            row["payload"] = payload
        self._rows.append((kind, payload))
        self._lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))
        return self

    def item(self, payload: Payload) -> Self:
        """A response item as it is."""
        return self.line("response_item", payload)

    def event(self, kind: str, **payload: object) -> Self:
        """An event of this kind."""
        return self.line("event_msg", {"type": kind, **payload})

    def raw(self, line: str | bytes) -> Self:
        """A literal line: broken JSON, an unknown type, an empty one."""
        self._lines.append(line.encode() if isinstance(line, str) else line)
        return self

    def wait(self, *, minutes: float = 0, days: float = 0) -> Self:
        """Nothing happens for a while."""
        self.last += minutes * 60 + days * 86_400
        return self

    # --- what people, harness and other agents say --------------------------------------------------------------

    def user(self, text: str, *, ide: str = "", cwd: str = "", event: bool = True, steer: bool = False) -> Self:
        """A human message, which opens a turn (after ending the one before).

        ide: the file that is open in an editor client, whose header then stands before the text. cwd: the turn's
        directory. event: False leaves out the user_message event. steer: the message falls into the running turn.
        """
        if not (steer and self._open):
            self._start_turn(cwd)
        text = shapes.ide_text(text, active_file=ide) if ide else text
        self.item(shapes.user_text(text, turn_id=self._turn))
        return self.event("user_message", message=text) if event else self

    def _start_turn(self, cwd: str) -> None:
        self._end_turn(None)
        first, self._open = not self._turn, True
        self._turn = shapes.uuid7(self.last, f"{self.id}/{len(self._lines)}/turn")
        self._turn_cwd = cwd or self.cwd
        self.event("task_started", turn_id=self._turn, model_context_window=258400)
        if first:
            self.item(shapes.message("developer", "(permissions and skills instructions left out)"))
            if self._agents_md:
                self.injected(shapes.agents_text(self._agents_md, cwd=self.cwd))
            self.injected(shapes.environment_text(self.cwd))
        policy = {"approval_policy": "never", "sandbox_policy": {"type": "danger-full-access"}}
        context = {"turn_id": self._turn, "cwd": self._turn_cwd, **policy, "model": "gpt-5.6-terra", "summary": "none"}
        self.line("turn_context", context)

    def _end_turn(self, last_message: str | None) -> None:
        if not self._open:
            return
        self.line("event_msg", shapes.token_count(self.last, used_percent=self._used_percent))
        self.event("task_complete", turn_id=self._turn, last_agent_message=last_message)
        self._open = False

    def injected(self, text: str) -> Self:
        """A user item that no person wrote (a skill, a shell echo, an AGENTS.md block, …)."""
        return self.item(shapes.message("user", text))

    def agent(self, text: str) -> Self:
        """Another agent reports."""
        note = json.dumps({"agent_id": self._key("agent"), "status": "completed", "message": text})
        return self.injected(f"<subagent_notification>\n{note}\n</subagent_notification>")

    def say(self, text: str) -> Self:
        """The assistant comments while it works."""
        return self.item(shapes.message("assistant", text, phase="commentary")).event("agent_message", message=text)

    def final(self, text: str) -> Self:
        """The assistant's last message, which ends the turn."""
        self.item(shapes.message("assistant", text, phase="final_answer")).event("agent_message", message=text)
        self._end_turn(text)
        return self

    def ask(self, question: str, answer: str) -> Self:
        """The assistant asks through request_user_input, and the user answers."""
        call = f"call_{self._key('ask')}"
        self.item(
            shapes.function_call(
                "request_user_input", {"questions": [{"id": "q1", "question": question}]}, call_id=call
            )
        )
        return self.item(shapes.function_output(json.dumps({"answers": {"q1": {"answers": [answer]}}}), call_id=call))

    def image(self, *, size: int, text: str = "") -> Self:
        """A human message with a picture of `size` base64 bytes on one line (20_000_000 is seen in the wild)."""
        self._start_turn("")
        picture = {"type": "input_image", "image_url": f"data:image/png;base64,{shapes.filler(size)}"}
        words = [{"type": "input_text", "text": text}] if text else []
        return self.item({"type": "message", "role": "user", "content": [picture, *words]})

    # --- tools ---------------------------------------------------------------------------------------------------

    def run(
        self,
        command: str,
        *,
        output: str = "",
        exit: int = 0,
        wrapping: Wrapping | None = None,
        shell: Shell | None = None,
        event: bool = True,
    ) -> Self:
        """A shell command and what it printed. event: False leaves out exec_command_end (a second exit code)."""
        call = f"call_{self._key('run')}"
        self.item(shapes.shell_call(command, cwd=self._turn_cwd, call_id=call, shell=shell or self._shell))
        wrapped = shapes.wrapped(output, code=exit, wrapping=wrapping or self._wrapping, chunk=self._key("chunk", 6))
        self.item(shapes.function_output(wrapped, call_id=call))
        if event:
            self.event("exec_command_end", call_id=call, turn_id=self._turn, aggregated_output=output, exit_code=exit)
        return self

    def patch(
        self,
        path: str,
        *,
        old: str = "",
        new: str = "",
        action: Literal["Update", "Add", "Delete"] = "Update",
        exit: int = 0,
    ) -> Self:
        """One apply_patch of one file: the lines of `old` go, those of `new` come."""
        call = f"call_{self._key('patch')}"
        text = shapes.patch_text(path, old=old, new=new, action=action)
        said = (
            f"Success. Updated the following files:\n{action[0]} {path}\n" if exit == 0 else f"Failed to find {path}\n"
        )
        output = json.dumps({"output": said, "metadata": {"exit_code": exit, "duration_seconds": 0.1}})
        self.item(
            {"type": "custom_tool_call", "status": "completed", "call_id": call, "name": "apply_patch", "input": text}
        )
        return self.item({"type": "custom_tool_call_output", "call_id": call, "output": output})

    def mcp(
        self, tool: str, *, server: str = "docs", output: str = "", arguments: Mapping[str, object] | None = None
    ) -> Self:
        """A call of a tool of an MCP server."""
        call, given = f"call_{self._key('mcp')}", dict(arguments or {})
        self.item(shapes.function_call(tool, given, call_id=call, namespace=f"mcp__{server}"))
        self.event("mcp_tool_call_end", call_id=call, invocation={"server": server, "tool": tool, "arguments": given})
        return self.item(shapes.function_output(output, call_id=call))

    def web(self, query: str) -> Self:
        """A web search."""
        return self.item(
            {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": query}}
        )

    def reasoning(self, *, size: int = 600) -> Self:
        """Encrypted reasoning of `size` bytes."""
        secret = shapes.noise(self._key("reasoning"), size=size)
        return self.item({"type": "reasoning", "summary": [], "content": None, "encrypted_content": secret})

    # --- what happens to the session -----------------------------------------------------------------------------

    def interrupt(self, *, marker: bool = False) -> Self:
        """The user stops the turn. marker: with the injected message that newer clients add."""
        if marker:
            self.injected("<turn_aborted>\nThe user interrupted the previous turn.\n</turn_aborted>")
        self._open = False
        return self.event("turn_aborted", turn_id=self._turn, reason="interrupted")

    def rollback(self, turns: int) -> Self:
        """The last human turns are taken back."""
        self._end_turn(None)
        return self.event("thread_rolled_back", num_turns=turns)

    def compact(self, message: str = "", *, size: int = 0) -> Self:
        """The history is compacted; size: bytes of replacement history on that line."""
        history = [shapes.message("user", shapes.filler(size))] if size else []
        return self.line("compacted", {"message": message, "replacement_history": history})

    def replay(self, parent: Rollout) -> Self:
        """The session is a fork (or a subagent) of `parent`: its meta and its lines come again, with new times."""
        for kind, payload in parent._rows:
            self.line(kind, payload)
        self._turn, self._open = parent._turn, False
        return self

    # --- files ---------------------------------------------------------------------------------------------------

    def data(self, *, ending: str = "\n") -> bytes:
        """The file's bytes; an open turn stays open."""
        return b"".join(line + ending.encode() for line in self._lines)

    @property
    def file_name(self) -> str:
        """`rollout-<start>-<id>.jsonl`."""
        return f"rollout-{datetime.fromtimestamp(self.started, UTC):%Y-%m-%dT%H-%M-%S}-{self.id}.jsonl"

    def write(
        self, folder: Path, *, flat: bool = False, ending: str = "\n", before: bytes = b"", after: bytes = b""
    ) -> Path:
        """Write the file below folder/YYYY/MM/DD (flat: into folder itself) with the last line's time as its own.

        before, after: bytes around the lines (a byte-order mark, NULs, a half-written line).
        """
        if not flat:
            folder = folder / f"{datetime.fromtimestamp(self.started, UTC):%Y/%m/%d}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.file_name
        path.write_bytes(before + self.data(ending=ending) + after)
        os.utime(path, (self.last, self.last))
        return path


def fork(parent: Rollout, *, name: str = "fork", started: str = "2026-11-20T10:00:00Z") -> Rollout:
    """A session that the user forked from `parent`: its own meta first, then the parent's file again."""
    meta = {"forked_from_id": parent.id}
    return Rollout(cwd=parent.cwd, name=name, started=started, meta=meta).replay(parent)


def subagent(parent: Rollout, *, name: str = "subagent", started: str = "2026-11-20T10:00:00Z") -> Rollout:
    """A file of a subagent that `parent` spawned: its own meta first, then the parent's file again."""
    source = {"subagent": {"thread_spawn": {"parent_thread_id": parent.id, "depth": 1}}}
    meta = {"parent_thread_id": parent.id, "agent_nickname": "scout", "agent_role": "explorer"}
    child = Rollout(cwd=parent.cwd, name=name, started=started, source=source, thread_source="subagent", meta=meta)
    return child.replay(parent)
