"""Commands of a session: what was run, how it ended, what its output says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from memkit import tokens
from memkit.engines.offline import titles
from memkit.engines.offline.programs import Use, exit_code, lined, listed, pattern, patterns, use_of
from memkit.model import Kind, Row

_RESULT_CHARS = 180
_COMMAND_BYTES = 300
_TOLD_LINES = 400  # of an output's end that are looked at


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that was run. at: its place among the rows; exit_code None when nothing tells how it ended."""

    at: int
    turn: int
    line: str
    use: Use
    exit_code: int | None
    output: str

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    @property
    def bad(self) -> bool:
        return self.exit_code not in (0, None)

    @property
    def result(self) -> str:
        """The output's line that says how it went, else the last one; "exit 0" when nothing was printed."""
        return telling_line(self.output, "results") or f"exit {self.exit_code}"

    @property
    def error(self) -> str:
        """The output's line that says why it failed, else the last one; with the failed test's name when one stands."""
        found = re.sub(r"^E\s+", "", telling_line(self.output, "errors")) or f"exit {self.exit_code}"
        test = _failed_test(self.output)
        return found if not test or test in found or found in test else f"{titles.clip(test, max_chars=100)}: {found}"


@dataclass(frozen=True, slots=True)
class Patched:
    """A patch that was applied. lines: by path, the lines that came (+) and went (-), to see what was put back."""

    at: int
    turn: int
    paths: tuple[str, ...]
    ok: bool
    lines: tuple[tuple[str, str], ...] = ()


@lru_cache(1_024)
def telling_line(output: str, key: str) -> str:
    """The line of an output that a list of patterns (results, errors) points to, cut to 180 characters.

    The best pattern counts first, within one pattern the last line: summaries stand at the end.
    """
    told = _told(output)
    if not told:
        return ""
    joined = "\n".join(told)
    for found in lined(key, joined):
        if (at := _last_line(found, told, joined)) is not None:
            more = f" {told[at + 1]}" if told[at].endswith(":") and at + 1 < len(told) else ""
            return titles.clip(told[at] + more, max_chars=_RESULT_CHARS)
    return titles.clip(told[-1], max_chars=_RESULT_CHARS)


def _last_line(found: re.Pattern[str], lines: Sequence[str], joined: str) -> int | None:
    """The last of some lines, given also as one text, that a pattern is found in."""
    matches = list(found.finditer(joined))
    if not any("\n" in match[0] for match in matches):
        lines_of = (joined.count("\n", 0, match.start()) for match in reversed(matches))
        return next((at for at in lines_of if found.search(lines[at])), None)
    return next((at for at in range(len(lines) - 1, -1, -1) if found.search(lines[at])), None)


@lru_cache(64)
def _told(output: str) -> Sequence[str]:
    """The last lines of an output that say something; "> tsc --noEmit" is a script runner repeating what it runs."""
    found, letters = list[str](), _letters()
    for line in reversed(output.splitlines()):
        row = " ".join(line.split())
        # Most lines begin with a letter or digit: then nothing needs to be searched.
        if row[:1].isalnum() or (not row.startswith("> ") and letters.search(row)):
            found.append(row)
            if len(found) == _TOLD_LINES:
                break
    return found[::-1]


@lru_cache(1_024)
def _failed_test(output: str) -> str:
    """The first line of an output that names a failed test, "" when none does."""
    if not lined("failed_test", output):
        return ""
    lines = [" ".join(line.split()) for line in output.splitlines()]
    joined = "\n".join(lines)
    wanted = [found for found in lined("failed_test", joined) if found.search(joined)]
    return next((line for line in lines if any(found.search(line) for found in wanted)), "") if wanted else ""


@cache
def _letters() -> re.Pattern[str]:
    return re.compile(r"[^\W_]")


def ran(rows: Sequence[Row]) -> list[Ran]:
    """The commands of a session in order, each with the output that its call id joins to it."""
    outputs = {row.call_id: row for row in rows if row.kind is Kind.OUTPUT and row.call_id}
    found = []
    for at, row in enumerate(rows):
        if row.kind is not Kind.COMMAND or not row.text.strip():
            continue
        output = outputs.get(row.call_id)
        text = output.text if output else ""
        code = exit_code(row.text, code=output.exit_code, output=text) if output else None
        found.append(Ran(at, row.turn, one_command(row.text), use_of(row.text), code, text))
    return found


def patched(rows: Sequence[Row]) -> list[Patched]:
    """The patches of a session in order; one whose output says that it failed is not ok."""
    codes = {row.call_id: row.exit_code for row in rows if row.kind is Kind.OUTPUT and row.call_id}
    found = []
    for at, row in enumerate(rows):
        if row.kind is Kind.PATCH:
            paths, lines = _patch(row.text, row.cwd)
            found.append(Patched(at, row.turn, paths, codes.get(row.call_id) in (0, None), lines))
    return found


def _patch(text: str, cwd: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    paths: list[str] = []
    lines: list[tuple[str, str]] = []
    for line in text.splitlines():
        if line.startswith("*** ") and (
            head := re.match(r"\*\*\* (?:(Add|Update) File|Delete File|Move to): (.+)$", line)
        ):
            paths.append(_relative(head[2].strip(), cwd))
            if head[1] != "Update":
                lines.append((paths[-1], line))  # a file that came or went is no change of lines that others undo
        elif paths and line[:1] in "+-" and line.strip("+-").strip():
            lines.append((paths[-1], line))
    return tuple(paths), tuple(lines)


def put_back(edits: Sequence[Patched]) -> set[str]:
    """Paths whose changes cancel out: every line that came went again, and the other way round."""
    touched = Counter(path for edit in edits for path in set(edit.paths))
    again = {path for path, times in touched.items() if times > 1}
    net: dict[str, Counter[str]] = {}
    for edit in edits:
        for path, line in edit.lines if again else ():
            if path in again:
                net.setdefault(path, Counter())[line[1:].strip()] += 1 if line[0] == "+" else -1
    return {path for path, lines in net.items() if not any(lines.values())}


def is_test(path: str) -> bool:
    """Is it the path of a test?"""
    return any(p.search(path) for p in patterns("tests"))


def _relative(path: str, cwd: str) -> str:
    return path.removeprefix(cwd.rstrip("/") + "/") if cwd else path


def one_command(text: str) -> str:
    """A command line on one line, without a leading `cd … &&`, cut to 300 bytes; a script shows its first line."""
    text = re.sub(r"\\\n\s*", " ", text.strip())
    text = re.sub(r"^cd\s+\S+\s*&&\s*", "", text)
    first, _, rest = text.partition("\n")
    line = f"{first} …" if rest.strip() else first
    return tokens.cut(" ".join(line.split()).replace("`", "'"), max_bytes=_COMMAND_BYTES)


def measures(run: Ran) -> bool:
    """Is the command's result a measurement?"""
    return any(p.search(run.line) for p in patterns("measures")) and pattern("measured").search(run.result) is not None


def mends(run: Ran) -> bool:
    """May a command that lies between a failure and its end have helped?"""
    return run.ok and run.use is Use.CHANGE and not listed(run.line, "keeping") and not measures(run)
