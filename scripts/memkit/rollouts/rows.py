"""One item to one row: windows before masking, cuts after it, and how a row is printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, partial

from memkit import tokens
from memkit.model import OMITTED, Item, Kind, Part, PartKind, Row, Tier
from memkit.rollouts import parts

ROW_BYTES = 10_000
OUTPUT_TOKENS = 2_000
_SHORT = 1_800  # bytes of text and tool that are within all limits, for no text has more tokens than bytes
_WINDOW = 24 << 10  # characters that are masked at either end of a long text
_GUARD = 8 << 10  # of them, next to the gap, that are masked but not shown: a secret may be halved there
_HUMAN_WINDOW = 128 << 10
_HUMAN_MOST = 1 << 20  # of a person's message that is looked through for their own words


def windows(item: Item, *, mask: Callable[[str], str]) -> tuple[str, ...]:
    """The text, or its two ends where it is long; a person's pastes are shortened before their own words are."""
    text = _plain(item.text) if item.tier is Tier.TOOL else item.text
    if item.tier is Tier.HUMAN and len(text) > _HUMAN_MOST:
        text = "".join(_fenced_ends(part, mask=mask) for part in _beginning(text, mask=mask))
    elif item.tier is Tier.HUMAN and len(text) > _HUMAN_WINDOW:
        text = "".join(_paste_ends(part, mask=mask) for part in parts.split(text))
    most = _HUMAN_WINDOW if item.tier is Tier.HUMAN else 2 * _WINDOW
    return (text,) if len(text) <= most else _ends(text)


def _ends(text: str) -> tuple[str, str]:
    return _head(text, size=_WINDOW), _tail(text, size=_WINDOW)


def _beginning(text: str, *, mask: Callable[[str], str]) -> list[Part]:
    """A message beyond all measure, masked: its beginning, and its end as a paste, for what opened it is unknown."""
    head, tail = mask(_head(text, size=_HUMAN_MOST)), mask(_tail(text, size=_WINDOW))
    end = Part(kind=PartKind.PASTE, text=f"[… long text, its middle left out …]\n{tail[_GUARD:]}")
    return [*parts.split(head[: max(len(head) - _GUARD, 0)]), end]


def _paste_ends(part: Part, *, mask: Callable[[str], str]) -> str:
    """A long paste's ends only."""
    return part.text if len(part.text) <= 2 * _WINDOW else _fenced_ends(part, mask=mask)


def _fenced_ends(part: Part, *, mask: Callable[[str], str]) -> str:
    """A paste or its ends, masked (later nothing tells where it was cut) and fenced, so that it stays foreign."""
    if part.kind is PartKind.OWN:
        return part.text
    return _fenced(mask(part.text) if len(part.text) <= 2 * _WINDOW else _masked(_ends(part.text), mask=mask))


def _fenced(text: str) -> str:
    longest = max(map(len, _ticks().findall(text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"\n{fence}\n{text}\n{fence}\n"


def _head(text: str, *, size: int) -> str:
    end = text.rfind("\n", size - _GUARD // 2, size)
    return text[: end + 1 if end >= 0 else size]


def _tail(text: str, *, size: int) -> str:
    start = text.find("\n", len(text) - size, len(text) - size + _GUARD // 2)
    return text[start + 1 if start >= 0 else len(text) - size :]


def made(
    item: Item,
    *,
    pieces: Sequence[str],
    mask: Callable[[str], str],
    field: Callable[[str], str],
    calls: dict[str, str],
    count: Callable[[str], int],
) -> Row:
    """The limits hold for the row as it is printed.

    field: `mask` for the short texts that rows share. calls: the numbers of calls by id, added to here.
    """
    row = partial(
        Row,
        label=item.tier.value,
        kind=item.kind,
        turn=item.turn,
        time=item.time,
        cwd=field(item.cwd),
        call_id=calls.setdefault(item.call_id, str(len(calls))),
        tool=field(item.tool),
        exit_code=item.exit_code,
        question=tokens.cut(field(item.question), max_bytes=ROW_BYTES // 4, keep="both") if item.question else "",
    )
    text = _masked(pieces, mask=mask)
    if item.tier is not Tier.HUMAN and tokens.byte_length(text) + tokens.byte_length(item.tool) <= _SHORT:
        return row(text=_lean(text, tier=item.tier))
    empty = printed(row(text=""))
    room = ROW_BYTES - tokens.byte_length(empty) - 1
    if item.tier is Tier.HUMAN:
        said = _fitted(parts.split(text), room=room)
        return row(text=parts.mark(said), parts=said)
    if item.kind is Kind.OUTPUT:
        most = OUTPUT_TOKENS - count(empty)
        return row(text=tokens.cut(text, max_bytes=room, max_tokens=most, keep="both", counter=count))
    return row(text=tokens.cut(_lean(text, tier=item.tier), max_bytes=room, keep="both"))


def _masked(pieces: Sequence[str], *, mask: Callable[[str], str]) -> str:
    if len(pieces) == 1:
        return mask(pieces[0])
    head, tail = (mask(piece) for piece in pieces)
    head, tail = head[: max(len(head) - _GUARD, 0)], tail[_GUARD:]
    return f"{head}\n[… long text, its middle left out …]\n{tail}"


def _fitted(said: tuple[Part, ...], *, room: int) -> tuple[Part, ...]:
    """Parts whose marked text is within that many bytes."""
    limit = room
    while (marked := tokens.byte_length(parts.mark(said))) > room and limit > 0:
        marks = marked - sum(tokens.byte_length(part.text) for part in said)
        limit = min(limit - 1, room - marks)
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


def printed(row: Row) -> str:
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
    names = "|".join(re.escape(name).replace(r"\ ", r"\s{1,9}") for name in (*Tier, OMITTED))
    return re.compile(rf"([\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s{{0,9}})\[(?=\s{{0,9}}(?:{names})\s{{0,9}}\])", re.I)


@cache
def _ticks() -> re.Pattern[str]:
    return re.compile("`+")


@cache
def _colour() -> re.Pattern[str]:
    return re.compile(r"\x1b\[[0-9;?]{0,40}[ -/]{0,4}[@-~]")


@cache
def _field() -> re.Pattern[str]:
    return re.compile(r"<(\w{1,40})>([^<>]{0,2000})</\1>")
