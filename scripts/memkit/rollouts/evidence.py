"""Items to evidence: tiers, masking, cutting, and what fits a budget; in memory that the budget bounds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from memkit import tokens
from memkit.model import OMITTED, Evidence, Facts, Item, Row, Session, Tier
from memkit.rollouts import rows

_BYTES_A_TOKEN = 8  # dense text has 2 to 5: what is held back for a tier is more than can be chosen of it
_ORDER = tuple(Tier)  # the tiers are filled in the order in which the model names them


@dataclass(frozen=True, slots=True)
class _Held:
    """An item that may be chosen: its place in the file, its text cut to windows and not yet masked."""

    index: int
    item: Item
    pieces: tuple[str, ...]
    size: int


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A row that is sent: its place in the file, and its tokens."""

    index: int
    row: Row
    cost: int


def collect(
    items: Iterable[Item],
    *,
    facts: Callable[[], Facts],
    budget_tokens: int,
    mask: Callable[[str], str],
    count: Callable[[str], int],
) -> Evidence:
    """The evidence of a session within a budget, in source order; a gap is one row `omitted`.

    Tiers are filled in the order of `Tier`, each from its newest row back until one does not fit. facts: asked once
    the items are exhausted. mask: takes secrets out of a text. count: tokens of a text. Nothing unmasked comes out.
    """
    tiers: dict[Tier, deque[_Held]] = {tier: deque() for tier in _ORDER}
    sizes = dict.fromkeys(_ORDER, 0)
    total = 0
    for total, item in enumerate(items, start=1):
        held = _hold(item, index=total - 1, mask=mask)
        tiers[item.tier].append(held)
        sizes[item.tier] += held.size
        while sizes[item.tier] - tiers[item.tier][0].size > budget_tokens * _BYTES_A_TOKEN:
            sizes[item.tier] -= tiers[item.tier].popleft().size
    known = facts()
    chosen = _choose(tiers, total=total, budget=budget_tokens, mask=mask, count=count)
    rows = tuple(_with_gaps(chosen, total=total))
    return Evidence(
        session=_masked_session(known.session, mask=mask),
        rows=rows,
        interrupted=known.interrupted,
        omitted=total - len(chosen),
        tokens=sum(each.cost for each in chosen) + _gap_cost(chosen, total=total, count=count),
    )


def render(evidence: Evidence) -> str:
    """The rows as plain text, each `[label] text` from the beginning of a line and ended by a line break."""
    return "".join(rows.printed(row) for row in evidence.rows)


def labels(evidence: Evidence) -> list[str]:
    """The rows' labels in order."""
    return [row.label for row in evidence.rows]


# --- choosing ------------------------------------------------------------------------------------------------------


def _choose(
    tiers: dict[Tier, deque[_Held]],
    *,
    total: int,
    budget: int,
    mask: Callable[[str], str],
    count: Callable[[str], int],
) -> list[_Chosen]:
    chosen: list[_Chosen] = []
    left = budget
    field = cache(mask)
    calls: dict[str, str] = {"": ""}  # a number does what an id does, and holds nothing that would have to be masked
    order: list[_Chosen] = []
    for tier in _ORDER:
        for held in reversed(tiers[tier]):
            row = rows.made(held.item, pieces=held.pieces, mask=mask, field=field, calls=calls, count=count)
            cost = count(rows.printed(row))
            if cost > left:
                break
            order.append(_Chosen(held.index, row, cost))
            left -= cost
    while True:
        chosen = sorted(order, key=lambda each: each.index)
        if not order or _gap_cost(chosen, total=total, count=count) <= left:
            return chosen
        left += order.pop().cost  # the marks of the gaps count, too


def _gaps(chosen: Sequence[_Chosen], *, total: int) -> Iterator[tuple[int, int]]:
    """For each gap, before which of the chosen it stands and how many rows it stands for."""
    before = -1
    for at, each in enumerate(chosen):
        if each.index - before > 1:
            yield at, each.index - before - 1
        before = each.index
    if total - before > 1:
        yield len(chosen), total - before - 1


def _gap_cost(chosen: Sequence[_Chosen], *, total: int, count: Callable[[str], int]) -> int:
    return sum(count(rows.printed(_gap(size))) for _, size in _gaps(chosen, total=total))


def _gap(size: int) -> Row:
    return Row(label=OMITTED, text=f"{size} rows" if size > 1 else "1 row", omitted=size)


def _with_gaps(chosen: Sequence[_Chosen], *, total: int) -> Iterator[Row]:
    gaps = dict(_gaps(chosen, total=total))
    for at, each in enumerate(chosen):
        if at in gaps:
            yield _gap(gaps[at])
        yield each.row
    if len(chosen) in gaps:
        yield _gap(gaps[len(chosen)])


# --- rows ----------------------------------------------------------------------------------------------------------


def _hold(item: Item, *, index: int, mask: Callable[[str], str]) -> _Held:
    pieces = rows.windows(item, mask=mask)
    size = min(sum(map(tokens.byte_length, pieces)), rows.ROW_BYTES) + len(item.tier)
    whole = len(pieces) == 1 and pieces[0] is item.text  # else what was cut away is let go
    return _Held(index, item if whole else replace(item, text=""), pieces, size)


def _masked_session(session: Session, *, mask: Callable[[str], str]) -> Session:
    return replace(
        session,
        path=mask(session.path),
        cwd=mask(session.cwd),
        branch=mask(session.branch),
        remote=mask(session.remote),
    )


# --- printing ------------------------------------------------------------------------------------------------------
