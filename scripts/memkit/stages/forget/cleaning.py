"""One thing of the home at a time without the erased words: a file, a name, a row, a message."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from memkit.documents import erased, note, rules
from memkit.documents.erased import Words
from memkit.errors import ConfigError, StorageError
from memkit.model import canonical

Names = Mapping[str, str]  # stems of files that are named anew, old to new
_PROSE = ("rollout_summary", "raw_memory", "text", "subject")


def content(path: bytes, data: bytes, words: Words, names: Names) -> bytes:
    """A file's content without the words, by what kind of file its path says it is."""
    text = _renamed(data.decode("utf-8", "surrogateescape"), names)
    if path.endswith(b".jsonl"):
        text = "".join(line for line in text.splitlines(keepends=True) if not _row_says(line, words))
    else:
        text = _ruled(text, words) if path == rules.FILE.encode() else text
        text = erased.clean(text, words, prose=path.endswith(b".md"))
    return text.encode("utf-8", "surrogateescape")


def _ruled(text: str, words: Words) -> str:
    """A file of rules without those that say the words; one that can't be read as such stays, to be cleaned as text."""
    try:
        return rules.cleaned(text, lambda each: erased.clean(each, words).strip(), path=Path(rules.FILE))
    except ConfigError:
        return text


def row(words: Words, names: Names) -> Callable[[str, str], str]:
    """What gives a column of the database and its text back without the words."""

    def change(column: str, text: str) -> str:
        text = _renamed(text, names)
        if column == "path" and os.path.exists(text):  # noqa: PTH110 - never raises
            return text  # the next scan would take it down again
        if column == "slug":
            spaced = re.sub(r"[-_]", " ", text)
            return text if erased.clean(spaced, words) == spaced else ""
        return erased.clean(text, words, prose=column in _PROSE)

    return change


def message(data: bytes, words: Words, names: Names) -> bytes:
    """A commit's or tag's message without the words; its first line stays a line."""
    subject, line_end, rest = data.decode("utf-8", "surrogateescape").partition("\n")
    cleaned = erased.clean(subject, words, prose=False) + line_end + erased.clean(_renamed(rest, names), words)
    return cleaned.encode("utf-8", "surrogateescape")


def log(path: Path, words: Words) -> tuple[bool, str]:
    """Whether a log file holds the words, and its text without them. Raises StorageError."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise StorageError(f"{path} can't be read: {error.strerror}") from error
    cleaned = erased.clean(text, words)
    return cleaned != text, cleaned


def logs(home: Path) -> Sequence[Path]:
    """The log files of a home, rotated ones too."""
    return sorted(p for p in (home / "log").glob("*") if p.is_file() and not p.is_symlink())


def is_note(path: bytes) -> bool:
    """Whether a path from the home is a note's."""
    return f"/{note.FOLDER}/".encode() in path


def says(data: bytes, words: Words) -> bool:
    """Whether a text holds the words or says the same."""
    text = data.decode("utf-8", "replace")
    return erased.clean(text, words) != text


def stem(path: bytes) -> str:
    """`2026-11-20T09-00-00-Hnw4-raise_the_limit` of a path."""
    return os.fsdecode(path).rpartition("/")[2].removesuffix(".md")


def stamp(name: str) -> int:
    """Where the words of a stem begin: behind its time and hash."""
    found = re.match(r"\d{4}-?\d\d-?\d\dT?[\d-]*Z?(?:-[0-9A-Za-z]{4}(?=-|$))?", name)
    return found.end() if found else 0


def renamed(path: bytes, words: Words) -> bytes:
    """A path without the words: a name of time and words keeps its time."""
    folder, slash, name = os.fsdecode(path).rpartition("/")
    base, dot, ending = name.rpartition(".")
    at = stamp(base)
    spaced = re.sub(r"[-_]", " ", base[at:]).strip()
    if dot and at and spaced and erased.clean(spaced, words) != spaced:
        name = f"{base[:at].rstrip('-')}.{ending}"
    else:
        name = _plain(name, words)
    return os.fsencode(_plain(folder, words) + slash + name)


def _plain(name: str, words: Words) -> str:
    return erased.clean(name, words, prose=False).replace(erased.GONE, "forgotten")


def _renamed(text: str, names: Names) -> str:
    for old, new in names.items():
        if old in text:
            text = re.sub(rf"{re.escape(old)}(?![\w-])", new, text)
    return text


def _row_says(line: str, words: Words) -> bool:
    try:
        row = json.loads(line)
    except ValueError:
        return erased.clean(line, words) != line
    values = [v for v in row.values() if isinstance(v, str)] if isinstance(row, dict) else [canonical(row)]
    return any(erased.clean(value, words) != value for value in values)
