"""A remembered preference that becomes a rule: with its sources, and out of the memory, lest it is said twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memkit import match
from memkit.documents import summary
from memkit.documents.agents_md import Saying
from memkit.documents.places import RULE
from memkit.documents.summary import SummaryLine
from memkit.errors import UsageError
from memkit.model import Rule, Section, Tombstone, content_hash
from memkit.stages.rules import books
from memkit.stages.rules.books import Book

_SUPPORT = 3  # sessions that make a preference a candidate whatever its words
_CANDIDATES = (Section.PREFERENCES, Section.PROFILE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggestion:
    """A line of the memory that should be looked at. id: for `promote`; why: absolute words, or how many sessions.

    conflicts, says: lines of pages (by path) that contradict it, or say it already in other words.
    """

    id: str
    line: SummaryLine
    why: str = ""
    conflicts: tuple[tuple[str, Saying], ...] = ()
    says: tuple[tuple[str, Saying], ...] = ()


@dataclass(frozen=True)
class _Pages:
    """What pages that agents load say, sentence by sentence."""

    pages: Mapping[str, Sequence[Saying]]
    sentences: list[tuple[str, Saying, str]] = field(init=False)

    def __post_init__(self) -> None:
        found = [
            (path, saying, sentence)
            for path, sayings in self.pages.items()
            for saying in sayings
            for sentence in match.sentences(saying.text)
        ]
        object.__setattr__(self, "sentences", found)

    def which(self, text: str, *, same: bool) -> tuple[tuple[str, Saying], ...]:
        asks = match.same if same else match.conflict
        return tuple(dict.fromkeys((path, saying) for path, saying, each in self.sentences if asks(each, text)))


def identity(line: SummaryLine) -> str:
    """A short name for a line, the same as long as its words and scope are."""
    return content_hash(f"{line.scope or ''}\n{match.normalise(line.text)}")[:8]


def candidates(text: str, *, project: str | None) -> list[SummaryLine]:
    """The lines of a summary that could be rules in a project (None: only what holds everywhere)."""
    lines = summary.scan(text).lines
    return [line for line in lines if line.section in _CANDIDATES and line.bullet and line.scope in (None, project)]


def suggest(
    *, text: str, project: str | None, held: Sequence[Book], pages: Mapping[str, Sequence[Saying]]
) -> list[Suggestion]:
    """What of the memory should be a rule, contradicts a page that agents load, or stands there already.

    text: memory_summary.md; pages: what AGENTS.md files say outside of memkit's block. Nothing is changed.
    """
    read = _Pages(pages)
    ruled = [rule for book in held for rule in book.rules]
    found = []
    for line in candidates(text, project=project):
        words = bare(line)
        if any(match.same(rule.text, words) and rule.project in (None, line.scope) for rule in ruled):
            continue
        conflicts, says = read.which(words, same=False), read.which(words, same=True)
        why = "" if says else _why(line, words)
        if why or conflicts or says:
            found.append(Suggestion(id=identity(line), line=line, why=why, conflicts=conflicts, says=says))
    return found


def wanted(text: str, *, asked: str, project: str | None) -> SummaryLine:
    """The line that `promote` means: by the id of a suggestion, or by its words. UsageError for none or several."""
    lines = candidates(text, project=project)
    named = [line for line in lines if identity(line) == asked.strip()]
    found = named or [line for line in lines if match.same(bare(line), asked)]
    found = found or [line for line in lines if match.covers(asked, bare(line))]
    if not found:
        raise UsageError(f"no preference of the memory says “{asked}”", mend="memkit rules suggest lists them")
    if len(found) > 1:
        shown = "; ".join(f"{identity(line)} {bare(line)}" for line in found[:4])
        raise UsageError(f"several preferences say that: {shown}", mend="name one by its id")
    return found[0]


def rule_of(line: SummaryLine, *, sessions: Sequence[str], glob: str | None = None) -> Rule:
    """The rule that a line becomes; its words stay."""
    return Rule(
        id="",
        text=bare(line),
        project=line.scope,
        glob=glob,
        origin="promoted",
        claim=line.text,
        sessions=tuple(dict.fromkeys(sessions)),
    )


def stone_of(rule: Rule, line: SummaryLine, *, now: float, book: Book) -> Tombstone:
    """What keeps the claim out of the memory as long as the rule is there."""
    return Tombstone(
        subject=match.subject(bare(line)),
        text=bare(line),
        scope=line.scope,
        created_at=int(now),
        source=f"{RULE}{book.path}#{rule.id}" if book.team else f"{RULE}{rule.id}",
    )


def released(stones: Iterable[Tombstone], *, home: Path) -> list[Tombstone]:
    """Those tombstones whose rule is no more: their claims may come back.

    A team's rule counts as there while its repository is not: it may be on a disk that is away. Raises ConfigError for
    a file of rules that can't be read.
    """
    own, found = books.personal(home), []
    for stone in stones:
        where, _, rule_id = stone.source.removeprefix(RULE).rpartition("#")
        if not stone.source.startswith(RULE) or (where and not Path(where).parents[1].is_dir()):
            continue
        book = books.read(Path(where), team=True) if where else own
        if book.rule(rule_id) is None:
            found.append(stone)
    return found


def bare(line: SummaryLine) -> str:
    """The words of a claim without the quotes around them."""
    text = line.text
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1] else text


def _why(line: SummaryLine, words: str) -> str:
    if (line.sessions or 0) >= _SUPPORT:
        return f"{line.sessions} sessions support it"
    return "it is stated as absolute" if any(_absolute(each) for each in match.sentences(words)) else ""


def _absolute(sentence: str) -> bool:
    return match.judge(sentence).wish is match.Wish.STANDING
