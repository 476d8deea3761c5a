"""A terminal with somebody at it: a program that wants one is watched and typed to."""

from __future__ import annotations

import contextlib
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

_SECONDS = 60
_SIZE = 'stty rows 40 cols 120; exec "$@"'
# What a program asks its terminal at the start, and waits for: where the cursor is, what it can do, its colours.
_ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?62;22c",
    b"\x1b[?u": b"\x1b[?0u",
    b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
}


class Terminal:
    """Runs a program until it ends by itself; it is killed when the test is left before."""

    def __init__(self, line: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        spawn = [sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])", "sh", "-c", _SIZE, "sh", *line]
        env = {**env, "TERM": "xterm-256color"}
        self._process = subprocess.Popen(
            spawn, cwd=cwd, env=env, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._shown = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        with self._process:
            pass

    @property
    def shown(self) -> str:
        """All that was ever drawn, without colours, movements and blanks; what stays in place is not drawn again."""
        text = self._shown.decode("utf-8", "replace")
        return re.sub(r"\s|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b[()].|\x1b.", "", text)

    def wait(self, reached: Callable[[], object], *, typing: str = "") -> None:
        """Watches until something is so. typing: said after a rest, and again until then; a new dialog drops keys."""
        assert self._watch(reached, typing), f"it ended before:\n{self.shown[-2_000:]}"

    def end(self, *, typing: str) -> None:
        """Watches until the program has ended, as it does when that is typed."""
        with contextlib.suppress(BrokenPipeError):
            self._watch(lambda: False, typing)

    def _watch(self, reached: Callable[[], object], typing: str) -> bool:
        """False: the program ended before."""
        assert self._process.stdin
        until, rest = time.monotonic() + _SECONDS, time.monotonic() + 1.5
        while not reached():
            assert time.monotonic() < until, f"it did not come so far:\n{self.shown[-2_000:]}"
            if typing and time.monotonic() > rest:
                self._process.stdin.write(typing.encode())
                rest = time.monotonic() + 3
            if not self._read():
                return False
        return True

    def _read(self) -> bool:
        """Takes what is shown within a moment. False: the program has ended."""
        assert self._process.stdin and self._process.stdout
        ready, _, _ = select.select([self._process.stdout], [], [], 0.1)
        data = os.read(self._process.stdout.fileno(), 65_536) if ready else b""
        self._shown += data
        for asked, answer in _ANSWERS.items():
            if asked in data:
                self._process.stdin.write(answer)
        return bool(data or not ready)
