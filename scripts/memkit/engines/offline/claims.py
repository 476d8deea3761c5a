"""Statements to claims: near-duplicates join, later statements replace earlier ones, steers count when they repeat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memkit import clock, match
from memkit.documents.summary import SummaryLine
from memkit.engines.offline.statements import Statement, Tip
from memkit.model import Claim, Section, Tombstone

REPEATS = 3


@dataclass
class Group:
    """Statements that say the same. scope None: everywhere."""

    said: list[Statement]
    scope: str | None
    replaced_by: str = ""

    @property
    def newest(self) -> Statement:
        """The wording that stands: the last one stated for good; of mere steers the fullest one."""
        stated = [s for s in self.said if s.stated]
        if stated:
            return max(stated, key=lambda s: (s.at, s.session, s.order))
        return max(
            self.said, key=lambda s: (len(match.stance(s.said).words), match.requests(s.said), s.at, s.session, s.order)
        )

    @property
    def sessions(self) -> set[str]:
        return {s.session for s in self.said}

    @property
    def stated(self) -> bool:
        return any(s.stated for s in self.said)


@dataclass
class Standing:
    """The claims that hold, and why others do not: the loss reasons, by quoted text."""

    groups: list[Group]
    gone: dict[str, str] = field(default_factory=dict)


def standing(said: Sequence[Statement], *, tombstones: Sequence[Tombstone], claims: Sequence[Claim]) -> Standing:
    """The claims that the statements support, in the order of their last support, newest first."""
    result = Standing([])
    alive = [s for s in said if not _buried(s, tombstones, result)]
    groups: list[Group] = []
    for statement in sorted(alive, key=lambda s: (s.at, s.session, s.order)):
        _add(statement, groups, result)
    for group in _widened(groups):
        if not group.replaced_by and _counts(group):
            result.groups.append(group)
    result.groups = [g for g in result.groups if not _overruled(g, claims, result)]
    result.groups.sort(key=lambda g: (g.scope or "", g.newest.at, g.newest.said), reverse=True)
    return result


def _buried(statement: Statement, tombstones: Iterable[Tombstone], result: Standing) -> bool:
    for stone in tombstones:
        in_scope = stone.scope is None or stone.scope == statement.scope
        if (
            in_scope
            and not stone.thread_id
            and statement.at <= stone.created_at
            and match.same(stone.text, statement.said)
        ):
            result.gone[statement.said] = "taken out by hand"
            return True
    return False


def _add(statement: Statement, groups: list[Group], result: Standing) -> None:
    home: Group | None = None
    for group in groups:
        if group.replaced_by:
            continue
        other = group.newest
        shares = group.scope == statement.scope
        if shares and home is None and match.same(statement.said, other.said):
            home = group
        elif _replaces(statement, group) and match.conflict(statement.said, other.said):
            group.replaced_by = statement.said
            for old in group.said:
                result.gone[old.said] = f"replaced by {statement.text}"
    if home is None:
        groups.append(Group([statement], statement.scope))
    else:
        home.said.append(statement)


def _replaces(later: Statement, group: Group) -> bool:
    """A later statement for good replaces any; a steer replaces steers, and a claim only when it says that it corrects.

    An exception for one project leaves the claim for all of them as it is.
    """
    reaches = later.scope is None or later.scope == group.scope
    return reaches and (later.stated or not group.stated or _says_so(later))


def _says_so(statement: Statement) -> bool:
    return match.corrects(statement.said) and match.takes_back(statement.said)


def _widened(groups: Sequence[Group]) -> list[Group]:
    """Groups of one meaning in several projects become one that holds everywhere, when they count together."""
    left = list(groups)
    result: list[Group] = []
    while left:
        first = left.pop(0)
        if first.replaced_by or first.newest.section is not Section.PREFERENCES:
            result.append(first)
            continue
        alike = [g for g in left if not g.replaced_by and match.same(first.newest.said, g.newest.said)]
        scopes = {g.scope for g in (first, *alike)}
        free = [g for g in (first, *alike) if not (g.newest.bound and g.scope is not None)]
        if len(scopes) > 1 and len({g.scope for g in free}) > 1 and (any(g.stated for g in free) or _repeats(free)):
            left = [g for g in left if g not in free]
            result.append(Group([s for g in free for s in g.said], None))
            if first not in free:
                result.append(first)
        else:
            result.append(first)
    return result


def _repeats(groups: Sequence[Group]) -> bool:
    """The same steer in three sessions of different tasks."""
    tasks: dict[str, str] = {}
    for statement in (s for g in groups for s in g.said):
        if not any(match.same(task, statement.task) for session, task in tasks.items() if session != statement.session):
            tasks.setdefault(statement.session, statement.task)
    return len(tasks) >= REPEATS


def _counts(group: Group) -> bool:
    return group.stated or _repeats([group])


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
                result.gone[statement.said] = f"replaced by a line written by hand: {claim.text}"
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
        SummaryLine(section=c.section, text=c.text, scope=c.scope, mark="by hand")
        for c in claims
        if c.section is not Section.INDEX
    ]


def tip_lines(found: Sequence[Tip], *, tombstones: Sequence[Tombstone]) -> list[SummaryLine]:
    """Failures with what helped; commands that verified work in two sessions or more. Newest first."""
    groups: dict[tuple[str, str, bool], list[Tip]] = {}
    for tip in found:
        groups.setdefault((tip.scope, tip.command, tip.fix), []).append(tip)
    kept = []
    for tips in groups.values():
        newest = max(tips, key=lambda t: (t.at, t.session, t.text))
        sessions = {t.session for t in tips}
        buried = any(
            (s.scope is None or s.scope == newest.scope)
            and newest.at <= s.created_at
            and match.same(s.text, newest.text)
            for s in tombstones
        )
        if not buried and (newest.fix or len(sessions) > 1):
            kept.append((newest, len(sessions)))
    kept.sort(key=lambda pair: (pair[0].fix, pair[0].at, pair[0].text), reverse=True)
    return [
        SummaryLine(section=Section.TIPS, text=t.text, scope=t.scope, sessions=n, last=clock.date(t.at))
        for t, n in kept
    ]
