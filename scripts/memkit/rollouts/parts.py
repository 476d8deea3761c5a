"""Whose words a human message holds: the user's own sentences, quotes, pastes and code; and how they are marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from memkit import tokens
from memkit.model import Part, PartKind
from memkit.rollouts import looks

_FEW_WORDS = 3  # a quote of no more stays in the user's sentence: "call it "base unit""
_MOST_QUOTED = 4_000  # characters
_WORD_MARKS = {PartKind.QUOTE: "quote", PartKind.PASTE: "paste", PartKind.CODE: "code"}
_LEAST_KEPT = 200  # bytes of each paste that shortening leaves as long as anything else can give


def split(text: str) -> tuple[Part, ...]:
    """The parts of a message; joined they are the message."""
    lines = text.splitlines(keepends=True)
    kinds = _block_kinds(lines)
    parts: list[Part] = []
    for kind, stretch in _stretches(lines, kinds=kinds):
        parts += _inline(stretch) if kind is PartKind.OWN else [Part(kind, stretch)]
    return _joined(parts)


def mark(parts: Iterable[Part]) -> str:
    """Plain text with all but own words between `⟦paste⟧` and `⟦/paste⟧`; a `⟦` that was said is doubled."""
    marked = []
    for part in parts:
        text = part.text.replace("⟦", "⟦⟦")
        name = _WORD_MARKS.get(part.kind)
        marked.append(text if name is None else f"⟦{name}⟧{text}⟦/{name}⟧")
    return "".join(marked)


def unmark(text: str) -> tuple[Part, ...]:
    """The parts of what `mark` wrote."""
    parts: list[Part] = []
    kind, said, at = PartKind.OWN, "", 0
    for found in _mark().finditer(text):
        said += text[at : found.start()]
        at = found.end()
        if found[2] is None:
            said += "⟦"
            continue
        parts.append(Part(kind, said))
        kind, said = PartKind.OWN if found[1] else PartKind(found[2]), ""
    return _joined([*parts, Part(kind, said + text[at:])])


def shorten(parts: Sequence[Part], *, max_bytes: int) -> tuple[Part, ...]:
    """Parts within the limit, each cut with a visible mark: pastes, code and quotes give way before own words."""
    sizes = [tokens.byte_length(part.text) for part in parts]
    over = sum(sizes) - max_bytes
    limits = list(sizes)
    for foreign, least in ((True, _LEAST_KEPT), (True, 0), (False, _LEAST_KEPT), (False, 0)):
        for at in sorted(range(len(parts)), key=lambda at: -limits[at]):
            if over > 0 and (parts[at].kind is not PartKind.OWN) == foreign and limits[at] > least:
                given = min(limits[at] - least, over)
                limits[at] -= given
                over -= given
    kept = [
        part if limits[at] == sizes[at] else Part(part.kind, tokens.cut(part.text, max_bytes=limits[at], keep="both"))
        for at, part in enumerate(parts)
    ]
    return _joined(kept)


def own_words(parts: Iterable[Part]) -> str:
    """What the user said in their own words, other parts left out."""
    return "\n".join(part.text.strip() for part in parts if part.kind is PartKind.OWN and part.text.strip())


def _joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    joined: list[Part] = []
    for part in parts:
        if joined and joined[-1].kind is part.kind:
            joined[-1] = Part(part.kind, joined[-1].text + part.text)
        elif part.text:
            joined.append(part)
    return tuple(joined)


def _stretches(lines: Sequence[str], *, kinds: Sequence[PartKind]) -> Iterator[tuple[PartKind, str]]:
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or kinds[at] is not kinds[start]:
            yield kinds[start], "".join(lines[start:at])
            start = at


def _inline(text: str) -> list[Part]:
    parts, at = [], 0
    for found in _quoted().finditer(text):
        if len(found[0].split()) > _FEW_WORDS:
            parts += [Part(PartKind.OWN, text[at : found.start()]), Part(PartKind.QUOTE, found[0])]
            at = found.end()
    return [*parts, Part(PartKind.OWN, text[at:])]


# --- blocks --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Fence:
    mark: str = ""

    def holds(self, line: str) -> bool:
        """Whether the line belongs to fenced code, its fences included."""
        found = looks.fence().match(line)
        if not self.mark:
            self.mark = found[1] if found else ""
            return bool(found)
        if found and not found[2].strip() and found[1][0] == self.mark[0] and len(found[1]) >= len(self.mark):
            self.mark = ""
        return True


def _block_kinds(lines: Sequence[str]) -> list[PartKind]:
    kinds = [PartKind.OWN] * len(lines)
    fence = _Fence()
    for at, line in enumerate(lines):
        if fence.holds(line):
            kinds[at] = PartKind.CODE
        elif line.lstrip(" ").startswith(">") and not line.lstrip(" ").startswith((">=", ">>>")):
            kinds[at] = PartKind.QUOTE
    announced = ""
    paragraphs = _paragraphs(lines, kinds=kinds)
    last_machine = max((start for start, end in paragraphs if any(map(looks.looks_made, lines[start:end]))), default=-1)
    for start, end in paragraphs:
        if announced == "machine" and start <= last_machine and not lines[end - 1].rstrip().endswith(":"):
            announced = "first"  # what stands between two stretches of a program's text is its text, too
        announced = _judge(lines, kinds=kinds, start=start, end=end, announced=announced)
    _fill_gaps(lines, kinds=kinds)
    return kinds


def _paragraphs(lines: Sequence[str], *, kinds: Sequence[PartKind]) -> list[tuple[int, int]]:
    """Runs of own lines that are not empty, as [start, end)."""
    found: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        if kinds[at] is not PartKind.OWN or not line.strip():
            continue
        if found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return found


def _judge(lines: Sequence[str], *, kinds: list[PartKind], start: int, end: int, announced: str) -> str:
    """Marks a paragraph's pastes; what stays announced for the next one.

    That is `prose` (all that follows), `first` (a program's text, whatever it looks like), `machine` (goes on), or "".
    """
    if announced in ("prose", "first") or (announced == "machine" and not looks.is_prose(lines[start])):
        kinds[start:end] = [PartKind.PASTE] * (end - start)
        return "prose" if announced == "prose" else "machine"
    if all(line.startswith(("    ", "\t")) for line in lines[start:end]) and not looks.continues_list(lines, at=start):
        kinds[start:end] = [PartKind.CODE] * (end - start)
        return ""
    for at in range(start, end):
        announced = looks.announces(lines[at])
        if announced and at + 1 < end:
            kinds[at + 1 : end] = [PartKind.PASTE] * (end - at - 1)
            _give_back(lines, kinds=kinds, start=at + 2, end=end, announced=announced)
            return announced
        if announced:
            return "first" if announced == "machine" else announced
    _mark_machine(lines, kinds=kinds, start=start, end=end)
    return ""


def _give_back(lines: Sequence[str], *, kinds: list[PartKind], start: int, end: int, announced: str) -> None:
    """Sentences right behind a program's output, in the same paragraph, are the user's again."""
    at = end
    while (
        announced == "machine" and at > start and looks.is_prose(lines[at - 1]) and not looks.looks_made(lines[at - 1])
    ):
        at -= 1
    kinds[at:end] = [PartKind.OWN] * (end - at)


def _mark_machine(lines: Sequence[str], *, kinds: list[PartKind], start: int, end: int) -> None:
    given = [at for at in range(start, end) if looks.looks_made(lines[at])]
    strong = [at for at in given if looks.is_strong(lines[at])]
    if not given or (len(given) < 2 and not strong):
        odd = sum(not looks.is_prose(line) for line in lines[start:end])
        if end - start >= looks.TALL and odd * 3 > 2 * (end - start):
            kinds[start:end] = [PartKind.PASTE] * (end - start)
        return
    first, last = given[0], given[-1] + 1
    while last < end and not looks.is_prose(lines[last]):
        last += 1
    if len(given) * 2 >= last - first or strong:
        kinds[first:last] = [PartKind.PASTE] * (last - first)


def _fill_gaps(lines: Sequence[str], *, kinds: list[PartKind]) -> None:
    """Empty lines between two stretches of one kind are of that kind."""
    before: PartKind | None = None
    gap: list[int] = []
    for at, line in enumerate(lines):
        if not line.strip() and kinds[at] is PartKind.OWN:
            gap.append(at)
            continue
        if before is kinds[at]:
            for each in gap:
                kinds[each] = before
        before, gap = kinds[at], []


# --- patterns ------------------------------------------------------------------------------------------------------


@cache
def _mark() -> re.Pattern[str]:
    return re.compile(r"(?:⟦⟦|⟦(/?)(quote|paste|code)⟧)")


@cache
def _quoted() -> re.Pattern[str]:
    inner = rf"{{1,{_MOST_QUOTED}}}"
    # "Sum up this comment: > @ana: always use …": what is quoted on the line of the request.
    behind = rf"(?<=:) > [^\n]{inner}"
    return re.compile(rf"{behind}|“[^“”]{inner}”|„[^„“”]{inner}[“”]|«[^«»]{inner}»|(?<!\w)\"[^\"\n]{inner}\"(?!\w)")
