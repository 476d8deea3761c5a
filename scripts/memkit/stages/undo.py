"""Undo: takes a change of the memory back, and holds it back until it is released.

What came goes under tombstones whose source is `undo:<commit>`: of a line, or of a session whose record came. What
went comes back by itself once what replaced it is held; what has no support any more comes back as the user's line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memkit import match, tree
from memkit.config import Config
from memkit.documents import Malformed, erased, record, summary
from memkit.documents.identity import identity
from memkit.documents.summary import SummaryLine
from memkit.errors import UsageError
from memkit.model import Claim, Section, Tombstone
from memkit.repo import Commit, Repo, Trailer
from memkit.store import Store

_OWN = (Trailer.UNDO, Trailer.RELEASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Undone:
    """What was taken back of a commit. refused: what could not be, each line with its reason.

    wanted: lines that should be in the memory again; `keep` keeps those that a consolidation does not bring back.
    """

    commit: str
    held: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    wanted: tuple[SummaryLine, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    released: bool = False


@dataclass(frozen=True)
class _Changes:
    """What a commit changed: lines that came and went, sessions whose record came, and whose record became another."""

    came: tuple[SummaryLine, ...]
    went: tuple[SummaryLine, ...]
    sessions: tuple[str, ...]
    grown: tuple[str, ...]

    @property
    def any(self) -> bool:
        """Whether there is something to take back."""
        return bool(self.came or self.went or self.sessions)


def undo(*, store: Store, repo: Repo, config: Config, word: str | None, now: float) -> Undone:
    """Holds back what a commit changed; word None: the newest consolidation that is not held back yet.

    An undo, and the consolidation that it made, are taken back by release; a release by holding back again. UsageError
    when there is nothing to take back, NoSuchCommit when the word means no commit.
    """
    history = repo.history()
    target = _newest(history, store, repo=repo, config=config) if word is None else _meant(history, repo.resolve(word))
    if undone := target.named(Trailer.UNDO):
        return release(store=store, repo=repo, config=config, word=undone[-1], now=now)
    if released := target.named(Trailer.RELEASE):
        target = _meant(history, repo.resolve(released[-1]))
    if target.id == history[-1].id:
        raise UsageError("the first commit can't be taken back", mend="memkit reset starts over")
    source = f"undo:{target.id}"
    if target.id in _holds(history, store):
        raise UsageError(f"{target.id[:10]} is held back already", mend="memkit undo --release lets it come again")
    found = _changes(repo, target, config)
    if not found.any:
        raise UsageError(f"{target.id[:10]} changed nothing that can be taken back", mend="memkit history")
    here = {_key(line) for line in _now(repo, config)}
    held = [line for line in found.came if line.section is not Section.INDEX]
    stones = [_stone(line, source=source, now=now) for line in held]
    stones += [_of_session(each, source=source, now=now) for each in found.sessions]
    wanted, refused = _back(found.went, store=store, home=repo.home)
    refused += [(line.text, "a later change took it out already") for line in held if _key(line) not in here]
    refused += [(f"session {each}", "it went on, and its record stays as it is") for each in found.grown]
    gone = {(line.section, line.scope, line.text) for line in held}
    store.drop_claims([c for c in store.hand_claims() if (c.section, c.scope, c.text) in gone])
    store.bury(stones)
    return Undone(
        commit=target.id,
        held=tuple(line.text for line in held),
        sessions=found.sessions,
        wanted=tuple(wanted),
        refused=tuple(refused),
    )


def keep(*, store: Store, repo: Repo, config: Config, undone: Undone, now: float) -> int:
    """Keeps, as the user's, the lines that should be there again and that nothing supports any more; how many."""
    lines = [line for line in lacking(repo=repo, config=config, undone=undone) if line.section is not Section.INDEX]
    store.keep_claims(
        Claim(
            section=line.section, text=line.text, scope=line.scope, created_at=int(now), source=f"undo:{undone.commit}"
        )
        for line in lines
    )
    return len(lines)


def lacking(*, repo: Repo, config: Config, undone: Undone) -> list[SummaryLine]:
    """The lines that should be in the committed memory again and are not."""
    here = {_key(line) for line in _now(repo, config)}
    return [line for line in undone.wanted if _key(line) not in here]


def release(*, store: Store, repo: Repo, config: Config, word: str | None, now: float) -> Undone:
    """Lets a change that was held back come again; word None: the one that was held back last."""
    history = repo.history()
    held = _holds(history, store)
    if word is None and not held:
        raise UsageError("no change is held back", mend="memkit history")
    wanted = held[0] if word is None else repo.resolve(word)
    if wanted not in held:
        raise UsageError(f"{wanted[:10]} is not held back", mend="memkit history")
    source = f"undo:{wanted}"
    mine = [stone for stone in store.tombstones() if stone.source == source]
    store.unbury(mine)
    store.drop_claims([claim for claim in store.hand_claims() if claim.source == source])
    texts = {stone.text for stone in mine}
    commit = next((each for each in history if each.id == wanted), None)
    if commit is not None:
        _typed_again(_changes(repo, commit, config), commit=commit, texts=texts, store=store, now=now)
    sessions = tuple(stone.thread_id for stone in mine if stone.thread_id)
    return Undone(commit=wanted, held=tuple(sorted(texts - {""})), sessions=sessions, released=True)


