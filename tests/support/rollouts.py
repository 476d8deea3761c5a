"""A readable builder of rollout files, for tests and for the bundled samples.

    Rollout(cwd="/home/dev/shop").user("Fix the retry.").run("pytest -q", exit=1).final("Fixed.").write(folder)

Everything is a function of what is said: same calls, same bytes. A session that goes on after `write` and is written
again keeps its id and starts with the same bytes, as a growing session does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Literal, Self

from tests.support import shapes
from tests.support.lines import KeyOrder, SessionFile
from tests.support.shapes import Payload, Shell, Wrapping


class Rollout(SessionFile):
    """One session. Steps return the builder; `name` tells sessions of one directory and start apart.

    cwd: "" is a session that nowhere says where it ran.
    started: ISO 8601 with a zone. repository: None derives a remote from cwd when there is a branch. thread_source,
    memory_mode, model_provider: None leaves the key out. meta: keys of session_meta to add or to replace, None drops
    one. thread_id: an id of your own. wrapping, shell: what `run` uses by default. used_percent: of both rate limits.
    """

    def __init__(
        self,
        *,
        cwd: str = "/home/dev/shop",
        name: str = "session",
        thread_id: str = "",
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
        start = datetime.fromisoformat(started).timestamp()
        identity = thread_id or shapes.uuid7(start, f"{cwd}\0{name}")
        super().__init__(id=identity, started=start, key_order=key_order)
        self.cwd = cwd
        self._agents_md = agents_md
        self._wrapping = wrapping
        self._shell = shell
        self._used_percent = used_percent
        self._turn = ""
        self._turn_cwd = cwd
        self._open = False
        own: Payload = {
            "session_id": self.id,
            "id": self.id,
            "timestamp": shapes.moment(self.started),
            "cwd": cwd or None,
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
        self.line("session_meta", {key: own[key] for key in own if own[key] is not None or key in keep_null})

    def _git(self, branch: str | None, repository: str | None) -> Payload | None:
        if branch is None:
            return None
        remote = repository or f"https://git.example.com/acme/{self.cwd.rstrip('/').rpartition('/')[2]}.git"
        return {"commit_hash": self._key("commit", 40), "branch": branch, "repository_url": remote}

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
            if self.cwd:
                self.injected(shapes.environment_text(self.cwd))
        policy = {"approval_policy": "never", "sandbox_policy": {"type": "danger-full-access"}}
        where = {"cwd": self._turn_cwd} if self._turn_cwd else {}
        context = {"turn_id": self._turn, **where, **policy, "model": "gpt-5.6-terra", "summary": "none"}
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
