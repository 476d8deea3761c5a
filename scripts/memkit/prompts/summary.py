"""memory_summary.md of V2, from the lines that documents.summary reads."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memkit.documents.summary import MARKS, OLDER, SummaryLine
from memkit.model import Section
from memkit.prompts.jinja import render
from memkit.prompts.safe import UNTITLED, one_line, thread_id


def memory_summary(*, lines: Iterable[SummaryLine] = ()) -> str:
    """V2's memory_summary.md from lines in their order; without any, the skeleton.

    A line of What's in Memory stands under its heading and date, newest date first; with a heading and no date it is
    older work. A claim without text is left out, a pointer never. `documents.summary.parse` reads these lines again.
    """
    safe = [line for line in map(_line, lines) if line.text]
    index = [line for line in safe if line.section is Section.INDEX]
    return render(
        "v2/memory_summary.md.j2",
        sections=[
            (str(section), [line for line in safe if line.section is section])
            for section in Section
            if section is not Section.INDEX
        ],
        index_heading=str(Section.INDEX),
        loose=[line for line in index if not line.heading],
        projects=_projects(line for line in index if line.heading and line.date),
        older_heading=OLDER,
        older=_grouped((line.heading, line) for line in index if line.heading and not line.date),
    )


def _projects(lines: Iterable[SummaryLine]) -> dict[str, dict[str, list[SummaryLine]]]:
    return {
        heading: dict(sorted(_grouped((line.date, line) for line in group).items(), reverse=True))
        for heading, group in _grouped((line.heading, line) for line in lines).items()
    }


def _grouped(pairs: Iterable[tuple[str, SummaryLine]]) -> dict[str, list[SummaryLine]]:
    groups: dict[str, list[SummaryLine]] = {}
    for key, line in pairs:
        groups.setdefault(key, []).append(line)
    return groups


def _line(line: SummaryLine) -> SummaryLine:
    """The line with safe values, and nothing in its text that would read as a scope, support or mark of its own."""
    index = line.section is Section.INDEX
    pointer = one_line(line.pointer).replace(" ", "_") if index else ""
    scope = "" if pointer else _balanced(one_line(line.scope or ""))
    text = one_line(line.text)
    text = (text or UNTITLED) if pointer else _claim_text(text, scoped=bool(scope))
    known = line.sessions is not None and line.last is not None
    return line._replace(
        text=text,
        scope=scope,
        sessions=line.sessions if known else None,
        last=one_line(line.last or ""),
        pointer=pointer,
        thread_id=thread_id(line.thread_id) if pointer else "",
        heading=one_line(line.heading) if index else "",
        date=one_line(line.date) if index else "",
    )


def _claim_text(text: str, *, scoped: bool) -> str:
    text = text[: _claim_end(text)]
    if not scoped:
        text = re.sub(r"^\((?=in[ )])", "", re.sub(r"^\(in ([^()]*)\) ?", r"in \1: ", text))
    return text.strip()


def _claim_end(text: str) -> int:
    """Where the text ends without supports and marks: each is looked for in the last 60 characters, so it is linear."""
    closing = re.compile(rf"(?:\(\d{{1,9}} sessions?, last \d{{4}}-\d\d-\d\d\)|\[(?:{MARKS})\])$")
    end = len(text)
    while match := closing.search(text, max(end - 60, 0), end):
        end = match.start()
        while end and text[end - 1] == " ":
            end -= 1
    return end


def _balanced(scope: str) -> str:
    """The scope with brackets that end the mark `(in …)` where it ends: unpaired ones are written as in a URL."""
    depth = 0
    for char in scope:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
    return scope.replace("(", "%28").replace(")", "%29") if depth else scope
