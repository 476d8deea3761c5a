"""The closed environment: what a user's machine would add to a run is left out, everything it needs is named."""

from __future__ import annotations

import contextlib
import io
import ipaddress
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest import mock

from memkit import cli

NOW = 1_795_608_000  # 2026-11-25T12:00:00Z: five days after a Rollout's default start
_VENV_BIN = Path(sys.executable).parent
_LEAKS = ("GIT_", "MEMKIT_", "OPENAI_", "XDG_", "CODEX_")


def hermetic(tmp_path: Path) -> dict[str, str]:
    """The whole environment of a run on a fresh machine below `tmp_path`: user (made), home and codex (not made)."""
    user = tmp_path / "user"
    user.mkdir(exist_ok=True)
    git = shutil.which("git") or "/usr/bin/git"
    folders = dict.fromkeys([str(_VENV_BIN), str(Path(git).parent), "/usr/local/bin", "/usr/bin", "/bin"])
    return {
        "HOME": str(user),
        "MEMKIT_HOME": str(tmp_path / "home"),
        "CODEX_HOME": str(tmp_path / "codex"),
        "MEMKIT_NOW": str(NOW),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "NO_COLOR": "1",
        "TERM": "dumb",
        "COLUMNS": "120",
        "PATH": os.pathsep.join(folders),
    }


def leaks(environment: Mapping[str, str]) -> list[str]:
    """The variables of an outer environment that would change what memkit or Git does."""
    return [name for name in environment if name.startswith(_LEAKS) or name == "EMAIL"]


def command() -> list[str]:
    """The installed entry point, else the package."""
    script = _VENV_BIN / "memkit"
    return [str(script)] if script.is_file() else [sys.executable, "-m", "memkit"]


def run_memkit(
    args: Sequence[str | Path],
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    ok: tuple[int, ...] | None = (0,),
    stdin: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run memkit from outside in exactly `env` and hold its exit status to `ok` (None: any).

    stdin: text to read; None is an empty standard input, never the terminal.
    """
    line = [*command(), *map(str, args)]
    done = subprocess.run(
        line, env=dict(env), cwd=cwd, input=stdin or "", capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    return _held_to(ok, done)


def call_memkit(
    args: Sequence[str | Path],
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    ok: tuple[int, ...] | None = (0,),
    stdin: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """`run_memkit` in this process: the same entry, in a tenth of the time. Not for several threads at once."""
    out, err = io.StringIO(), io.StringIO()
    before = os.umask(0o022)
    try:
        with (
            mock.patch.dict(os.environ, env, clear=True),
            mock.patch.object(sys, "stdin", io.StringIO(stdin or "")),
            contextlib.chdir(cwd or Path.cwd()),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = cli.run([str(each) for each in args])
    finally:
        os.umask(before)
    line = ["memkit", *map(str, args)]
    return _held_to(ok, subprocess.CompletedProcess(line, code, out.getvalue(), err.getvalue()))


def _held_to(ok: tuple[int, ...] | None, done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    if ok is not None and done.returncode not in ok:
        raise AssertionError(
            f"`{' '.join(map(str, done.args))}` exited {done.returncode}, not {ok}\n"
            f"--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}"
        )
    return done


def is_local(address: object) -> bool:
    """Whether a socket address stays on this machine: a Unix socket's path, or a loopback host."""
    if isinstance(address, str | bytes):
        return True
    if not isinstance(address, tuple) or not address:
        return False
    return is_local_host(address[0])


def is_local_host(host: object) -> bool:
    """Whether a host name or address (None is this machine) is loopback."""
    text = host.decode() if isinstance(host, bytes) else host
    if text in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(text)).is_loopback
    except ValueError:
        return False
