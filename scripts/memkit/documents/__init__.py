"""Reading memory's files: one module per kind of file, text to frozen values. Writing is done by templates.

A reader has three outcomes: the value, a value that is empty because nothing is there, or `Malformed`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily
from memkit.errors import ExitCode, MemkitError

if TYPE_CHECKING:
    from memkit.documents import (
        erased,
        extension,
        handbook,
        hiding,
        identity,
        inline,
        names,
        note,
        places,
        raw,
        record,
        summary,
    )
else:
    __getattr__ = lazily(
        globals(),
        erased="erased",
        extension="extension",
        handbook="handbook",
        hiding="hiding",
        identity="identity",
        inline="inline",
        names="names",
        note="note",
        places="places",
        raw="raw",
        record="record",
        summary="summary",
    )

__all__ = [
    "Malformed",
    "erased",
    "extension",
    "handbook",
    "hiding",
    "identity",
    "inline",
    "names",
    "note",
    "places",
    "raw",
    "record",
    "summary",
]


class Malformed(MemkitError):
    """A text that is not the document that it should be. line: from 1, 0 for the file as a whole."""

    code = ExitCode.FINDINGS

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}" if line else what)
        self.line = line
        self.reason = what
