"""The rules of memory_summary.md."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from itertools import combinations

from memkit import tokens
from memkit.documents import inline, names, summary
from memkit.documents.summary import SummaryDoc, SummaryLine
from memkit.lint import near, pointers, scope, status
from memkit.lint.rules import finding, shown
from memkit.lint.world import World
from memkit.model import Finding, Section

_MOST_COMPARED = 200  # lines of a section; one with more is far over its budget anyway


def check(file: str, text: str, *, size: int, world: World) -> Iterator[Finding]:
    """All rules for the summary but those of every text. size: the file's UTF-8 bytes."""
    doc = summary.scan(text)
    for fault in doc.faults:
        yield finding(file, fault.line, rule=f"summary-{fault.kind}", message=fault.what)
    yield from _budget(file, text, size=size, world=world)
    known = frozenset(world.earlier.text(file).split("\n"))
    fresh = [line for line in doc.lines if line.raw not in known]
    for line in doc.lines if world.earlier.gone else fresh:
        yield from _pointers(file, line, world=world)
    for line in fresh:
        word = "" if line.mark else status.undated(line.text)
        if word:
            message = f"`{word}` may be over when this is read: quote who said it, or add `as of YYYY-MM-DD`"
            yield finding(file, line.line, rule="status-undated", message=message)
    for line, what in scope.problems(doc, fresh, world=world):
        yield finding(file, line.line, rule="scope-mark-missing", message=what)
    yield from _duplicates(file, doc, fresh={line.line for line in fresh})


def _budget(file: str, text: str, *, size: int, world: World) -> Iterator[Finding]:
    if size >= world.max_bytes:
        message = f"{size:,} bytes; it must stay under {world.max_bytes:,}"
        yield finding(file, 0, rule="summary-bytes", message=message)
    # a token has at least one byte, so a short text needs no count
    count = tokens.count(text) if size > world.max_tokens else 0
    if count > world.max_tokens:
        message = f"{count:,} tokens; at most {world.max_tokens:,}"
        yield finding(file, 0, rule="summary-tokens", message=message)


def _pointers(file: str, line: SummaryLine, *, world: World) -> Iterator[Finding]:
    if line.pointer:
        yield from pointers.check(file, line.line, pointer=line.pointer, thread_id=line.thread_id, world=world)
    elif not line.mark:
        for found in _path().findall(inline.unquoted(line.text)):
            yield from pointers.check(file, line.line, pointer=found, thread_id="", world=world)


def _duplicates(file: str, doc: SummaryDoc, *, fresh: Collection[int]) -> Iterator[Finding]:
    for section in Section:
        first: dict[tuple[str, ...], SummaryLine] = {}
        for line in doc.of(section):
            earlier = first.setdefault(_key(line), line)
            if earlier is not line:
                message = f"says the same as line {earlier.line}: {shown(line.text)}"
                yield finding(file, line.line, rule="duplicate-line", message=message)
        claims = [line for line in first.values() if not line.pointer][:_MOST_COMPARED]
        for a, b in combinations(claims, 2):
            new = a.line in fresh or b.line in fresh
            if new and a.scope == b.scope and a.heading == b.heading and near.same(a.text, b.text):
                message = f"says nearly the same as line {a.line}: {shown(b.text)}"
                yield finding(file, b.line, rule="duplicate-line", message=message)


def _key(line: SummaryLine) -> tuple[str, ...]:
    if line.pointer:
        return ("pointer", line.heading, line.pointer)  # a session of two projects stands in both
    return ("text", line.scope or "", line.heading, " ".join(line.text.casefold().split()).rstrip("."))


@cache
def _path() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w/.~-]){names.FOLDER}/[\w.-]+\.md\b")
