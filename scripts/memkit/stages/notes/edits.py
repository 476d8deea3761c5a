"""What an edit of the summary or the handbook says: which lines came, went, and became others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from memkit import match
from memkit.documents import handbook, places, summary
from memkit.model import Section

_ALIKE = 0.5  # of the characters of a line that became another one
_SECTIONS = dict(zip(handbook.SECTIONS, (Section.PREFERENCES, Section.TIPS, Section.TIPS), strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A line by what it says; support, marks, and places in the index may differ. raw: as it stands."""

    section: Section
    text: str
    scope: str | None = None
    thread_id: str = ""
    raw: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What makes a line the same line."""
        return self.section.value, self.scope or "", self.text, self.thread_id


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """One line that was edited: old is None for a new one, new for one that went."""

    old: Row | None = None
    new: Row | None = None

    @property
    def kind(self) -> Literal["remember", "correct", "forget"]:
        """The note that says the same."""
        return "remember" if self.old is None else "forget" if self.new is None else "correct"

    @property
    def said(self) -> Row:
        """What the note says: the line as it is now, or as it was."""
        row = self.new or self.old
        assert row is not None
        return row


def edits(name: str, old: str, new: str) -> list[Edit]:
    """The edits of a summary or handbook (name: its path in the tree), from one text to another.

    Where headings were lost, a line that still stands is no edit, whatever it stands under now.
    """
    before, after = _rows(name, old), _rows(name, new)
    lost = _faults(name, new) and not _faults(name, old)
    standing = [{row.strip() for row in text.split("\n")} for text in (old, new)] if lost else [set(), set()]
    had, has = {row.key for row in before}, {row.key for row in after}
    came = [row for row in after if row.key not in had and row.raw not in standing[0] and match.normalise(row.text)]
    went = [row for row in before if row.key not in has and row.raw not in standing[1]]
    return _paired(_once(went), _once(came))


def _once(rows: Iterable[Row]) -> list[Row]:
    return list({row.key: row for row in rows}.values())


def _faults(name: str, text: str) -> bool:
    doc = handbook.scan(text) if name == places.HANDBOOK else summary.scan(text)
    return bool(doc.faults)


def _rows(name: str, text: str) -> list[Row]:
    if name == places.HANDBOOK:
        return [
            _handbook_row(line, block.cwd if block.cwd not in ("", "any") else None)
            for block in handbook.scan(text).blocks
            for line in block.lines
            if line.section in _SECTIONS
        ]
    return [
        Row(section=line.section, text=line.text, scope=line.scope, thread_id=line.thread_id, raw=line.raw.strip())
        for line in summary.scan(text).lines
    ]


def _handbook_row(line: handbook.HandbookLine, scope: str | None) -> Row:
    section = _SECTIONS[line.section]
    read = summary.parse_line(f"- {line.text}", section=section)
    return Row(section=section, text=read.text, scope=read.scope or scope, raw=f"- {line.text}")


def _paired(went: Sequence[Row], came: Sequence[Row]) -> list[Edit]:
    """Each line that went with the one that it became: of one session, moved elsewhere, or most alike."""
    left = list(came)
    found = []
    for old in went:
        best = max(left, key=lambda new: _likeness(old, new), default=None)
        if best is None or _likeness(old, best) < _ALIKE:
            found.append(Edit(old=old))
        else:
            left.remove(best)
            found.append(Edit(old=old, new=best))
    return [*found, *(Edit(new=new) for new in left)]


def _likeness(old: Row, new: Row) -> float:
    if old.thread_id or new.thread_id:
        return 2.0 if old.thread_id == new.thread_id else 0.0
    if old.text == new.text:
        return 2.0
    if old.section is not new.section:
        return 0.0
    within = match.covers(old.text, new.text) or match.covers(new.text, old.text)
    close = within or match.same(old.text, new.text) or match.conflict(new.text, old.text)
    return max(1.0 if close else 0.0, SequenceMatcher(None, old.text.casefold(), new.text.casefold()).ratio())
