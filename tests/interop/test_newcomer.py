"""README's way from nothing to a Codex session that starts with its memory, line by line, in the real Codex."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.hooks.tools import settle
from tests.interop.codex import Codex, idle, told
from tests.interop.terminal import Terminal
from tests.support.model_server import Answer, Request
from tests.support.rollouts import Rollout
from tests.test_readme import clone, played, section

CLEAR = "\x15"  # what was typed before goes


def test_the_lines_of_readme_lead_to_a_session_that_starts_with_its_memory(codex: Codex) -> None:
    [block] = re.findall(r"^```sh\n(.*?)^```$", section("With Codex"), re.MULTILINE | re.DOTALL)
    *before, cd, last = block.splitlines()
    prompt, user = shlex.split(last)[-1], Path(codex.world.env["HOME"])
    # Nothing is set; that the home is where it is anyway marks the processes that are waited for.
    env = {name: value for name, value in codex.world.env.items() if name != "CODEX_HOME"}
    env["MEMKIT_HOME"] = str(user / ".memkit")
    world = replace(codex.world, env=env, home=user / ".memkit")
    started_once(codex, user / ".codex")
    typed = played(before, folder=clone(user / "memkit"), env=env)
    assert [status for _, status in typed] == [0] * len(before), typed
    codex.server.always = answers
    (user / "bin").mkdir()
    (user / "bin" / "codex").symlink_to(codex.program)
    env["PATH"] = f"{user / 'bin'}:{env['PATH']}"
    with Terminal(["sh", "-c", f"{cd} && {last}"], cwd=user, env=env) as terminal:
        terminal.wait(lambda: "Continuewithouttrusting" in terminal.shown)
        terminal.wait(lambda: "trusted_hash" in (user / ".codex" / "config.toml").read_text(), typing="2\r")
        terminal.wait(lambda: answered(user / ".codex" / "sessions", prompt) and idle(world))
        terminal.wait(lambda: "/quit" in terminal.shown, typing=f"{CLEAR}/quit")
        terminal.end(typing="\r")
    settle(world)
    asked = next(each for each in codex.server.requests if told(each, role="user")[-1] == prompt)
    [context] = [text for text in told(asked, role="developer") if text.startswith("<memkit-memory")]
    assert "- Keep the answers short. [ad-hoc note]" in context and "run everything by just" in context
    [read] = [each for each in json.loads(world.shell("sessions", "--json").stdout) if each["state"] == "empty"]
    assert Path(read["cwd"]) == codex.project, "the session was read when it ended, and had nothing to keep"


def answered(sessions: Path, prompt: str) -> bool:
    """Is there a session in which that was asked, and whose turn is over?"""
    texts = [path.read_text() for path in sessions.rglob("*.jsonl")]
    return any(prompt in text and '"task_complete"' in text for text in texts)


def started_once(codex: Codex, home: Path) -> None:
    """Codex's folder with its settings (the model is the scripted one) and a session of yesterday."""
    codex.world.codex.rename(home)
    yesterday = (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="seconds")
    session = Rollout(cwd=str(codex.project), started=yesterday).user(
        "From now on in this repo: run everything by just."
    )
    session.run("just build", output="built\n").final("Built.").write(home / "sessions")


def answers(request: Request) -> Answer:
    """The model's answer: to the user, or to Codex, which has a title made for the session."""
    return Answer(text="Short ones." if "exec_command" in request.text else "Ask about answers")
