"""Undo: takes a change of the memory back, and holds it back until it is released.

What came goes under tombstones whose source is `undo:<commit>`: of a line, or of a session whose record came. What
went comes back by itself once what replaced it is held; what has no support any more comes back as the user's line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memkit import match, tree
from memkit.config import Config
from memkit.documents import Malformed, record, summary
from memkit.documents.summary import SummaryLine
from memkit.errors import UsageError
from memkit.model import Claim, Section, Tombstone
from memkit.repo import Commit, Repo
from memkit.store import Store

UNDO, RELEASE = "Memkit-Undo", "Memkit-Release"


@dataclass(frozen=True, kw_only=True, slots=True)
class Undone:
    """What was taken back of a commit. refused: lines that stay gone, each with its reason.

    wanted: lines that should be in the memory again; `keep` keeps those that a consolidation does not bring back.
    """

    commit: str
    held: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    wanted: tuple[SummaryLine, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    released: bool = False


def undo(*, store: Store, repo: Repo, config: Config, word: str | None, now: float) -> Undone:
    """Holds back what a commit changed; word None: the newest consolidation that is not held back yet.

    An undo, and the commit that it made, are taken back by release. UsageError when there is nothing to take back,
    GitError when the word means no commit.
    """
    history = repo.history()
    target = _newest(history, store) if word is None else _meant(history, repo.resolve(word))
    if (undone := _undone_by(target, history)) is not None:
        return release(store=store, repo=repo, config=config, word=undone, now=now)
    source = f"undo:{target.id}"
    before, after, records = _changes(repo, target, config)
    came = [line for line in after if _key(line) not in {_key(old) for old in before}]
    went = [line for line in before if _key(line) not in {_key(new) for new in after}]
    if not (came or went or records):
        raise UsageError(f"{target.id[:10]} changed nothing that can be taken back", mend="memkit history")
    held = [line for line in came if line.section is not Section.INDEX]
    stones = [_stone(line, source=source, now=now) for line in held]
    stones += [Tombstone(subject="", text="", created_at=int(now), source=source, thread_id=each) for each in records]
    wanted, refused = _back(went, store)
    gone = {(line.section, line.scope, line.text) for line in held}
    store.drop_claims([c for c in store.hand_claims() if (c.section, c.scope, c.text) in gone])
    store.bury(stones)
    return Undone(
        commit=target.id,
        held=tuple(line.text for line in held),
        sessions=tuple(records),
        wanted=tuple(wanted),
        refused=tuple(refused),
    )


def keep(*, store: Store, repo: Repo, config: Config, undone: Undone, now: float) -> int:
    """Keeps, as the user's, the lines that should be there again and that nothing supports any more; how many."""
    here = {_key(line) for line in _lines(repo.read_files([_path(config)]).get(_path(config)))}
    lacking = [line for line in undone.wanted if line.section is not Section.INDEX and _key(line) not in here]
    store.keep_claims(
        Claim(
            section=line.section, text=line.text, scope=line.scope, created_at=int(now), source=f"undo:{undone.commit}"
        )
        for line in lacking
    )
    return len(lacking)


def release(*, store: Store, repo: Repo, config: Config, word: str | None, now: float) -> Undone:
    """Lets a change that was held back come again; word None: the one that was held back last."""
    holds = [stone for stone in store.tombstones() if stone.source.startswith("undo:")]
    claims = [claim for claim in store.hand_claims() if claim.source.startswith("undo:")]
    times = [(each.created_at, each.source) for each in holds] + [(each.created_at, each.source) for each in claims]
    newest = max(times, default=None)
    if word is None and newest is None:
        raise UsageError("no change is held back", mend="memkit history")
    wanted = repo.resolve(word) if word is not None else newest[1].partition(":")[2] if newest else ""
    source = f"undo:{wanted}"
    mine = [stone for stone in holds if stone.source == source]
    kept = [claim for claim in claims if claim.source == source]
    if not mine and not kept:
        raise UsageError(f"{wanted[:10]} is not held back", mend="memkit history")
    store.unbury(mine)
    store.drop_claims(kept)
    commit = next(each for each in repo.history() if each.id == wanted)
    edited = commit.author != "memkit"  # lines that were typed carry no mark yet
    by_hand = [line for line in _changes(repo, commit, config)[1] if edited or line.mark == "by hand"]
    texts = {stone.text for stone in mine}
    store.keep_claims(
        Claim(section=line.section, text=line.text, scope=line.scope, created_at=int(now))
        for line in by_hand
        if line.text in texts
    )
    sessions = tuple(stone.thread_id for stone in mine if stone.thread_id)
    return Undone(commit=wanted, held=tuple(sorted(texts - {""})), sessions=sessions, released=True)


