"""memory_summary.md: `v1`, four sections, a claim or a pointer a line (DESIGN.md, "Documents")."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from memkit.documents import Malformed, places
from memkit.model import Section

FILE = places.SUMMARY
FIRST_LINE = "v1"
OLDER = "Older Memory Topics"
MARKS = r"ad-hoc note|by hand|extension [\w.-]{1,40}"  # where a line comes from, if not from sessions

FaultKind = Literal["first-line", "sections"]


class SummaryLine(NamedTuple):
    """A line of a section, headings left out. str() writes it as the templates do.

    raw: as it stands; line: from 1; text: without bullet, scope mark, support, mark, pointer and thread id.
    scope: of the mark `(in <project>)`, None without one. sessions, last: the support, last as YYYY-MM-DD.
    mark: "ad-hoc note", "by hand", or "extension <name>".
    pointer: `rollout_summaries/<file>` of an index line. heading, date: what the line stands under (`###`, `####`;
    under "Older Memory Topics" the heading is the project and date is "").
    fault: what is wrong with its scope mark, "" when nothing is. bullet: False for free text.
    """

    section: Section
    text: str
    raw: str = ""
    line: int = 0
    bullet: bool = True
    scope: str | None = None
    sessions: int | None = None
    last: str | None = None
    mark: str = ""
    pointer: str = ""
    thread_id: str = ""
    heading: str = ""
    date: str = ""
    fault: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SummaryLine) and self._said() == other._said()

    def __hash__(self) -> int:
        return hash(self._said())

    def _said(self) -> tuple[object, ...]:
        """What two lines are compared by: neither their place nor how they were written."""
        return (*self[:2], *self[4:])

    def __str__(self) -> str:
        scope = f"(in {self.scope}) " if self.scope else ""
        pointer = f"{self.pointer} — " if self.pointer else ""
        thread = f"; thread_id={self.thread_id}" if self.thread_id else ""
        noun = "session" if self.sessions == 1 else "sessions"
        support = f" ({self.sessions} {noun}, last {self.last})" if self.sessions else ""
        mark = f" [{self.mark}]" if self.mark else ""
        return f"{'- ' if self.bullet else ''}{pointer}{scope}{self.text}{thread}{support}{mark}"


class Fault(NamedTuple):
    """Where the text leaves the form: in its first line, or in its four sections. line: 0 for the whole file."""

    line: int
    kind: FaultKind
    what: str


class SummaryDoc(NamedTuple):
    """The lines in order, the sections that are there with the line of their heading, and what is off."""

    lines: tuple[SummaryLine, ...]
    sections: tuple[tuple[Section, int], ...]
    faults: tuple[Fault, ...] = ()

    def of(self, section: Section) -> tuple[SummaryLine, ...]:
        """The lines of one section."""
        return tuple(line for line in self.lines if line.section is section)


def parse(text: str) -> SummaryDoc:
    """Reads a summary that is of the form; raises Malformed with the first fault when it is not."""
    doc = scan(text)
    for fault in doc.faults:
        raise Malformed(fault.line, fault.what)
    return doc


def scan(text: str) -> SummaryDoc:
    """Reads as much as can be read of any text; what is off is in `faults`. Lines outside of sections are left."""
    rows = text.split("\n")
    reader = _Reader()
    if rows[0] != FIRST_LINE:
        reader.fault(1, "first-line", f"the first line must be `{FIRST_LINE}`")
        if not rows[0].startswith("#"):
            rows[0] = ""
    else:
        rows[0] = ""
    for number, row in enumerate(rows, 1):
        if row.strip():
            reader.take(row, number)
    return reader.doc()


def parse_line(raw: str, *, section: Section, line: int = 0, heading: str = "", date: str = "") -> SummaryLine:
    """Reads one line of a section; every text is a line, an index line without its parts is one without a pointer."""
    bullet = _patterns().bullet.match(raw)
    text = raw[bullet.end() :].strip() if bullet else raw.strip()
    text, mark = _cut_mark(text)
    text, sessions, last = _cut_support(text)
    pointer = thread_id = ""
    if section is Section.INDEX:
        text, pointer, thread_id = _cut_pointer(text)
    text, scope, fault = (text, None, "") if pointer else _cut_scope(text)
    return SummaryLine(
        section=section,
        text=text,
        raw=raw,
        line=line,
        bullet=bullet is not None,
        scope=scope,
        sessions=sessions,
        last=last,
        mark=mark,
        pointer=pointer,
        thread_id=thread_id,
        heading=heading,
        date=date,
        fault=fault,
    )


class _Reader:
    def __init__(self) -> None:
        self._lines: list[SummaryLine] = []
        self._sections: list[tuple[Section, int]] = []
        self._faults: list[Fault] = []
        self._section: Section | None = None
        self._known = True
        self._heading = self._date = ""
        self._older = False

    def fault(self, line: int, kind: FaultKind, what: str) -> None:
        self._faults.append(Fault(line=line, kind=kind, what=what))

    def take(self, row: str, number: int) -> None:
        level = _level(row)
        words = row[level:].strip()
        if level in (1, 2):
            self._open(words if level == 2 else "", row, number)
        elif self._section is None:
            if self._known:
                self.fault(number, "sections", "text before the first section")
                self._known = False
        elif level == 3:
            self._older = self._section is Section.INDEX and words == OLDER
            self._heading, self._date = "" if self._older else words, ""
        elif level == 4 and self._older:
            self._heading = words
        elif level == 4:
            self._date = words
        else:
            line = parse_line(row, section=self._section, line=number, heading=self._heading, date=self._date)
            self._lines.append(line)

    def _open(self, name: str, row: str, number: int) -> None:
        self._heading = self._date = ""
        self._older = False
        self._section = next((section for section in Section if section.value == name), None)
        self._known = False
        if self._section is None:
            self.fault(number, "sections", f"`{row.strip()[:80]}` is none of the four sections")
            return
        have = [section for section, _ in self._sections]
        if self._section in have:
            self.fault(number, "sections", f"`## {name}` stands a second time")
            return
        order = list(Section)
        if have and order.index(have[-1]) > order.index(self._section):
            self.fault(number, "sections", f"`## {name}` must stand before `## {have[-1].value}`")
        self._sections.append((self._section, number))

    def doc(self) -> SummaryDoc:
        have = {section for section, _ in self._sections}
        for section in Section:
            if section not in have:
                self.fault(0, "sections", f"`## {section.value}` is missing")
        return SummaryDoc(lines=tuple(self._lines), sections=tuple(self._sections), faults=tuple(self._faults))


class _Patterns(NamedTuple):
    bullet: re.Pattern[str]
    mark: re.Pattern[str]
    support: re.Pattern[str]
    pointer: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    return _Patterns(
        bullet=re.compile(r"\s*[-*]\s+"),
        mark=re.compile(rf"\[({MARKS})\]$"),
        support=re.compile(r"\(([1-9][0-9]{0,8}) sessions?, last ([0-9]{4}-[0-9]{2}-[0-9]{2})\)$"),
        pointer=re.compile(r"(rollout_summaries/\S+) — (.*); thread_id=(\S+)$"),
    )


def _level(row: str) -> int:
    """How many `#` open the row as a heading, 0 for another row."""
    level = len(row) - len(row.lstrip("#"))
    return level if row[level : level + 1] == " " else 0


def _cut_mark(text: str) -> tuple[str, str]:
    match = _patterns().mark.search(text)
    if match is None:
        return text, ""
    return text[: match.start()].rstrip(), match[1]


def _cut_support(text: str) -> tuple[str, int | None, str | None]:
    match = _patterns().support.search(text)
    if match is None:
        return text, None, None
    return text[: match.start()].rstrip(), int(match[1]), match[2]


def _cut_pointer(text: str) -> tuple[str, str, str]:
    match = _patterns().pointer.match(text)
    if match is None:
        return text, "", ""
    return match[2].strip(), match[1], match[3]


def _cut_scope(text: str) -> tuple[str, str | None, str]:
    """(text, scope, fault): the mark ends at the bracket that closes it, since a path may hold brackets itself."""
    if not text.startswith(("(in ", "(in)")):
        return text, None, ""
    depth = 0
    end = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == ")" and text[at + 1 : at + 2] in ("", " "):
            end = end or at
            if not depth:
                end = at
                break
    if not end:
        return text, None, "a scope mark is not closed"
    scope = text[3:end].strip()
    return (text[end + 1 :].strip(), scope, "") if scope else (text, None, "a scope mark names no project")
