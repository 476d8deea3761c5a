"""README's way from nothing to a Codex session that starts with its memory, line by line, in the real Codex."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.hooks.tools import settle
from tests.interop.codex import Codex, told
from tests.support.model_server import Answer
from tests.support.rollouts import Rollout
from tests.test_readme import clone, played, section


def test_the_lines_of_readme_lead_to_a_session_that_starts_with_its_memory(codex: Codex) -> None:
    [block] = re.findall(r"^```sh\n(.*?)^```$", section("With Codex"), re.MULTILINE | re.DOTALL)
    user = Path(codex.world.env["HOME"])
    # Nothing is set; that the home is where it is anyway marks the processes that are waited for.
    env = {name: value for name, value in codex.world.env.items() if name != "CODEX_HOME"}
    env["MEMKIT_HOME"] = str(user / ".memkit")
    codex.world.codex.rename(user / ".codex")  # started once, and its model is the scripted one
    yesterday = (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="seconds")
    earlier = Rollout(cwd=str(codex.project), started=yesterday).user(
        "From now on in this repo: run everything by just."
    )
    earlier.run("just build", output="built\n").final("Built.").write(user / ".codex" / "sessions")
    # The flag stands for the answer of a user whom Codex asks whether he trusts the hooks.
    (user / "bin").mkdir()
    (user / "bin" / "codex").write_text(
        f'#!/bin/sh\nexec {shlex.quote(str(codex.program))} "$@" --dangerously-bypass-hook-trust\n'
    )
    (user / "bin" / "codex").chmod(0o755)
    codex.server.steps.append(Answer(text="Short ones."))
    typed = played(block.splitlines(), folder=clone(user / "memkit"), env=env | {"PATH": f"{user}/bin:{env['PATH']}"})
    assert [status for _, status in typed] == [0] * len(block.splitlines()), typed
    assert "Short ones." in typed[-1][0]
    settle(replace(codex.world, home=user / ".memkit"))
    [asked] = codex.server.requests
    [context] = [text for text in told(asked, role="developer") if text.startswith("<memkit-memory")]
    assert "- Keep the answers short. [ad-hoc note]" in context and "run everything by just" in context
    assert {"SessionStart", "SessionEnd"} == set(json.loads((user / ".codex" / "hooks.json").read_text())["hooks"])