def _newest(history: Sequence[Commit], store: Store) -> Commit:
    held = {s.source for s in store.tombstones()} | {c.source for c in store.hand_claims()}
    for commit in history:
        consolidated = commit.subject.startswith("memory: ") and " new, " in commit.subject
        if consolidated and _undone_by(commit, history) is None and f"undo:{commit.id}" not in held:
            return commit
    raise UsageError("there is no consolidation to take back", mend="memkit history")


def _meant(history: Sequence[Commit], oid: str) -> Commit:
    return next(commit for commit in history if commit.id == oid)


def _undone_by(commit: Commit, history: Sequence[Commit]) -> str | None:
    """The commit that this one takes back: it is an undo, or what the consolidation after an undo made of it."""
    at = history.index(commit)
    for each in history[at : at + 2]:
        for key, value in each.trailers:
            if key == UNDO:
                return value
    return None


def _changes(repo: Repo, commit: Commit, config: Config) -> tuple[list[SummaryLine], list[SummaryLine], list[str]]:
    """The summary's lines before and after a commit, and the sessions whose record came with it."""
    files = repo.show_files(commit.id)
    old, new = files.get(_path(config), (None, None))
    folder = f"{tree.TREES[config.version]}/{tree.RECORDS}/"
    came = [data for path, (was, data) in files.items() if path.startswith(folder) and was is None and data is not None]
    # A record's file is named by its title, too: one that only got another name is no new one.
    left = {_session(was) for path, (was, data) in files.items() if path.startswith(folder) and was and data is None}
    sessions = [found for data in came if (found := _session(data)) and found not in left]
    return _lines(old), _lines(new), sessions


def _session(data: bytes) -> str:
    try:
        return record.parse(data.decode("utf-8", "replace")).thread_id
    except Malformed:
        return ""


def _back(went: Sequence[SummaryLine], store: Store) -> tuple[list[SummaryLine], list[tuple[str, str]]]:
    """Lines that may come back, with the tombstones of hand edits taken away; and those that were forgotten."""
    wanted, refused = [], []
    for line in went:
        stones = [s for s in store.tombstones() if _names(s, line)]
        note = next((s for s in stones if s.source.startswith("note:")), None)
        if note is not None:
            refused.append((line.text, f"forgotten by the note {note.source.partition(':')[2]}"))
            continue
        store.unbury(stones)
        wanted.append(line)
    return wanted, refused


def _names(stone: Tombstone, line: SummaryLine) -> bool:
    if stone.source.startswith("session:"):
        return False  # a forgotten session is not read again by taking back what it changed
    if stone.thread_id:
        return stone.thread_id == line.thread_id
    return match.buries(stone, line.text, scope=line.scope)


def _stone(line: SummaryLine, *, source: str, now: float) -> Tombstone:
    return Tombstone(
        subject=match.subject(line.text),
        text=line.text,
        scope=line.scope,
        section=line.section,
        created_at=int(now),
        source=source,
    )


def _path(config: Config) -> str:
    return f"{tree.TREES[config.version]}/{tree.SUMMARY}"


def _lines(data: bytes | None) -> list[SummaryLine]:
    return list(summary.scan((data or b"").decode("utf-8", "replace")).lines)


def _key(line: SummaryLine) -> tuple[str, str, str]:
    return line.section.value, line.scope or "", line.thread_id or match.normalise(line.text)
