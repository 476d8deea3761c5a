"""A record: the file rollout_summaries/<name>.md, header lines and the stage-1 text (DESIGN.md, "Documents")."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from memkit import clock
from memkit.documents import Malformed, inline

Shape = Literal["offline", "other"]

LABELS = (
    "project",
    "outcome",
    "request",
    "correction",
    "preference (stated)",
    "decision",
    "verified",
    "failed",
    "changed",
    "reference",
    "open",
    "reported",
)
OUTCOMES = frozenset({"success", "partial", "failed", "unfinished"})

ELSEWHERE = "- project: "  # how the bullet of a task begins that ran elsewhere than its session

_FIELDS = ("thread_id", "updated_at", "rollout_path", "cwd")


class Bullet(NamedTuple):
    """`- <label>: <text>`. line: in the file, from 1."""

    label: str
    text: str
    line: int

    @property
    def quotes(self) -> tuple[str, ...]:
        """What is quoted in the text, outermost quotes only."""
        return inline.quotes(self.text)

    @property
    def verified(self) -> tuple[str, str]:
        """(command, result) of a verified bullet; the command is "" when the text does not begin with one."""
        command, rest = inline.leading_code(self.text)
        return command, _after_dash(rest)

    @property
    def failed(self) -> tuple[str, str, str]:
        """(command, error, what fixed it or "") of a failed bullet."""
        command, rest = inline.leading_code(self.text)
        error, mark, fix = _after_dash(rest).rpartition("; fixed by: ")
        return (command, error, fix) if mark else (command, fix, "")


class Task(NamedTuple):
    """`## Task N: <title>` and its bullets in order."""

    number: int
    title: str
    line: int
    bullets: tuple[Bullet, ...] = ()

    @property
    def outcome(self) -> str:
        """success, partial, failed, unfinished, or "" when the task has none."""
        return next((bullet.text for bullet in self.bullets if bullet.label == "outcome"), "")

    @property
    def project(self) -> str:
        """Where the task ran when that is not the session's directory, else ""."""
        return next((bullet.text for bullet in self.bullets if bullet.label == "project"), "")

    def labelled(self, *labels: str) -> tuple[Bullet, ...]:
        """The bullets that have one of the labels, in order."""
        return tuple(bullet for bullet in self.bullets if bullet.label in labels)


class Body(NamedTuple):
    """A stage-1 text as far as it can be read. shape `other`: text outside the grammar stands at the lines `strays`.

    The mark that a cut leaves (`tokens.cut_lines`) belongs to the grammar.
    """

    text: str
    title: str = ""
    tasks: tuple[Task, ...] = ()
    shape: Shape = "other"
    strays: tuple[int, ...] = ()


class RecordDoc(NamedTuple):
    """A rollout summary file. updated_at as written; git_branch "" when there is none; body_line is where it begins."""

    thread_id: str
    updated_at: str
    rollout_path: str
    cwd: str
    body: Body
    body_line: int
    git_branch: str = ""

    @property
    def time(self) -> float:
        """updated_at in Unix seconds."""
        return clock.parse(self.updated_at) or 0.0


class Header(NamedTuple):
    """The header of a rollout summary file, as RecordDoc has it; line: of the blank line that follows it, from 1."""

    thread_id: str
    updated_at: str
    rollout_path: str
    cwd: str
    git_branch: str
    line: int


def header(text: str) -> Header:
    """Reads the header alone; raises Malformed at its first line that is off."""
    lines = text.split("\n", len(_FIELDS) + 2)
    thread_id, updated_at, rollout_path, cwd = (_field(lines, at, name=name) for at, name in enumerate(_FIELDS))
    at = len(_FIELDS)
    branch = ""
    if lines[at : at + 1] and lines[at].startswith("git_branch:"):
        branch = _field(lines, at, name="git_branch")
        at += 1
    head = Header(thread_id, updated_at, rollout_path, cwd, branch, at + 1)
    _check(head)
    if lines[at : at + 1] != [""]:
        raise Malformed(at + 1, "a blank line must follow the header (thread_id, updated_at, rollout_path, cwd)")
    return head


def parse(text: str) -> RecordDoc:
    """Reads a whole file; raises Malformed at the first line of the header that is off, or when the end is missing."""
    head = header(text)
    lines = text.split("\n")
    if lines[-1] != "" or head.line == len(lines):
        raise Malformed(len(lines), "the file must end with a newline")
    if not lines[head.line].strip():
        raise Malformed(head.line + 1, "one blank line and then the text must follow the header")
    body = body_of("\n".join(lines[head.line : -1]), first_line=head.line + 1)
    return RecordDoc(
        thread_id=head.thread_id,
        updated_at=head.updated_at,
        rollout_path=head.rollout_path,
        cwd=head.cwd,
        git_branch=head.git_branch,
        body=body,
        body_line=head.line + 1,
    )


def body_of(text: str, *, first_line: int = 1) -> Body:
    """Reads a stage-1 text (as stored, without the file's header); first_line is the number of its first line."""
    reader = _Reader()
    for number, line in enumerate(text.split("\n"), first_line):
        if line.strip():
            reader.take(line.rstrip(), number)
    tasks = reader.tasks()
    whole = bool(reader.title and tasks) and not reader.strays
    shape: Shape = "offline" if whole else "other"
    return Body(text=text, title=reader.title, tasks=tasks, shape=shape, strays=tuple(reader.strays))


class _Reader:
    def __init__(self) -> None:
        self.title = ""
        self.strays: list[int] = []
        self._heads: list[tuple[int, str, int]] = []
        self._bullets: list[list[Bullet]] = []

    def take(self, line: str, number: int) -> None:
        task = _patterns()[0].fullmatch(line) if line.startswith("##") else None
        bullet = _patterns()[1].fullmatch(line) if line.startswith("- ") else None
        if task:
            if int(task[1]) != len(self._heads) + 1 or not self.title:
                self.strays.append(number)
            self._heads.append((int(task[1]), task[2], number))
            self._bullets.append([])
        elif bullet and self._bullets and _plausible(bullet[1], bullet[2]):
            self._bullets[-1].append(Bullet(label=bullet[1], text=bullet[2], line=number))
        elif line.startswith("# ") and not self.title and not self._heads:
            self.title = line[2:].strip()
        elif not (line.startswith("[… ") and line.endswith(" left out …]")):
            self.strays.append(number)

    def tasks(self) -> tuple[Task, ...]:
        pairs = zip(self._heads, self._bullets, strict=True)
        return tuple(
            Task(number=number, title=title, line=line, bullets=tuple(bullets))
            for (number, title, line), bullets in pairs
        )


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    labels = "|".join(re.escape(label) for label in LABELS)
    return re.compile(r"## Task ([0-9]{1,6}): (\S.*)"), re.compile(rf"- ({labels}): (.*\S)")


def _plausible(label: str, text: str) -> bool:
    return label != "outcome" or text in OUTCOMES


def _after_dash(text: str) -> str:
    return text.removeprefix("—").strip()


def _field(lines: list[str], at: int, *, name: str) -> str:
    line = lines[at] if at < len(lines) else ""
    if not line.startswith(f"{name}:"):
        raise Malformed(at + 1, f"the header's line {at + 1} must be `{name}: …`")
    return line[len(name) + 1 :].strip(" ")


def _check(head: Header) -> None:
    if not head.thread_id:
        raise Malformed(1, "thread_id is empty")
    if "T" not in head.updated_at or clock.parse(head.updated_at) is None:
        raise Malformed(2, "updated_at must be a time such as 2026-11-26T19:40:36+00:00")
