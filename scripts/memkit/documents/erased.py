"""Words that were erased for good: what names them in a text, and a text without them.

`Words` knows them and is used while they are erased; `Hashes` has only keyed hashes of them, and is what every path
that writes asks afterwards. Both clean with the same function.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Protocol

from memkit import match
from memkit.documents import places
from memkit.documents.hiding import hide
from memkit.errors import StorageError
from memkit.model import Record, Session

HASHES, KEY = places.HASHES, places.HASHES_KEY
GONE = "(forgotten)"


class Eraser(Protocol):
    """Says what of a text is erased. lines: what was asked already, and what was left of it; None where nothing was."""

    @property
    def lines(self) -> dict[str, str | None]: ...

    @property
    def empty(self) -> bool:
        """Is nothing erased? So it is in most homes."""

    def gone(self, sentence: str) -> bool:
        """Is the sentence as a whole what was erased, in its words or in others?"""

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the words themselves stand in a text, ascending."""


def clean(text: str, eraser: Eraser, *, prose: bool = True) -> str:
    """The text without what is erased: sentences that say it go, its words elsewhere read `(forgotten)`.

    prose=False leaves lines as they are but for the words (paths, YAML).
    """
    if eraser.empty:
        return text
    rest = _without_sentences(text, eraser) if prose else text
    out, at = "", 0
    for start, end in eraser.spans(rest):
        if start >= at:
            out, at = out + rest[at:start] + GONE, end
    return out + rest[at:]


def _without_sentences(text: str, eraser: Eraser) -> str:
    known, kept = eraser.lines, []
    for line in text.split("\n"):
        if line not in known:
            known[line] = _without(line, eraser)
        left = known[line]
        if left is not None:
            kept.append(left)
    return "\n".join(kept)


def _without(line: str, eraser: Eraser) -> str | None:
    said = False

    def gone(part: str) -> bool:
        nonlocal said
        each = [eraser.gone(sentence) for sentence in match.sentences(part.strip("- #"))]
        said = said or any(each)
        return any(each)

    left = hide(line, gone) if line.strip() else line
    # A line that says nothing of it stays to the byte.
    return line if not said else left or None


def clean_session(session: Session, eraser: Eraser) -> Session:
    """A session whose directory, branch and remote are without what is erased; its id and its file's path stay."""
    cwd, branch, remote = (clean(each, eraser, prose=False) for each in (session.cwd, session.branch, session.remote))
    return replace(session, cwd=cwd, branch=branch, remote=remote)


def clean_record(record: Record, eraser: Eraser) -> Record:
    """A record without what is erased; its session's id and its file's path stay."""
    slug = re.sub(r"[-_]", " ", record.slug)
    return replace(
        record,
        cwd=clean(record.cwd, eraser, prose=False),
        branch=clean(record.branch, eraser, prose=False),
        remote=clean(record.remote, eraser, prose=False),
        rollout_summary=clean(record.rollout_summary, eraser),
        raw_memory=clean(record.raw_memory, eraser),
        slug=record.slug if clean(slug, eraser) == slug else "",
    )


def tokens(text: str) -> list[tuple[str, int, int]]:
    """The normalised words of a text with their places; each Han or kana sign is a word."""
    return [(found.group().casefold(), found.start(), found.end()) for found in _token().finditer(text)]


@cache
def _token() -> re.Pattern[str]:
    return re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Words:
    """The words themselves. also: sentences that were found to say them. Never printed or kept."""

    text: str
    also: set[str] = field(default_factory=set)
    lines: dict[str, str | None] = field(default_factory=dict)

    def __repr__(self) -> str:
        return "Words(…)"  # a traceback must not show them

    @property
    def empty(self) -> bool:
        return False

    def gone(self, sentence: str) -> bool:
        if match.covers(self.text, sentence):
            self.also.add(sentence.strip())
            return True
        return False

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        found = [(m.start(), m.end()) for m in literal(self.text).finditer(text)]
        wanted = [word for word, _, _ in tokens(self.text)]
        there = tokens(text)
        size = len(wanted)
        found += [
            (there[at][1], there[at + size - 1][2])
            for at in range(len(there) - size + 1)
            if [word for word, _, _ in there[at : at + size]] == wanted
        ]
        yield from sorted(found)


def literal(text: str) -> re.Pattern[str]:
    """A pattern of the text whatever its case and white space; in names of files `-` and `_` stand for a space."""
    return re.compile(r"[\s_-]+".join(re.escape(word) for word in text.split()), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hashes:
    """Keyed hashes by how many words they are of; 0 for the subject of a whole sentence."""

    key: bytes = b""
    known: dict[int, frozenset[str]] = field(default_factory=dict)
    lines: dict[str, str | None] = field(default_factory=dict, repr=False)

    @property
    def empty(self) -> bool:
        return not self.known

    def gone(self, sentence: str) -> bool:
        subjects = self.known.get(0)
        if not subjects:
            return False
        subject = match.subject(sentence)
        return bool(subject) and hashed(subject.split(), self.key) in subjects

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        there = tokens(text) if any(self.known) else []
        found = [
            (there[at][1], there[at + size - 1][2])
            for size, wanted in self.known.items()
            if size
            for at in range(len(there) - size + 1)
            if hashed([word for word, _, _ in there[at : at + size]], self.key) in wanted
        ]
        yield from sorted(found)


def hashed(words: Sequence[str], key: bytes) -> str:
    """The keyed hash (HMAC-SHA-256, hex) of normalised words."""
    return hmac.new(key, "\0".join(words).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def entries(text: str, also: Iterable[str], key: bytes) -> set[tuple[int, str]]:
    """The (number of words, hash) pairs to keep of words that are erased; also: sentences that said them."""
    words = [word for word, _, _ in tokens(text)]
    subjects = {match.subject(each) for each in (text, *also)} - {""}
    return {(len(words), hashed(words, key)), *((0, hashed(each.split(), key)) for each in subjects)}


def load(home: Path) -> Hashes:
    """The hashes that a home keeps; empty where it has none. Raises StorageError when their key is gone."""
    rows = read(home / HASHES)
    if not rows:
        return Hashes()
    try:
        key = (home / KEY).read_bytes()
    except OSError as error:
        raise StorageError(
            f"{home / KEY} can't be read, so words that were erased would not be known again",
            mend=f"bring it back from a copy of the home, or remove {home / HASHES} to do without",
        ) from error
    sizes = {size for size, _ in rows}
    return Hashes(key, {size: frozenset(digest for n, digest in rows if n == size) for size in sorted(sizes)})


def read(path: Path) -> set[tuple[int, str]]:
    """The pairs of a file of hashes; lines that are none are left out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return set()
    found = set()
    for line in lines:
        try:
            row = json.loads(line)
            found.add((int(row["n"]), str(row["hash"])))
        except (ValueError, KeyError, TypeError):
            continue
    return found
