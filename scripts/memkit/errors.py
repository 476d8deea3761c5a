"""The errors that memkit expects, each with its exit status. Imports nothing of memkit."""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


def plain(text: str) -> str:
    """A message as one line that a terminal shows as it stands: what would break or steer it becomes an escape."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class ExitCode(IntEnum):
    """Every exit status of the command line; README documents them, a test holds both together."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    CONFIG = 3
    BUSY = 4
    ENGINE = 5
    PARTIAL = 6
    GIT = 7
    BUG = 70
    INTERRUPTED = 130

    @classmethod
    def worst(cls, *codes: ExitCode) -> ExitCode:
        """The one status to exit with when several apply: 5, then 6, then 1, then the largest other."""
        for code in (cls.ENGINE, cls.PARTIAL, cls.FINDINGS):
            if code in codes:
                return code
        return max(codes, default=cls.OK)


class MemkitError(Exception):
    """An expected refusal: what is wrong in one line, and the command or step that mends it."""

    code: ClassVar[ExitCode] = ExitCode.BUG

    def __init__(self, what: str, *, mend: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.mend = mend

    def __str__(self) -> str:
        return f"{self.what} ({self.mend})" if self.mend else self.what


class UsageError(MemkitError):
    """The call's words are off."""

    code = ExitCode.USAGE


class ConfigError(MemkitError):
    """memkit.yaml, the environment or the home itself can't be used as they are."""

    code = ExitCode.CONFIG


class StorageError(MemkitError):
    """The home can't be read or written: read-only, full, or a database that is damaged or newer than this memkit."""

    code = ExitCode.CONFIG


class BusyError(MemkitError):
    """Another run holds the lock; says who."""

    code = ExitCode.BUSY


class EngineError(MemkitError):
    """The engine or the network failed as a whole, not for one session."""

    code = ExitCode.ENGINE


class ModelError(MemkitError):
    """One question to the model failed; its session fails, the run goes on. tokens_used: what it cost all the same."""

    code = ExitCode.PARTIAL

    def __init__(self, what: str, *, mend: str = "", tokens_used: int = 0) -> None:
        super().__init__(what, mend=mend)
        self.tokens_used = tokens_used


class MalformedError(ModelError):
    """The model answered, and the answer is not of the form that was asked for."""


class TooLongError(ModelError):
    """The server says that the question does not fit into its model's context."""


class BudgetError(MemkitError):
    """The next question could exceed what a run may use: what is left waits for the next run."""

    code = ExitCode.ENGINE


class GitError(MemkitError):
    """Git refused or is missing."""

    code = ExitCode.GIT


class GateError(MemkitError):
    """Drafts that may not be published; the committed memory stays as it was."""

    code = ExitCode.FINDINGS


class RolloutError(MemkitError):
    """One rollout file can't be read; the session fails, the run goes on."""

    code = ExitCode.PARTIAL
