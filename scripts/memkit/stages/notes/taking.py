"""Notes to claims and tombstones, by the run that comes next.

Once taken, a note lives as those, with the note as their source: `note:<id>` of what it says, `correct:<id>` of what a
correction took out. A note that an edit by hand became was taken when it was made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memkit import match, prompts, tokens, tree
from memkit.config import Config
from memkit.documents import note, summary
from memkit.documents.summary import SummaryLine
from memkit.model import Claim, Note, Section, Tombstone
from memkit.repo import Repo
from memkit.stages.notes import writing
from memkit.store import Store

_NEAR = 1 / 3  # of the words that a correction shares with what it corrects, where no contradiction is plain
_LINE_BYTES = 600  # of a note's line in the summary; the note itself keeps the rest


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """ids: the notes taken. corrected: for each correction its id and the line that it corrects, as it stood."""

    ids: tuple[str, ...] = ()
    corrected: tuple[tuple[str, str], ...] = ()


def take_notes(*, store: Store, repo: Repo, config: Config) -> Taken:
    """Turns the notes that no run has taken yet into claims and tombstones. For the holder of the lock.

    A claim that a later note took out again is not taken once more: its tombstone says so, in a rebuilt database too.
    """
    root = repo.home / tree.TREES[config.version]
    files = tree.read_tree(root, only=(note.FOLDER, tree.SUMMARY)).files
    found = writing.read(files)
    if not found:
        return Taken()
    taker = _Taker(store, files, found)
    taken = [each for each in found if not each.by_hand and taker.take(each)]
    return Taken(
        ids=tuple(each.id for each in taken),
        corrected=tuple(taker.corrected),
    )


def message(taken: Taken) -> str:
    """Of the commit that takes notes in: and which lines they correct."""
    number = len(taken.ids)
    parts = [f"memory: {number} note{'s' if number != 1 else ''} taken"]
    if taken.corrected:
        parts.append("\n".join(f"- {note_id} corrects: {line.removeprefix('- ')}" for note_id, line in taken.corrected))
    return "\n\n".join(parts) + "\n"


class _Taker:
    def __init__(self, store: Store, files: Mapping[str, bytes], found: Sequence[Note]) -> None:
        self._store = store
        self._orders = {each.id: each.order for each in found}
        self._lines = summary.scan(files.get(tree.SUMMARY, b"").decode("utf-8", "replace")).lines
        self._claims = store.hand_claims()
        self._stones = store.tombstones()
        self.corrected: list[tuple[str, str]] = []

    def take(self, each: Note) -> bool:
        """Takes one note; False when that was done, or when something later took it out."""
        if self._known(each):
            return False
        if each.kind == "forget":
            self._forget(each)
        else:
            if any(self._later(s, each) and self._buries(s, each) for s in self._stones):
                return False
            self._remember(each)
        self._claims, self._stones = self._store.hand_claims(), self._store.tombstones()
        return True

    def _known(self, each: Note) -> bool:
        mine = f"note:{each.id}"
        if mine in {claim.source for claim in self._claims} | {stone.source for stone in self._stones}:
            return True
        if each.kind == "forget":
            return any(s.text == each.text and s.scope == each.project and self._later(s, each) for s in self._stones)
        again = [c for c in self._claims if c.text == text_of(each) and c.created_at >= each.created_at]
        return any(c.scope == each.project or each.kind == "correct" for c in again)

    def _buries(self, stone: Tombstone, each: Note) -> bool:
        # Which scope a correction will have, what it corrects tells.
        return match.buries(stone, each.text, scope=stone.scope if each.kind == "correct" else each.project)

    def _order(self, row: Claim | Tombstone) -> float | None:
        """When a note said it, to the fraction that tells those of one second apart; None for what no note said."""
        kind, _, note_id = row.source.partition(":")
        return self._orders.get(note_id) if kind in ("note", "correct", "hand") else None

    def _later(self, row: Claim | Tombstone, each: Note) -> bool:
        order = self._order(row)
        return row.created_at >= each.created_at if order is None else order > each.order

    def _after(self, row: Claim, each: Note) -> bool:
        order = self._order(row)
        return row.created_at > each.created_at if order is None else order > each.order

    def _forget(self, each: Note) -> None:
        named = [
            c
            for c in self._claims
            if not self._after(c, each) and in_scope(each, c.scope) and match.covers(each.text, c.text)
        ]
        self._store.drop_claims(named)
        self._store.bury([stone(each.text, scope=each.project, created=each.created_at, source=f"note:{each.id}")])

    def _remember(self, each: Note) -> None:
        scope, section = each.project, _section(each.text)
        # Only a correction takes something out: what reads as a contradiction may be another rule of the same form.
        old = self._corrected(each) if each.kind == "correct" else []
        if old:
            scope, section = old[0].scope, old[0].section
        keys = {(line.section, line.scope, line.text) for line in old}
        self._store.drop_claims([c for c in self._claims if (c.section, c.scope, c.text) in keys])
        self._store.bury(
            stone(line.text, scope=line.scope, created=each.created_at, source=f"correct:{each.id}") for line in old
        )
        self.corrected += [(each.id, str(line)) for line in old]
        self._store.keep_claims(
            [
                Claim(
                    section=section,
                    text=text_of(each),
                    scope=scope,
                    created_at=each.created_at,
                    source=f"note:{each.id}",
                )
            ]
        )

    def _typed(self) -> list[SummaryLine]:
        """What notes said before; the summary need not have it yet."""
        return [
            SummaryLine(section=c.section, text=c.text, scope=c.scope, mark="ad-hoc note")
            for c in self._claims
            if c.section is not Section.INDEX
        ]

    def _corrected(self, each: Note) -> list[SummaryLine]:
        """The lines that a correction corrects: those that it contradicts, else the one that shares most of its words.

        They lie in one scope: that of the project at hand before that of all.
        """
        reach = (each.project, None) if each.project is not None else None
        lines = [line for line in self._lines if line.section is not Section.INDEX]
        here = {(line.scope, line.text) for line in lines}
        lines += [line for line in self._typed() if (line.scope, line.text) not in here]
        claims = [c for c in lines if (reach is None or c.scope in reach) and c.text != text_of(each)]
        plain = [line for line in claims if match.conflict(each.text, line.text)]
        near = [line for line in claims if _shared(each.text, line.text) >= _NEAR]
        best = max(plain or near, key=lambda line: (_shared(each.text, line.text), line.text), default=None)
        if best is None:
            return []
        return [best, *(line for line in plain if line != best and line.scope == best.scope)]


def in_scope(each: Note, scope: str | None) -> bool:
    """Is a claim of this scope among those that a note is about?"""
    return each.project is None or scope == each.project


def text_of(each: Note) -> str:
    """What a note becomes in the summary: cut where it is long, and nothing in it reads as a scope or mark."""
    text = each.text
    if tokens.byte_length(text) > _LINE_BYTES and not each.by_hand:
        text = f"{tokens.cut(text, max_bytes=_LINE_BYTES)} (whole in {note.FOLDER}/{each.id}.md)"
    return safe(text, scope=each.project)


def safe(text: str, *, scope: str | None) -> str:
    """The text as a line of the summary has it."""
    line = SummaryLine(section=Section.PREFERENCES, text=text, scope=scope)
    found = summary.scan(prompts.memory_summary(lines=[line])).lines
    return found[0].text if found else ""


def stone(text: str, *, scope: str | None, created: int, source: str) -> Tombstone:
    """A tombstone of these words."""
    return Tombstone(subject=match.subject(text), text=text, scope=scope, created_at=created, source=source)


def _section(text: str) -> Section:
    return Section.PROFILE if match.judge(text).wish is match.Wish.PROFILE else Section.PREFERENCES


def _shared(a: str, b: str) -> float:
    x, y = match.stance(a).words, match.stance(b).words
    return len(x & y) / len(x | y) if x | y else 0.0
