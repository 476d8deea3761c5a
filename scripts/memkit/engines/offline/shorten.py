"""Keeping a record within its bytes: middle tasks are shortened first, the first and the last ask stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from memkit import tokens
from memkit.prompts import TaskBlock

# What goes first. A preference is the last to go: it may be the only place where it was said.
_ORDER = ("reported", "reference", "changed", "verified", "failed", "open", "decision", "request", "correction")
_STATED = "preference (stated)"
_SHORT = 160
_MERGED = "shorter tasks"


def shorten(blocks: Sequence[TaskBlock], *, render: Callable[[Sequence[TaskBlock]], str], max_bytes: int) -> str:
    """The rendered record, at most max_bytes long in UTF-8."""
    kept = list(blocks)
    text = render(kept)
    over = tokens.byte_length(text) - max_bytes
    steps = (_clipped, *(_without(label) for label in _ORDER))
    middle = sorted(range(1, len(kept) - 1), key=lambda i: -min(i, len(kept) - 1 - i))
    for step in steps:
        for i in middle:
            if over > 0:
                shorter = step(kept[i])
                if shorter is not kept[i]:
                    over += _cost(shorter) - _cost(kept[i])
                    kept[i] = shorter
    while over > 0 and len(kept) > 3:
        at = max(1, min(len(kept) // 2, len(kept) - 3))
        joined = _joined(kept[at], kept[at + 1])
        over += _cost(joined) - _cost(kept[at]) - _cost(kept[at + 1])
        kept[at : at + 2] = [joined]
    for step in steps[:-2]:
        if over > 0:
            before = sum(map(_cost, kept))
            kept = [step(block) for block in kept]
            over += sum(map(_cost, kept)) - before
    text = render(kept)
    return tokens.cut_lines(text, max_bytes=max_bytes)


def _cost(block: TaskBlock) -> int:
    """Bytes that a block takes when rendered; the grammar's own characters are counted on the safe side."""
    return sum(
        tokens.byte_length(a) + tokens.byte_length(b) + 5
        for a, b in [*block.bullets, ("## Task", block.title), ("outcome", block.outcome)]
    )


def _clipped(block: TaskBlock) -> TaskBlock:
    return replace(
        block, bullets=tuple((label, text if label == _STATED else _clip(text)) for label, text in block.bullets)
    )


def _clip(text: str) -> str:
    if tokens.byte_length(text) <= _SHORT:
        return text
    quoted = text.startswith('"')
    cut = tokens.cut(text, max_bytes=_SHORT)
    return f'{cut}"' if quoted and cut.count('"') % 2 else f"{cut}`" if cut.count("`") % 2 else cut


def _without(label: str) -> Callable[[TaskBlock], TaskBlock]:
    def without(block: TaskBlock) -> TaskBlock:
        kept = tuple(b for b in block.bullets if b[0] != label)
        return block if len(kept) == len(block.bullets) else replace(block, bullets=kept)

    return without


def _joined(first: TaskBlock, second: TaskBlock) -> TaskBlock:
    """Two middle tasks as one heading that counts them; what the user stated for good in either stays."""
    kept = dict.fromkeys(b for block in (first, second) for b in block.bullets if b[0] == _STATED)
    return TaskBlock(title=f"{_count(first) + _count(second)} {_MERGED}", outcome="partial", bullets=tuple(kept))


def _count(block: TaskBlock) -> int:
    number, _, rest = block.title.partition(" ")
    return int(number) if rest == _MERGED and number.isdigit() else 1
