"""Single lines into and out of a summary that somebody else wrote; all other bytes stay."""

from __future__ import annotations

from collections.abc import Callable

from memkit.documents import summary
from memkit.documents.summary import SummaryLine
from memkit.model import Section


def without(text: str, gone: Callable[[SummaryLine], bool]) -> str:
    """The summary without those of its lines, and without headings that have nothing below them any more."""
    numbers = {line.line for line in summary.scan(text).lines if gone(line)}
    if not numbers:
        return text
    rows = [row for number, row in enumerate(text.split("\n"), 1) if number not in numbers]
    return "\n".join(_without_empty(rows))


def changed(text: str, line: SummaryLine, *, to: SummaryLine) -> str:
    """The summary with one line, found by its number, written anew."""
    rows = text.split("\n")
    rows[line.line - 1] = str(to)
    return "\n".join(rows)


def placed(text: str, line: SummaryLine) -> str:
    """The summary with one more line: at the end of its section, or below its headings, which are made where needed.

    A text without the section stays as it is; lint says what is wrong with it.
    """
    rows = text.rstrip("\n").split("\n")
    heading = f"## {line.section.value}"
    if heading not in rows:
        return text
    start = rows.index(heading) + 1
    end = _next(rows, start, "## ", "# ")
    if line.section is Section.INDEX and line.heading:
        _place_in_index(rows, line, start=start, end=end)
    else:
        _insert(rows, _last(rows, start, end), [str(line)])
    return "\n".join(rows) + "\n"


def _place_in_index(rows: list[str], line: SummaryLine, *, start: int, end: int) -> None:
    outer, inner = (line.heading, line.date) if line.date else (summary.OLDER, line.heading)
    if f"### {outer}" not in rows[start:end]:
        at = start if line.date else _last(rows, start, end)
        rows[at:at] = ["", f"### {outer}", "", f"#### {inner}", "", str(line)]
        return
    start = rows.index(f"### {outer}", start, end) + 1
    end = _next(rows, start, "### ", "## ", "# ")
    if f"#### {inner}" not in rows[start:end]:
        # Days stand newest first; projects of older work in no order.
        later = (at for at in range(start, end) if rows[at].startswith("#### ") and rows[at][5:] < inner)
        at = next(later, _last(rows, start, end)) if line.date else start
        new = [f"#### {inner}", "", str(line)]
        rows[at:at] = [*new, ""] if at < end and rows[at].startswith("#### ") else ["", *new]
        return
    start = rows.index(f"#### {inner}", start, end) + 1
    _insert(rows, _last(rows, start, _next(rows, start, "#### ", "### ", "## ", "# ")), [str(line)])


def _insert(rows: list[str], at: int, new: list[str]) -> None:
    rows[at:at] = new if rows[at - 1].strip() and not rows[at - 1].startswith("#") else ["", *new]


def _last(rows: list[str], start: int, end: int) -> int:
    """Behind the last row of a stretch that is not blank."""
    while end > start and not rows[end - 1].strip():
        end -= 1
    return end


def _next(rows: list[str], start: int, *heads: str) -> int:
    return next((at for at in range(start, len(rows)) if rows[at].startswith(heads)), len(rows))


def _without_empty(rows: list[str]) -> list[str]:
    """The rows without `###` and `####` headings that head nothing."""
    kept: list[str] = []
    for row in reversed(rows):
        level = len(row) - len(row.lstrip("#")) if row.startswith("###") else 0
        below = next((each for each in reversed(kept) if each.strip()), "")
        if level and (not below or (below.startswith("#") and len(below) - len(below.lstrip("#")) <= level)):
            while kept and not kept[-1].strip():
                kept.pop()
            continue
        kept.append(row)
    return list(reversed(kept))
