"""The rules of rollout summaries, the handbook, raw memories and notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memkit.documents import Malformed, handbook, names, note, raw, record
from memkit.lint import pointers, status
from memkit.lint.rules import finding, shown
from memkit.lint.world import World
from memkit.model import Finding

# What these bullets hold is told as of its session: the words of users, tools and the assistant, and the outcome.
_TOLD = ("project", "outcome", "request", "verified", "failed", "changed", "reported")


def check_record(file: str, text: str, *, world: World) -> Iterator[Finding]:
    """record-header, record-shape, thread-id-mismatch, status-undated, duplicate-line and the file's name."""
    try:
        names.parse(file.rpartition("/")[2])
    except Malformed as error:
        yield finding(file, 0, rule="unknown-file", message=error.reason)
    try:
        doc = record.parse(text)
    except Malformed as error:
        yield finding(file, error.line, rule="record-header", message=error.reason)
        return
    yield from pointers.check(file, 1, pointer=file, thread_id=doc.thread_id, world=world)
    if doc.body.shape == "other":
        line = doc.body.strays[0] if doc.body.strays else doc.body_line
        message = "kept as it is: from here on it has another shape than `# title`, `## Task N: title`, `- label: text`"
        yield finding(file, line, rule="record-shape", message=message)
    for task in doc.body.tasks:
        lines = [(bullet.line, bullet.label, bullet.text) for bullet in task.bullets]
        yield from _duplicates(file, lines)
        yield from _undated(file, [(line, text) for line, label, text in lines if label not in _TOLD])


def check_handbook(file: str, text: str, *, world: World) -> Iterator[Finding]:
    """handbook-block, pointer-missing, thread-id-mismatch, status-undated and duplicate-line."""
    doc = handbook.scan(text)
    for fault in doc.faults:
        yield finding(file, fault.line, rule="handbook-block", message=fault.what)
    for block in doc.blocks:
        for reference in (reference for task in block.tasks for reference in task.references):
            yield from pointers.check(
                file, reference.line, pointer=reference.pointer, thread_id=reference.thread_id, world=world
            )
        yield from _duplicates(file, [(line.line, line.section, line.text) for line in block.lines])
        yield from _undated(file, [(line.line, line.text) for line in block.lines])


def check_raw(file: str, text: str, *, world: World) -> Iterator[Finding]:
    """raw-order, pointer-missing and thread-id-mismatch."""
    try:
        doc = raw.parse(text)
    except Malformed as error:
        yield finding(file, error.line, rule="raw-order", message=error.reason)
        return
    last = ""
    for entry in doc.entries:
        if entry.thread_id <= last:
            message = f"thread {entry.thread_id} must stand before {last}: ids ascend, each once"
            yield finding(file, entry.line, rule="raw-order", message=message)
        last = max(last, entry.thread_id)
        pointer = f"{names.FOLDER}/{entry.rollout_summary_file}"
        yield from pointers.check(file, entry.line, pointer=pointer, thread_id=entry.thread_id, world=world)


def check_note(file: str, text: str) -> Iterator[Finding]:
    """note-header and the file's name."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}-[^/]+\.md", file.rpartition("/")[2]):
        yield finding(file, 0, rule="unknown-file", message="the name is not <YYYY-MM-DDTHH-MM-SS>-<slug>.md")
    try:
        note.parse(text)
    except Malformed as error:
        yield finding(file, error.line, rule="note-header", message=error.reason)


def _duplicates(file: str, lines: Iterable[tuple[int, str, str]]) -> Iterator[Finding]:
    first: dict[tuple[str, str], int] = {}
    for line, label, text in lines:
        earlier = first.setdefault((label, " ".join(text.casefold().split())), line)
        if earlier != line:
            yield finding(file, line, rule="duplicate-line", message=f"says the same as line {earlier}: {shown(text)}")


def _undated(file: str, lines: Iterable[tuple[int, str]]) -> Iterator[Finding]:
    for line, text in lines:
        word = status.undated(text)
        if word:
            message = f"`{word}` may be over when this is read: quote who said it, or add `as of YYYY-MM-DD`"
            yield finding(file, line, rule="status-undated", message=message)
