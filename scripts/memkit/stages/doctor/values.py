"""What a check is given, and what it gives."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from memkit.config import Config
from memkit.repo import Repo


@dataclass(frozen=True, kw_only=True, slots=True)
class Trouble:
    """One finding. check: a fixed word for its kind; what: one line; mend: the command, or step, that mends it."""

    check: str
    what: str
    mend: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Visit:
    """A look at one home. memkit: how to call memkit on it. busy: a run works in it just now."""

    config: Config
    repo: Repo
    now: float
    user_home: str
    memkit: str
    busy: bool

    @property
    def home(self) -> Path:
        """The home."""
        return self.config.home

    @staticmethod
    def quoted(path: Path | str) -> str:
        """A path as a word of a shell's line."""
        return shlex.quote(str(path))


def counted(number: int, what: str) -> str:
    """ "1 session", "3 sessions"."""
    return f"{number:,} {what}{'s' if number != 1 else ''}"
