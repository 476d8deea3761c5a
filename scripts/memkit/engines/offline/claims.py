"""Statements to claims: near-duplicates join, later statements replace earlier ones, steers count when they repeat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from memkit import match
from memkit.documents import places
from memkit.documents.summary import SummaryLine
from memkit.engines.offline.candidates import Index
from memkit.engines.offline.statements import Statement
from memkit.model import Claim, Section, Tombstone

REPEATS = 3


@dataclass(eq=False)
class Group:
    """Statements that say the same. scope None: everywhere. newest: the wording that stands."""

    said: list[Statement]
    scope: str | None
    number: int = 0
    replaced_by: str = ""
    newest: Statement = field(init=False)

    def __post_init__(self) -> None:
        self.newest = max(self.said, key=_rank)

    def take(self, statement: Statement) -> None:
        self.said.append(statement)
        self.newest = max(self.newest, statement, key=_rank)

    @property
    def sessions(self) -> set[str]:
        return {s.session for s in self.said}

    @property
    def stated(self) -> bool:
        return self.newest.stated


def _rank(statement: Statement) -> tuple[bool, int, bool, int, str, int]:
    """The last one stated for good stands; of mere steers the fullest one."""
    s = statement
    full = (0, False) if s.stated else (len(match.stance(s.said).words), match.requests(s.said))
    return (s.stated, *full, s.at, s.session, s.order)


@dataclass
class Standing:
    """The claims that hold, and why others do not: the loss reasons, by quoted text."""

    groups: list[Group]
    gone: dict[str, str] = field(default_factory=dict)

    def lose(self, statement: Statement, reason: str) -> None:
        self.gone[statement.said] = self.gone[statement.text.strip('"')] = reason


def standing(said: Sequence[Statement], *, tombstones: Sequence[Tombstone], claims: Sequence[Claim]) -> Standing:
    """The claims that the statements support, in the order of their last support, newest first."""
    result = Standing([])
    groups: list[Group] = []
    index: Index[Group] = Index()
    for statement in sorted(said, key=lambda s: (s.at, s.session, s.order)):
        if not _buried(statement, tombstones, result):
            _add(statement, groups, index, result)
    for group in _widened([g for g in groups if not g.replaced_by]):
        if not _counts(group):
            _too_few(group, result)
        elif not _overruled(group, claims, result):
            result.groups.append(group)
    result.groups.sort(key=lambda g: (g.scope or "", g.newest.at, g.newest.said), reverse=True)
    return result


def _buried(statement: Statement, tombstones: Iterable[Tombstone], result: Standing) -> bool:
    for stone in tombstones:
        later = statement.at > stone.created_at and not stone.source.startswith(places.RULE)
        if not later and match.buries(stone, statement.said, scope=statement.scope):
            result.lose(statement, why_buried(stone))
            return True
    return False


def why_buried(stone: Tombstone) -> str:
    """The reason that the commit names."""
    kind = stone.source.partition(":")[0]
    if stone.source.startswith(places.RULE):
        return f"it is the rule {stone.source.removeprefix(places.RULE).rpartition('#')[2]} now"
    why = {"note": "forgotten by a note", "correct": "corrected by a note", "undo": "taken back by undo"}
    return why.get(kind, "taken out by hand")


def _add(statement: Statement, groups: list[Group], index: Index[Group], result: Standing) -> None:
    statement = _as_correction(statement, index)
    near = (
        index.anywhere(statement.said) if statement.scope is None else index.near(statement.said, shelf=statement.scope)
    )
    home: Group | None = None
    for group in sorted((g for g in near if not g.replaced_by), key=lambda g: g.number):
        other = group.newest
        if group.scope == statement.scope and home is None and match.same(statement.said, other.said):
            home = group
        elif _reaches(statement, group) and match.conflict(statement.said, other.said):
            group.replaced_by = statement.said
            for old in group.said:
                result.lose(old, f"replaced by {statement.text}")
    if home is None:
        home = Group([statement], statement.scope, number=len(groups))
        groups.append(home)
    else:
        home.take(statement)
    index.add(home, statement.said, shelf=home.scope)


def _as_correction(statement: Statement, index: Index[Group]) -> Statement:
    """What says that it takes an earlier claim back holds where that held, and as long; an exception does not.

    The claim of the project at hand is corrected first, that for all projects when there is none.
    """
    if not match.takes_back(statement.said):
        return statement
    for scope in dict.fromkeys((statement.scope, None)):
        corrected = [
            g
            for g in index.near(statement.said, shelf=scope)
            if not g.replaced_by and match.conflict(statement.said, g.newest.said)
        ]
        if corrected and not (scope is None and statement.bound):
            return replace(statement, scope=scope, stated=statement.stated or any(g.stated for g in corrected))
    return statement


def _reaches(later: Statement, group: Group) -> bool:
    """May a later statement replace a group? A steer replaces steers only; one for all projects leaves the exceptions
    that words bind to another project; one for a project leaves what holds for all of them."""
    inside = later.scope == group.scope
    everywhere = later.scope is None and (not group.newest.bound or later.place == group.scope)
    return (inside or everywhere) and (later.stated or not group.stated)


def _widened(groups: Sequence[Group]) -> list[Group]:
    """Groups of one meaning in several projects become one that holds everywhere, when they count together."""
    index: Index[Group] = Index()
    for group in groups:
        index.add(group, group.newest.said, shelf=None)
    taken: set[int] = set()
    result: list[Group] = []
    for first in groups:
        if first.number in taken:
            continue
        free = _alike(first, index, taken) if not _bound(first) else [first]
        if len({g.scope for g in free}) > 1 and (any(g.stated for g in free) or _repeats(free)):
            taken |= {g.number for g in free}
            result.append(Group([s for g in free for s in g.said], None, number=first.number))
        else:
            result.append(first)
    return result


def _alike(first: Group, index: Index[Group], taken: set[int]) -> list[Group]:
    if first.newest.section is not Section.PREFERENCES:
        return [first]
    near = sorted(index.near(first.newest.said, shelf=None), key=lambda g: g.number)
    others = (g for g in near if g.number > first.number and g.number not in taken and not _bound(g))
    return [first, *(g for g in others if match.same(first.newest.said, g.newest.said))]


def _bound(group: Group) -> bool:
    return group.scope is not None and group.newest.bound


def _repeats(groups: Sequence[Group]) -> bool:
    """The same steer in three sessions of different tasks."""
    tasks: dict[str, str] = {}
    for statement in (s for g in groups for s in g.said):
        if statement.session not in tasks and not any(match.same(task, statement.task) for task in tasks.values()):
            tasks[statement.session] = statement.task
            if len(tasks) >= REPEATS:
                return True
    return False


def _counts(group: Group) -> bool:
    return group.stated or _repeats([group])


def _too_few(group: Group, result: Standing) -> None:
    for statement in group.said:
        if statement.said not in result.gone:
            result.lose(statement, f"fewer than {REPEATS} selected sessions of different tasks say it")


def _overruled(group: Group, claims: Sequence[Claim], result: Standing) -> bool:
    """A line written by hand stands for what it repeats, and for what it contradicts from earlier."""
    for claim in claims:
        if claim.section is Section.INDEX or (claim.scope is not None and claim.scope != group.scope):
            continue
        newest = group.newest
        if match.same(claim.text, newest.said) or (
            claim.created_at >= newest.at and match.conflict(claim.text, newest.said)
        ):
            for statement in group.said:
                whose = "a note" if claim.source.startswith("note:") else "a line written by hand"
                result.lose(statement, f"replaced by {whose}: {claim.text}")
            return True
    return False


def lines(groups: Iterable[Group]) -> list[SummaryLine]:
    """A claim line for each group: the newest wording, how many sessions support it, and when the last one did."""
    return [
        SummaryLine(
            section=g.newest.section,
            text=g.newest.text,
            scope=g.scope,
            sessions=len(g.sessions),
            last=max(s.date for s in g.said),
        )
        for g in groups
    ]


def hand_lines(claims: Iterable[Claim]) -> list[SummaryLine]:
    """Lines that a person wrote, as they wrote them."""
    return [
        SummaryLine(section=c.section, text=c.text, scope=c.scope, mark=_mark(c))
        for c in claims
        if c.section is not Section.INDEX
    ]


def extension_lines(
    said: Iterable[Claim], lines: Sequence[SummaryLine], *, tombstones: Sequence[Tombstone]
) -> list[SummaryLine]:
    """What extensions say, but for what is forgotten, and what other lines say already or contradict."""
    found: list[SummaryLine] = []
    for claim in said:
        buried = any(match.buries(stone, claim.text, scope=claim.scope) for stone in tombstones)
        mine = [line for line in (*lines, *found) if line.scope in (None, claim.scope) or claim.scope is None]
        known = any(match.same(line.text, claim.text) or match.conflict(line.text, claim.text) for line in mine)
        if not buried and not known:
            mark = claim.source.replace(":", " ", 1)
            found.append(SummaryLine(section=claim.section, text=claim.text, scope=claim.scope, mark=mark))
    return found


def _mark(claim: Claim) -> str:
    # What undo brings back, and nothing supports any more, was never noted.
    return "by hand" if claim.source.startswith("undo:") else "ad-hoc note"
