"""What an erasing would change, before anything is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memkit.documents import erased
from memkit.documents.erased import Words
from memkit.errors import UsageError
from memkit.repo import Repo, purge
from memkit.stages.forget import cleaning, own
from memkit.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What an erasing would change. lines: `file:line: text` of the files as they are; rows of the database; contents
    and messages of the history; names: stems of files that are named anew."""

    words: Words = field(repr=False)
    lines: tuple[str, ...] = ()
    rows: int = 0
    versions: int = 0
    messages: int = 0
    logs: int = 0
    changes: purge.Changes = field(repr=False)
    names: Mapping[str, str] = field(repr=False)

    @property
    def empty(self) -> bool:
        return not (self.lines or self.rows or self.versions or self.messages or self.logs or any(self.changes))


def wanted(text: str) -> Words:
    """The words to erase. UsageError where there is nothing to tell them by."""
    words = " ".join(text.split())
    if not erased.tokens(words):
        raise UsageError("there are no words to erase", mend='memkit forget --purge "…"')
    if erased.literal(words).search(erased.GONE):
        raise UsageError("that is what memkit writes in place of erased words", mend="name more of the words")
    return Words(words)


def plan(*, store: Store, repo: Repo, words: Words) -> Plan:
    """Looks through files, database, log and history; changes nothing. For the holder of the consolidation lock.

    Raises UsageError for words that memkit's own files are made of.
    """
    places = purge.paths(repo.door)
    every = sorted({path for each in places.values() for path in each})
    own.refuse(words, store=store, repo=repo, paths=every)
    found = [each for each in purge.objects(repo.door) if each.kind in ("blob", "commit", "tag")]
    blobs = {each.oid: each.data for each in found if each.kind == "blob" and each.oid in places}
    removed = {
        p for oid, data in blobs.items() for p in places[oid] if cleaning.is_note(p) and cleaning.says(data, words)
    }
    paths, names = _names(every, removed=removed, words=words)
    changed = {}
    for oid, data in blobs.items():
        new = cleaning.content(min(places[oid]), data, words, names)
        if new != data:
            changed[oid] = new
    messages = {}
    for each in found:
        if each.kind in ("commit", "tag"):
            message = each.data.partition(b"\n\n")[2]
            if (cleaned := cleaning.message(message, words, names)) != message:
                messages[message] = cleaned
    return Plan(
        words=words,
        names=names,
        changes=purge.Changes(changed, paths, messages),
        lines=tuple(_lines(repo, words)),
        rows=store.erase(cleaning.row(words, names), dry=True),
        versions=len(changed),
        messages=len(messages),
        logs=sum(cleaning.log(path, words)[0] for path in cleaning.logs(repo.home)),
    )


def _names(
    every: Iterable[bytes], *, removed: set[bytes], words: Words
) -> tuple[dict[bytes, bytes | None], dict[str, str]]:
    """New path by path (None for a note that goes), and new stem by stem."""
    paths: dict[bytes, bytes | None] = {}
    names: dict[str, str] = {}
    for path in every:
        old = cleaning.stem(path)
        new = cleaning.renamed(path, words)
        if path in removed:
            paths[path] = None
            names[old] = old[: cleaning.stamp(old)].rstrip("-")
        elif new != path:
            paths[path] = new
            names[old] = cleaning.stem(new)
    return paths, {old: new for old, new in names.items() if old != new}


def _lines(repo: Repo, words: Words) -> Iterable[str]:
    for path, data in repo.read_files("").items():
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if cleaning.content(os.fsencode(path), line.encode(), words, {}) != line.encode():
                yield f"{path}:{number}: {line.strip()}"
