"""Items to evidence: tiers, masking, cutting, and what fits a budget; in memory that the budget bounds."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from memkit import tokens
from memkit.model import OMITTED, Evidence, Facts, Item, Kind, Part, PartKind, Row, Session, Tier
from memkit.rollouts import parts

ROW_BYTES = 10_000
OUTPUT_TOKENS = 2_000
_WINDOW = 24 << 10  # characters that are masked at either end of a long text
_GUARD = 8 << 10  # of them, next to the gap, that are masked but not shown: a secret may be halved there
_HUMAN_WINDOW = 128 << 10
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
        held = _hold(item, index=total - 1)
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
    return "".join(_printed(row) for row in evidence.rows)


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
    order: list[_Chosen] = []
    for tier in _ORDER:
        for held in reversed(tiers[tier]):
            row = _row(held, mask=mask, field=field, count=count)
            cost = count(_printed(row))
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
    return sum(count(_printed(_gap(size))) for _, size in _gaps(chosen, total=total))


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


def _hold(item: Item, *, index: int) -> _Held:
    pieces = _windows(item)
    size = min(sum(map(tokens.byte_length, pieces)), ROW_BYTES) + len(item.tier)
    return _Held(index, replace(item, text=""), pieces, size)


def _windows(item: Item) -> tuple[str, ...]:
    """The text, or its two ends where it is long; a person's pastes are shortened before their own words are."""
    text = _plain(item.text) if item.tier is Tier.TOOL else item.text
    if item.tier is Tier.HUMAN:
        if len(text) <= _HUMAN_WINDOW:
            return (text,)
        text = "".join(part.text for part in _at_lines(parts.split(text)))
        if len(text) <= _HUMAN_WINDOW:
            return (text,)
    return (text,) if len(text) <= 2 * _WINDOW else (_head(text, size=_WINDOW), _tail(text, size=_WINDOW))


def _at_lines(given: Sequence[Part]) -> Iterator[Part]:
    for part in given:
        if part.kind is PartKind.OWN or len(part.text) <= 2 * _WINDOW:
            yield part
            continue
        head, tail = _head(part.text, size=_WINDOW), _tail(part.text, size=_WINDOW)
        yield Part(part.kind, f"{head}\n{_left_out(len(part.text) - len(head) - len(tail))}\n{tail}")


def _head(text: str, *, size: int) -> str:
    end = text.rfind("\n", size - _GUARD // 2, size)
    return text[: end + 1 if end >= 0 else size]


def _tail(text: str, *, size: int) -> str:
    start = text.find("\n", len(text) - size, len(text) - size + _GUARD // 2)
    return text[start + 1 if start >= 0 else len(text) - size :]


def _left_out(characters: int) -> str:
    return f"[… {characters:,} characters left out …]"


def _row(held: _Held, *, mask: Callable[[str], str], field: Callable[[str], str], count: Callable[[str], int]) -> Row:
    """field: `mask` for the short texts that rows share. The limits hold for the row as it is printed."""
    item = held.item
    empty = Row(
        label=item.tier.value,
        text="",
        kind=item.kind,
        turn=item.turn,
        time=item.time,
        cwd=field(item.cwd),
        call_id=field(item.call_id),
        tool=field(item.tool),
        exit_code=item.exit_code,
        question=tokens.cut(field(item.question), max_bytes=ROW_BYTES // 4, keep="both"),
    )
    room = ROW_BYTES - tokens.byte_length(_printed(empty)) - 1
    text = _masked(held.pieces, mask=mask)
    if item.tier is Tier.HUMAN:
        said = _fitted(parts.split(text), room=room)
        return replace(empty, text=parts.mark(said), parts=said)
    if item.kind is Kind.OUTPUT:
        most = OUTPUT_TOKENS - count(_printed(empty))
        return replace(empty, text=tokens.cut(text, max_bytes=room, max_tokens=most, keep="both", counter=count))
    return replace(empty, text=tokens.cut(_lean(text, tier=item.tier), max_bytes=room, keep="both"))


def _masked(pieces: Sequence[str], *, mask: Callable[[str], str]) -> str:
    if len(pieces) == 1:
        return mask(pieces[0])
    head, tail = (mask(piece) for piece in pieces)
    head, tail = head[: max(len(head) - _GUARD, 0)], tail[_GUARD:]
    return f"{head}\n[… long text, its middle left out …]\n{tail}"


def _fitted(said: tuple[Part, ...], *, room: int) -> tuple[Part, ...]:
    """Parts whose marked text is within that many bytes."""
    limit = room
    while (over := tokens.byte_length(parts.mark(said)) - room) > 0 and limit > 0:
        limit = min(limit, sum(tokens.byte_length(part.text) for part in said)) - over
        said = parts.shorten(said, max_bytes=max(limit, 0))
    return said


def _lean(text: str, *, tier: Tier) -> str:
    """`<cwd>/x</cwd>` of an environment message becomes `cwd: /x`; the same facts in half the bytes."""
    if tier is not Tier.HARNESS or not text.startswith("<environment_context>"):
        return text
    fields = _field().findall(text)
    return "; ".join(f"{name}: {value.strip()}" for name, value in fields) if fields else text


def _plain(text: str) -> str:
    """Without the terminal's colours."""
    return _colour().sub("", text) if "\x1b" in text else text


def _masked_session(session: Session, *, mask: Callable[[str], str]) -> Session:
    return replace(
        session,
        path=mask(session.path),
        cwd=mask(session.cwd),
        branch=mask(session.branch),
        remote=mask(session.remote),
    )


# --- printing ------------------------------------------------------------------------------------------------------


def _printed(row: Row) -> str:
    return f"[{row.label}] {_safe(_dressed(row)).rstrip()}\n"


def _dressed(row: Row) -> str:
    if row.kind is Kind.COMMAND:
        return f"$ {row.text}"
    if row.kind is Kind.CALL:
        return f"{row.tool} {row.text}"
    if row.kind is Kind.ANSWER and row.question:
        return f"Q: {row.question}\nA: {row.text}"
    if row.kind is Kind.OUTPUT and row.exit_code is not None:
        return f"exit {row.exit_code}\n{row.text}"
    return row.text


def _safe(text: str) -> str:
    """No text inside a row can look like the beginning of one."""
    return _row_start().sub(r"\1\\[", text) if "[" in text else text


@cache
def _row_start() -> re.Pattern[str]:
    names = "|".join(re.escape(name).replace(r"\ ", r"\s{1,9}") for name in (*_ORDER, OMITTED))
    return re.compile(rf"([\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s{{0,9}})\[(?=\s{{0,9}}(?:{names})\s{{0,9}}\])", re.I)


@cache
def _colour() -> re.Pattern[str]:
    return re.compile(r"\x1b\[[0-9;?]{0,40}[ -/]{0,4}[@-~]")


@cache
def _field() -> re.Pattern[str]:
    return re.compile(r"<(\w{1,40})>([^<>]{0,2000})</\1>")
