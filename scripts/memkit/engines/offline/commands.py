"""Commands of a session: what was run, how it ended, what its output says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import cast

from memkit import tokens
from memkit.engines.offline import titles
from memkit.model import Kind, Row

_RESULT_CHARS = 180
_COMMAND_BYTES = 300
_ALIKE = 0.5  # of all words of both command lines, or
_COVERED = 0.75  # of the words of the one that failed ("uv run pytest tests/x", then "docker run api pytest tests/x")


class Use(StrEnum):
    """What a command is for."""

    EXPLORE = "explore"
    VERIFY = "verify"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that was run. at: its place among the rows; exit_code None when the output does not tell."""

    at: int
    turn: int
    line: str
    use: Use
    exit_code: int | None
    output: str
    ended: bool

    @property
    def ok(self) -> bool:
        return self.ended and self.exit_code in (0, None)

    @property
    def bad(self) -> bool:
        return self.exit_code not in (0, None)

    @property
    def result(self) -> str:
        """The output's line that says how it went, else the last one; "exit 0" when nothing was printed."""
        found = telling_line(self.output, "results")
        return found or (f"exit {self.exit_code}" if self.exit_code is not None else "no output")

    @property
    def error(self) -> str:
        """The output's line that says why it failed, else the last one."""
        found = telling_line(self.output, "errors")
        return found or f"exit {self.exit_code}"


@dataclass(frozen=True, slots=True)
class Patched:
    """A patch that was applied: the paths that it touched."""

    at: int
    turn: int
    paths: tuple[str, ...]
    ok: bool


@cache
def _data() -> dict[str, list[str]]:
    text = (files("memkit.engines.offline") / "data" / "commands.toml").read_text(encoding="utf-8")
    return cast("dict[str, list[str]]", tomllib.loads(text))


@cache
def _telling(key: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(p) for p in _data()[key])


def telling_line(output: str, key: str) -> str:
    """The line of an output that a list of patterns (results, errors) points to, cut to 180 characters.

    The best pattern counts first, within one pattern the last line: summaries stand at the end.
    """
    lines = [" ".join(line.split()) for line in output.splitlines()]
    # "> tsc --noEmit" is a script runner repeating what it runs.
    lines = [line for line in lines if any(c.isalnum() for c in line) and not line.startswith("> ")][-400:]
    for found in _telling(key):
        for at in range(len(lines) - 1, -1, -1):
            if found.search(lines[at]):
                more = f" {lines[at + 1]}" if lines[at].endswith(":") and at + 1 < len(lines) else ""
                return titles.clip(lines[at] + more, max_chars=_RESULT_CHARS)
    return titles.clip(lines[-1], max_chars=_RESULT_CHARS) if lines else ""


def ran(rows: Sequence[Row]) -> list[Ran]:
    """The commands of a session in order, each with the output that its call id joins to it."""
    outputs = {row.call_id: row for row in rows if row.kind is Kind.OUTPUT and row.call_id}
    found = []
    for at, row in enumerate(rows):
        if row.kind is not Kind.COMMAND or not row.text.strip():
            continue
        output = outputs.get(row.call_id)
        code, text = (output.exit_code, output.text) if output else (None, "")
        found.append(Ran(at, row.turn, one_command(row.text), use_of(row.text), code, text, output is not None))
    return found


def patched(rows: Sequence[Row]) -> list[Patched]:
    """The patches of a session in order; one whose output says that it failed is not ok."""
    codes = {row.call_id: row.exit_code for row in rows if row.kind is Kind.OUTPUT and row.call_id}
    found = []
    for at, row in enumerate(rows):
        if row.kind is Kind.PATCH:
            paths = tuple(
                _relative(p.strip(), row.cwd)
                for p in re.findall(r"(?m)^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$", row.text)
            )
            found.append(Patched(at, row.turn, paths, codes.get(row.call_id) in (0, None)))
    return found


def _relative(path: str, cwd: str) -> str:
    return path.removeprefix(cwd.rstrip("/") + "/") if cwd else path


def one_command(text: str) -> str:
    """A command line on one line, without a leading `cd … &&`, cut to 300 bytes; a script shows its first line."""
    text = re.sub(r"\\\n\s*", " ", text.strip())
    text = re.sub(r"^cd\s+\S+\s*&&\s*", "", text)
    first, _, rest = text.partition("\n")
    line = f"{first} …" if rest.strip() else first
    return tokens.cut(" ".join(line.split()).replace("`", "'"), max_bytes=_COMMAND_BYTES)


def words_of(segment: str) -> list[str]:
    """The words of one simple command, without variables before it and wrappers such as sudo or timeout."""
    words = segment.split()
    while words:
        if re.match(r"\w+=", words[0]) or words[0] in ("sudo", "time", "nohup", "exec", "command", "env"):
            words = words[1:]
        elif words[0] in ("timeout", "nice") and len(words) > 1:
            words = words[2:]
        else:
            break
    return words


def segments(line: str) -> list[list[str]]:
    """The simple commands of a command line, each as words; what stands in quotes is not looked into."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "Q", line)
    return [words for part in re.split(r"&&|\|\|?|;|\n", bare) if (words := words_of(part))]


def use_of(line: str) -> Use:
    """Does a command look around, verify, or change something?"""
    parts = segments(line)
    explore, verify = set(_data()["explore"]), set(_data()["verify"])
    acting = [w for w in parts if not ({" ".join(w[:n]) for n in (1, 2, 3)} & explore)]
    if not acting:
        return Use.EXPLORE
    for words in acting:
        names = {re.sub(r"^.*/", "", w) for w in words if not w.startswith("-")}
        pieces = {piece for name in names for piece in re.split(r"[:._/-]", name)} | names
        if (
            pieces & verify
            and words[0] not in ("git", "mkdir", "rm", "cp", "mv", "touch", "apt-get", "apt", "brew", "pip")
            and "install" not in names
            and "add" not in names
        ):
            return Use.VERIFY
    return Use.CHANGE


def alike(a: str, b: str) -> bool:
    """Are two command lines the same attempt: equal, or sharing the program and most of their words?"""
    if a == b:
        return True
    failed, tried = ({w for words in segments(line) for w in words if not w.startswith("-")} for line in (a, b))
    common = failed & tried
    same_words = len(common) / len(failed | tried) >= _ALIKE if common else False
    return same_words or (len(failed) >= 3 and len(common) / len(failed) >= _COVERED)
