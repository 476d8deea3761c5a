"""Going on in the background: a process of its own that nobody waits for, bounded in time, that speaks into the log."""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType

from memkit.commands import log

LIMIT = 900  # seconds that a run in the background may take
_GRACE = 30  # seconds that it then has to put things down
_NICE = 10


def detach(home: Path, *, limit: int = LIMIT) -> bool:
    """False in the process that called, which has no more to do; True in the one that goes on.

    That one has its own session, so that closing the terminal does not end it, and no part in the caller's streams but
    stdin. What it says stands in `<home>/log/memkit.log`. After `limit` seconds it is interrupted, and soon killed.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    if os.fork():
        return False
    os.setsid()
    with suppress(OSError):
        os.nice(_NICE)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    sys.stdout = sys.stderr = Lines(home)
    _bound(home, limit)
    return True


class Lines(io.TextIOBase):
    """A stream whose lines go into the log of a home: masked, with their time."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._rest = ""

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str) -> int:
        """Logs each line that is whole. A log that can't be written keeps no memory from being made."""
        if not isinstance(text, str):
            raise TypeError("this stream takes text")
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            if line.strip():
                with suppress(OSError):
                    log.write(self._home, f"background: {line}")
        return len(text)


def _bound(home: Path, limit: int) -> None:
    def ended(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_GRACE)
        with suppress(OSError):
            log.write(home, f"background: a run took over {limit} seconds and is stopped")
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, ended)
    signal.alarm(limit)
