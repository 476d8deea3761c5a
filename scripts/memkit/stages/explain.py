"""Explain: what stands behind a claim: its scope, its sessions with dates and quotes, or what took it out."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memkit import match, tree
from memkit.config import Config
from memkit.documents import record, summary
from memkit.documents.summary import SummaryLine
from memkit.model import Claim, Record, Section, Tombstone
from memkit.repo import Repo
from memkit.store import Store

_MOST = 16 << 20  # bytes of a rollout file that are searched for a quote
_WORDS = 12  # of a quote, by which it is searched for
_WISHES = ("preference (stated)", "correction", "request")


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A place where it was said or done. at: Unix seconds; label: of the record's bullet; path: the rollout file.

    line: of that file, from 1, where the quote was found; 0 where it was not. there: the file still exists.
    """

    session: str
    at: int
    label: str
    quote: str
    path: str
    file: str
    line: int = 0
    there: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Explained:
    """A line of the memory and its sources; notes: the notes or hand edits that say it, with their time."""

    line: SummaryLine
    sources: tuple[Source, ...] = ()
    notes: tuple[Claim, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Left:
    """A line that a consolidation took out. commit: its id; at: Unix seconds; reason: as the commit names it."""

    text: str
    reason: str
    commit: str
    at: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """lines: what the memory says; gone: what keeps such a claim out; left: lines that went for another reason;
    records: where only records speak of it."""

    lines: tuple[Explained, ...] = ()
    gone: tuple[Tombstone, ...] = ()
    left: tuple[Left, ...] = ()
    records: tuple[Source, ...] = ()


def explain(*, store: Store, repo: Repo, config: Config, text: str) -> Explanation:
    """What the committed memory knows of a text, in other words and order too."""
    folder = tree.TREES[config.version]
    data = repo.read_files([f"{folder}/{tree.SUMMARY}"]).get(f"{folder}/{tree.SUMMARY}", b"")
    doc = summary.scan(data.decode("utf-8", "replace"))
    records = [each for each in store.records(config.version) if each.selected]
    names = tree.record_names(records)
    claims = store.hand_claims()
    lines = tuple(
        Explained(line=line, sources=tuple(_sources(line, records, names)), notes=_of_note(line, claims))
        for line in doc.lines
        if _speaks_of(text, line.text)
    )
    # A claim that was said again later than it was forgotten is there, and the tombstone says nothing of it any more.
    gone = tuple(
        s
        for s in store.tombstones()
        if not s.thread_id
        and _speaks_of(text, s.text)
        and not any(match.buries(s, each.line.text, scope=each.line.scope) for each in lines)
    )
    told = {(source.session, _bare(source.quote)) for each in lines for source in each.sources}
    also = (source for each in records for source in _quotes(each, names, text=text, wishes=False))
    return Explanation(
        lines=tuple(replace(each, sources=tuple(map(_found, each.sources))) for each in lines),
        gone=gone,
        left=() if lines or gone else tuple(_left(text, repo)),
        records=tuple(_found(s) for s in also if (s.session, _bare(s.quote)) not in told and not gone),
    )


def _left(text: str, repo: Repo) -> Iterator[Left]:
    """What the commits' lists of lines that went say of it, each line's last end first."""
    seen: set[str] = set()
    for commit in repo.history():
        for row in commit.body.splitlines():
            reason, _, line = row.removeprefix("- ").partition(": ")
            if row.startswith("- ") and line not in seen and _speaks_of(text, line):
                seen.add(line)
                yield Left(text=line, reason=reason, commit=commit.id, at=commit.time)


def _found(source: Source) -> Source:
    """With its place in the rollout file, as far as that can be told in one quick look."""
    there = os.path.exists(source.path)  # noqa: PTH110 - a path may be no name at all
    if not there or source.path.endswith(".zst"):
        return replace(source, there=there)
    try:
        with Path(source.path).open("rb") as file:
            data = file.read(_MOST)
    except OSError:
        return source  # it is there, but not ours to read
    words = re.findall(r"\w+", source.quote)[:_WORDS]
    for plain in (True, False):  # as JSON is written, with or without letters beyond ASCII
        forms = [json.dumps(word, ensure_ascii=plain)[1:-1].encode("utf-8", "surrogatepass") for word in words]
        # Signs between words may have become others in the record, and line breaks spaces.
        if words and (hit := re.search(rb'(?:\\[nrt"]|\W){1,12}'.join(map(re.escape, forms)), data)):
            return replace(source, line=data.count(b"\n", 0, hit.start()) + 1)
    return source


def _speaks_of(request: str, text: str) -> bool:
    return any(match.covers(request, sentence) for sentence in match.sentences(text))


def _bare(quote: str) -> str:
    return match.normalise(quote.strip("\"' "))


def _sources(line: SummaryLine, records: Sequence[Record], names: Mapping[str, str]) -> Iterator[Source]:
    """An index line comes from its session, any other from whoever said the same."""
    if line.section is Section.INDEX:
        for each in records:
            if each.session_id == line.thread_id:
                yield _source(each, names, "record", line.text)
        return
    for each in records:
        # A wish stands in its task's request and by itself: the latter tells more of what it is.
        found = {
            _bare(s.quote): s for s in _quotes(each, names, text=line.text, wishes=line.section is not Section.TIPS)
        }
        yield from found.values()


def _quotes(each: Record, names: Mapping[str, str], *, text: str, wishes: bool) -> Iterator[Source]:
    for task in record.body_of(each.rollout_summary).tasks:
        for bullet in task.bullets:
            if wishes and bullet.label not in _WISHES:
                continue
            for quote in bullet.quotes if wishes and bullet.quotes else (bullet.text,):
                said = [
                    s for s in match.sentences(quote) if match.same(text, s) or (not wishes and _speaks_of(text, s))
                ]
                if said:
                    yield _source(each, names, bullet.label, " ".join(said))


def _source(each: Record, names: Mapping[str, str], label: str, quote: str) -> Source:
    file = f"{tree.RECORDS}/{names[each.session_id]}"
    return Source(session=each.session_id, at=each.updated_at, label=label, quote=quote, path=each.path, file=file)


def _of_note(line: SummaryLine, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    return tuple(c for c in claims if c.scope == line.scope and match.normalise(c.text) == match.normalise(line.text))
