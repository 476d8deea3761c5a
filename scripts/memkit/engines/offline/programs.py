"""What a command line is for and how it ended, by the program that it names (data/commands.toml)."""

from __future__ import annotations

import re
import tomllib
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files
from typing import cast

_ALIKE = 0.5  # of all words of both command lines, or
_COVERED = 0.75  # of the words of the one that failed ("uv run pytest tests/x", then "docker run api pytest tests/x")
_NEVER_CHECKS = ("git", "mkdir", "rm", "cp", "mv", "touch", "apt-get", "apt", "brew", "pip")


class Use(StrEnum):
    """What a command is for."""

    EXPLORE = "explore"
    VERIFY = "verify"
    CHANGE = "change"


@cache
def _data() -> dict[str, list[str]]:
    text = (files("memkit.engines.offline") / "data" / "commands.toml").read_text(encoding="utf-8")
    return cast("dict[str, list[str]]", tomllib.loads(text))


@cache
def patterns(key: str) -> tuple[re.Pattern[str], ...]:
    """A list's regular expressions, in their order."""
    return tuple(re.compile(p, re.IGNORECASE if key == "looks" else 0) for p in _data()[key])


@cache
def _lined(key: str) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    rows = cast("list[list[str]]", _data()[key])
    return tuple((re.compile(row[0], re.MULTILINE), tuple(row[1:])) for row in rows)


def lined(key: str, text: str) -> list[re.Pattern[str]]:
    """A list's regular expressions for texts of several lines, in their order, of which the text may hold a match."""
    folded = text.lower()
    return [found for found, words in _lined(key) if any(map(folded.__contains__, words))]


@cache
def pattern(key: str) -> re.Pattern[str]:
    """The one regular expression that stands under a key."""
    return re.compile(str(_data()[key]))


@cache
def _names(*keys: str) -> frozenset[str]:
    return frozenset(name for key in keys for name in _data()[key])


@cache
def _same() -> dict[str, str]:
    groups = cast("list[list[str]]", _data()["same"])
    return {word: group[0] for group in groups for word in group}


def owners(line: str) -> set[str]:
    """The words of a command line, and the programs that its runners belong to."""
    words = {w for part in segments(line) for w in part}
    return words | {owner for runner, owner in cast("list[list[str]]", _data()["belongs"]) if runner in words}


def words_of(segment: str) -> list[str]:
    """The words of one simple command, without variables before it and wrappers such as sudo or timeout."""
    words = segment.split()
    while words:
        name, assigned, _ = words[0].partition("=")
        if (assigned and name.isidentifier()) or words[0] in ("sudo", "time", "nohup", "exec", "command", "env"):
            words = words[1:]
        elif words[0] in ("timeout", "nice") and len(words) > 1:
            words = words[2:]
        else:
            break
    return words


def _bare(line: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"]*\"", "Q", line) if "'" in line or '"' in line else line


@lru_cache(1_024)
def segments(line: str) -> tuple[list[str], ...]:
    """The simple commands of a command line, each as words; what stands in quotes is not looked into."""
    return tuple(words for part in re.split(r"&&|\|\|?|;|\n", _bare(line)) if (words := words_of(part)))


def _among(words: list[str], names: frozenset[str]) -> bool:
    return words[0] in names or " ".join(words[:2]) in names or " ".join(words[:3]) in names


@lru_cache(1_024)
def listed(line: str, key: str) -> bool:
    """Are all simple commands of a line in a list, or mere looking around beside some that are?"""
    names, either = _names(key), _names(key, "explore")
    parts = segments(line)
    return any(_among(w, names) for w in parts) and all(_among(w, either) for w in parts)


@lru_cache(1_024)
def use_of(line: str) -> Use:
    """Does a command look around, verify, or change something?"""
    if any(p.search(line) for p in patterns("measures")):
        return Use.VERIFY
    if any(p.search(line) for p in patterns("looks")):
        return Use.EXPLORE
    explore, verify = _names("explore"), _names("verify")
    acting = [w for w in segments(line) if not _among(w, explore)]
    if not acting:
        return Use.EXPLORE
    for words in acting:
        names = {re.sub(r"^.*/", "", w) for w in words if not w.startswith("-")}
        pieces = {piece for name in names for piece in re.split(r"[:._/-]", name)} | names
        if pieces & verify and words[0] not in _NEVER_CHECKS and not {"install", "add"} & names:
            return Use.VERIFY
    return Use.CHANGE


def exit_code(line: str, *, code: int | None, output: str) -> int | None:
    """How the command that counts ended: where the code is that of a filter behind it, the output has to say it."""
    if code is None or not _masked(line):
        return code
    rows = [" ".join(row.split()) for row in output.splitlines() if row.strip()][-400:]
    said = next((found for row in reversed(rows) if (found := pattern("exit_said").search(row))), None)
    if said:
        return int(said[1])
    if any(p.search(row) for p in patterns("failing") for row in rows):
        return 1
    return 0 if any(p.search(row) for p in patterns("passing") for row in rows) else None


@lru_cache(1_024)
def _masked(line: str) -> bool:
    """Does the exit code belong to something that only looks: `pytest | tail`, `make || true`, `make; echo $?`?"""
    bare = _bare(line).strip()
    if bare.endswith("&") and not bare.endswith("&&"):
        return True
    pieces = re.split(r"(&&|\|\|?|;|\n)", bare)
    ends = [
        (mark, words) for mark, part in zip(["", *pieces[1::2]], pieces[::2], strict=True) if (words := words_of(part))
    ]
    if len(ends) < 2 or use_of(line) is Use.EXPLORE:
        return False
    mark, words = ends[-1]
    weak = mark in ("||", ";", "\n") or (mark == "|" and "pipefail" not in bare)
    return weak and (words[0] == ":" or _among(words, _names("explore")))


@lru_cache(4_096)
def _meaning(line: str) -> frozenset[str]:
    """The words that two attempts are compared by: every failed command of a session asks for those of all later."""
    return frozenset(_same().get(w, w) for words in segments(line) for w in words if not w.startswith("-"))


@lru_cache(16_384)
def alike(failed: str, tried: str) -> bool:
    """Are two command lines the same attempt: equal, or sharing the program and most of their words?"""
    if failed == tried:
        return True
    ours, theirs = _meaning(failed), _meaning(tried)
    common = ours & theirs
    return bool(common) and (
        len(common) / len(ours | theirs) >= _ALIKE or (len(ours) >= 3 and len(common) / len(ours) >= _COVERED)
    )
