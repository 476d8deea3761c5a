"""MEMORY.md: task groups with their tasks and what was learned in them (CODEX.md, "Two stages, two versions")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from memkit.documents import Malformed, places

FILE = places.HANDBOOK
SECTIONS = ("User preferences", "Reusable knowledge", "Failures and how to do differently")
FILES, KEYWORDS = "rollout_summary_files", "keywords"

_GROUP = "# Task Group: "


@dataclass(frozen=True, kw_only=True, slots=True)
class Reference:
    """A line of `### rollout_summary_files`. pointer: `rollout_summaries/<file>`; the rest is from its brackets."""

    pointer: str
    line: int
    thread_id: str = ""
    cwd: str = ""
    rollout_path: str = ""
    updated_at: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class HandbookTask:
    """`## Task N: <title, outcome>` of a block."""

    number: int
    title: str
    line: int
    references: tuple[Reference, ...] = ()
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class HandbookLine:
    """A line of one of the three sections; text without its bullet."""

    section: str
    text: str
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A task group. scope and applies_to: the texts after their labels; cwd and reuse_rule: the parts of applies_to."""

    name: str
    line: int
    scope: str = ""
    applies_to: str = ""
    tasks: tuple[HandbookTask, ...] = ()
    lines: tuple[HandbookLine, ...] = ()

    @property
    def cwd(self) -> str:
        """The directory or directories that the block is for, as written."""
        return self.applies_to.partition("; reuse_rule=")[0].removeprefix("cwd=").strip()

    @property
    def reuse_rule(self) -> str:
        """When the block may be reused, as written."""
        return self.applies_to.partition("; reuse_rule=")[2].strip()


@dataclass(frozen=True, slots=True)
class HandbookFault:
    """Where the text leaves the form. line: from 1."""

    line: int
    what: str


@dataclass(frozen=True, kw_only=True, slots=True)
class HandbookDoc:
    """The blocks in order and what is off."""

    blocks: tuple[Block, ...]
    faults: tuple[HandbookFault, ...] = ()


def parse(text: str) -> HandbookDoc:
    """Reads a handbook that is of the form (an empty one has no blocks); raises Malformed with the first fault."""
    doc = scan(text)
    for fault in doc.faults:
        raise Malformed(fault.line, fault.what)
    return doc


def scan(text: str) -> HandbookDoc:
    """Reads as much as can be read of any text; what is off is in `faults`."""
    blocks: list[Block] = []
    faults: list[HandbookFault] = []
    rows: list[tuple[int, str]] = []
    for number, row in enumerate(text.split("\n"), 1):
        if row.startswith("# ") and rows:
            _close(rows, blocks=blocks, faults=faults)
            rows = []
        if row.strip():
            rows.append((number, row.rstrip()))
    if rows:
        _close(rows, blocks=blocks, faults=faults)
    return HandbookDoc(blocks=tuple(blocks), faults=tuple(sorted(faults, key=lambda fault: fault.line)))


def _close(rows: list[tuple[int, str]], *, blocks: list[Block], faults: list[HandbookFault]) -> None:
    line, head = rows[0]
    name = head.removeprefix(_GROUP).strip()
    if not head.startswith(_GROUP) or not name:
        faults.append(HandbookFault(line, f"a block must begin with `{_GROUP}<name>`"))
        return
    reader = _Reader(name, line)
    for number, row in rows[1:]:
        reader.take(row, number)
    blocks.append(reader.block())
    faults += reader.faults


