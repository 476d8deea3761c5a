"""Explain: what stands behind a claim: its scope, its sessions with dates and quotes, or what took it out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memkit import match, tree
from memkit.config import Config
from memkit.documents import record, summary
from memkit.documents.summary import SummaryLine
from memkit.model import Claim, Record, Section, Tombstone
from memkit.repo import Repo
from memkit.store import Store

_WISHES = ("preference (stated)", "correction", "request")


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A place where it was said or done. at: Unix seconds; label: of the record's bullet; path: the rollout file."""

    session: str
    at: int
    label: str
    quote: str
    path: str
    file: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Explained:
    """A line of the memory and its sources; notes: the notes or hand edits that say it, with their time."""

    line: SummaryLine
    sources: tuple[Source, ...] = ()
    notes: tuple[Claim, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """lines: what the memory says; gone: what took such a claim out; records: where only records speak of it."""

    lines: tuple[Explained, ...] = ()
    gone: tuple[Tombstone, ...] = ()
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
    gone = tuple(s for s in store.tombstones() if not s.thread_id and _speaks_of(text, s.text))
    told = {(source.session, _bare(source.quote)) for each in lines for source in each.sources}
    also = (source for each in records for source in _quotes(each, names, text=text, wishes=False))
    return Explanation(
        lines=lines, gone=gone, records=tuple(s for s in also if (s.session, _bare(s.quote)) not in told and not gone)
    )


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