def _typed_again(found: _Changes, *, commit: Commit, texts: set[str], store: Store, now: float) -> None:
    """What an edit by hand said and took out holds again: no session would bring that back."""
    edited = commit.by_hand or commit.foreign  # lines that were typed carry no mark yet
    store.keep_claims(
        Claim(section=line.section, text=line.text, scope=line.scope, created_at=int(now))
        for line in found.came
        if line.text in texts and (edited or line.mark in ("by hand", "ad-hoc note"))
    )
    if edited:
        store.bury([_stone(line, source="hand", now=now) for line in found.went])


def _holds(history: Sequence[Commit], store: Store) -> list[str]:
    """The commits that are held back, the one held back last first: the history tells it, and what is still buried."""
    last: dict[str, str] = {}
    for commit in history:
        for key, value in commit.trailers:
            if key in _OWN:
                last.setdefault(value, key)
    buried = [s.source for s in store.tombstones()] + [c.source for c in store.hand_claims()]
    also = [source.removeprefix("undo:") for source in reversed(buried) if source.startswith("undo:")]
    return list(dict.fromkeys([*(oid for oid, key in last.items() if key == Trailer.UNDO), *also]))


def _newest(history: Sequence[Commit], store: Store, *, repo: Repo, config: Config) -> Commit:
    """The newest consolidation that is not held back, and changed more than counts."""
    held = _holds(history, store)
    for commit in history:
        consolidated = commit.subject.startswith("memory: ") and " new, " in commit.subject
        own = any(key in _OWN for key, _ in commit.trailers)
        if consolidated and not own and commit.id not in held and _changes(repo, commit, config).any:
            return commit
    raise UsageError("there is no consolidation to take back", mend="memkit history")


def _meant(history: Sequence[Commit], oid: str) -> Commit:
    found = next((commit for commit in history if commit.id == oid), None)
    if found is None:
        raise UsageError(f"{oid[:10]} is no commit of the memory", mend="memkit history")
    return found


def _changes(repo: Repo, commit: Commit, config: Config) -> _Changes:
    files = repo.show_files(commit.id)
    before, after = (_lines(data) for data in files.get(_path(config), (None, None)))
    old, new = {_key(line) for line in before}, {_key(line) for line in after}
    folder = f"{tree.TREES[config.version]}/{tree.RECORDS}/"
    records = {path: sides for path, sides in files.items() if path.startswith(folder)}
    # A record's file is named by its title, too: one that only got another name is no new one.
    left = {_session(was) for was, _ in records.values() if was is not None} - {""}
    came = {_session(now) for _, now in records.values() if now is not None} - {""}
    return _Changes(
        came=tuple(line for line in after if _key(line) not in old),
        went=tuple(line for line in before if _key(line) not in new),
        sessions=tuple(sorted(came - left)),
        grown=tuple(sorted(came & left)),
    )


def _session(data: bytes) -> str:
    try:
        return record.parse(data.decode("utf-8", "replace")).thread_id
    except Malformed:
        return ""


def _back(went: Sequence[SummaryLine], *, store: Store, home: Path) -> tuple[list[SummaryLine], list[tuple[str, str]]]:
    """Lines that may come back, with the tombstones of hand edits taken away; and those that were forgotten."""
    wanted, refused = [], []
    purged = erased.load(home)
    for line in went:
        stones = [s for s in store.tombstones() if _names(s, line)]
        note = next((s for s in stones if s.source.startswith("note:")), None)
        if note is not None:
            refused.append((line.text, f"forgotten by the note {note.source.partition(':')[2]}"))
        elif erased.clean(line.text, purged) != line.text:
            refused.append(("a line", "it was erased for good"))
        else:
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


def _of_session(thread_id: str, *, source: str, now: float) -> Tombstone:
    return Tombstone(subject="", text="", created_at=int(now), source=source, thread_id=thread_id)


def _now(repo: Repo, config: Config) -> list[SummaryLine]:
    return _lines(repo.read_files([_path(config)]).get(_path(config)))


def _path(config: Config) -> str:
    return f"{tree.TREES[config.version]}/{tree.SUMMARY}"


def _lines(data: bytes | None) -> list[SummaryLine]:
    return list(summary.scan((data or b"").decode("utf-8", "replace")).lines)


def _key(line: SummaryLine) -> tuple[str, str, str]:
    return line.scope or "", *identity(line)