class _Reader:
    def __init__(self, name: str, line: int) -> None:
        self.faults: list[HandbookFault] = []
        self._name = name
        self._line = line
        self._labels: dict[str, str] = {}
        self._tasks: list[HandbookTask] = []
        self._lines: list[HandbookLine] = []
        self._sections: list[str] = []
        self._references: list[Reference] = []
        self._keywords: list[str] = []
        self._part = ""

    def take(self, row: str, number: int) -> None:
        task = _patterns()[0].fullmatch(row)
        if task:
            self._open_task(int(task[1]), task[2].strip(), number)
        elif row.startswith("## "):
            self._end_task()
            self._open_section(row[3:].strip(), number)
        elif row.startswith("### ") and not self._sections:
            self._part = row[4:].strip()
            if not self._tasks or self._part not in (FILES, KEYWORDS):
                self._fault(number, f"`### {self._part[:60]}` does not stand here; a task has {FILES} and {KEYWORDS}")
        elif self._sections:
            self._lines.append(HandbookLine(section=self._sections[-1], text=_bare(row), line=number))
        elif self._tasks:
            self._task_line(row, number)
        else:
            self._label(row, number)

    def _label(self, row: str, number: int) -> None:
        label, mark, value = row.partition(":")
        if not mark or label not in ("scope", "applies_to") or label in self._labels:
            self._fault(number, "only one `scope: …` and one `applies_to: …` stand before the first task")
        elif label == "applies_to" and not ("cwd=" in value and "; reuse_rule=" in value):
            self._fault(number, "applies_to must read `cwd=<dir>; reuse_rule=<…>`")
        self._labels.setdefault(label, value.strip())

    def _open_task(self, task: int, title: str, number: int) -> None:
        self._end_task()
        if self._sections:
            self._fault(number, "tasks must stand before the sections of their block")
        if task != len(self._tasks) + 1:
            self._fault(number, f"task {task} must be number {len(self._tasks) + 1}")
        self._tasks.append(HandbookTask(number=task, title=title, line=number))

    def _task_line(self, row: str, number: int) -> None:
        if self._part == KEYWORDS:
            if self._keywords:
                self._fault(number, f"{KEYWORDS} must be one line, separated by commas")
            self._keywords += [word.strip() for word in _bare(row).split(",") if word.strip()]
        elif self._part == FILES and (found := _patterns()[1].match(row)):
            values = dict(_patterns()[2].findall(found[2] or ""))
            known = {key: values.get(key, "") for key in ("thread_id", "cwd", "rollout_path", "updated_at")}
            self._references.append(Reference(pointer=found[1], line=number, **known))
        else:
            self._fault(
                number, f"text that belongs to neither {FILES} (`- rollout_summaries/<file> (…)`) nor {KEYWORDS}"
            )

    def _end_task(self) -> None:
        if self._tasks and not self._sections:
            task = self._tasks[-1]
            if not self._references:
                self._fault(task.line, f"the task names no {FILES}")
            if not self._keywords:
                self._fault(task.line, f"the task has no {KEYWORDS}")
            self._tasks[-1] = HandbookTask(
                number=task.number,
                title=task.title,
                line=task.line,
                references=tuple(self._references),
                keywords=tuple(self._keywords),
            )
        self._references, self._keywords, self._part = [], [], ""

    def _open_section(self, name: str, number: int) -> None:
        if name not in SECTIONS:
            self._fault(number, f"`## {name[:60]}` is none of: {', '.join(SECTIONS)}")
        elif name in self._sections:
            self._fault(number, f"`## {name}` stands a second time in this block")
        elif any(SECTIONS.index(other) > SECTIONS.index(name) for other in self._sections if other in SECTIONS):
            self._fault(number, f"`## {name}` stands too late in this block")
        self._sections.append(name)

    def _fault(self, line: int, what: str) -> None:
        self.faults.append(HandbookFault(line, what))

    def block(self) -> Block:
        self._end_task()
        for label in ("scope", "applies_to"):
            if not self._labels.get(label):
                self._fault(self._line, f"the block has no `{label}: …`")
        if not self._tasks:
            self._fault(self._line, "the block has no `## Task 1: …`")
        return Block(
            name=self._name,
            line=self._line,
            scope=self._labels.get("scope", ""),
            applies_to=self._labels.get("applies_to", ""),
            tasks=tuple(self._tasks),
            lines=tuple(self._lines),
        )


def _bare(row: str) -> str:
    return row.strip().removeprefix("- ").strip()


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile(r"## Task ([0-9]{1,6}): (\S.*)"),
        re.compile(r"\s*- (rollout_summaries/\S+)(?: \((.*)\))?"),
        re.compile(r"(thread_id|cwd|rollout_path|updated_at)=(.*?)(?=, (?:thread_id|cwd|rollout_path|updated_at)=|$)"),
    )
