"""Rules that every text of a tree is held to, whatever kind of file it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from memkit import redact
from memkit.lint.rules import finding
from memkit.lint.world import Place, World
from memkit.model import Finding

MAX_SUMMARY_LINE = 2_000  # bytes: a fifth of the summary's room
MAX_LINE = 4_000  # bytes
_AROUND = 3  # lines beside a change that are looked at with it, for secrets

# Who reports a file that is no text: each kind's own rule for its form.
_FORM_RULE = {
    Place.SUMMARY: "summary-first-line",
    Place.HANDBOOK: "handbook-block",
    Place.RAW: "raw-order",
    Place.RECORD: "record-header",
    Place.NOTE: "note-header",
}


def decode(file: str, data: bytes, *, kind: Place | None) -> tuple[str, Finding | None]:
    """The text, and what is wrong with the bytes; a text with a finding is good only for the rules of this module."""
    rule = _FORM_RULE.get(kind, "unknown-file") if kind else "unknown-file"
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        text = data.decode("utf-8", "replace")
        return text, finding(file, line, rule=rule, message="this is not UTF-8")
    at = text.find("\0")
    if at >= 0:
        line = text.count("\n", 0, at) + 1
        return text, finding(file, line, rule=rule, message="a NUL byte: this is no text")
    return text, None


def check(file: str, text: str, *, kind: Place | None, world: World) -> Iterator[Finding]:
    """secret, frame-delimiter and line-too-long."""
    start, end = _fresh(text, world.earlier.text(file))
    for hit in redact.find(text[start:end]):
        message = f"{hit.rule}: a secret; take it out or write [REDACTED_SECRET], and revoke it where it was issued"
        yield finding(file, _line(text, start + hit.start), rule="secret", message=message)
    if kind not in (Place.NOTE, Place.EXTENSION):
        for match in _frame(world.delimiters).finditer(text):
            message = f"text that would open or close the frame of what a session reads (<{world.delimiters[0]} …>)"
            yield finding(file, _line(text, match.start()), rule="frame-delimiter", message=message)
    limit = MAX_SUMMARY_LINE if kind is Place.SUMMARY else MAX_LINE
    for number, line in enumerate(text.split("\n"), 1):
        size = len(line.encode("utf-8", "replace")) if len(line) * 4 > limit else 0
        if size > limit:
            message = f"{size:,} bytes on one line; at most {limit:,} here"
            yield finding(file, number, rule="line-too-long", message=message)


def _fresh(text: str, was: str) -> tuple[int, int]:
    """From where to where a text is not what it was, with the lines around: a secret may be several lines."""
    if not was:
        return 0, len(text)
    lines, old = text.split("\n"), was.split("\n")
    top = _alike(lines, old)
    last = len(lines) - _alike(lines[top:][::-1], old[top:][::-1])
    first, last = max(0, top - _AROUND), min(len(lines), last + _AROUND)
    return len("\n".join(lines[:first])) + (first > 0), len("\n".join(lines[:last]))


def _alike(lines: Sequence[str], others: Sequence[str]) -> int:
    """How many lines two texts share at their beginning."""
    pairs = enumerate(zip(lines, others, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(lines), len(others)))


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


@cache
def _frame(delimiters: tuple[str, ...]) -> re.Pattern[str]:
    tags = "|".join(r"[-_\s]?".join(map(re.escape, re.split("[-_]", tag))) for tag in delimiters)
    return re.compile(rf"<\s*(?:/\s*)?(?:{tags})" if tags else r"(?!)", re.IGNORECASE)
