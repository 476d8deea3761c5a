"""The handbook's blocks as text, so that those which nobody touches stay byte for byte."""

from __future__ import annotations

import re

from memkit.documents import handbook


def blocks(text: str) -> tuple[str, ...]:
    """The blocks of a handbook as they stand, each ended by a line break."""
    parts = re.split(r"(?m)^(?=# Task Group: )", text)
    return tuple(part.rstrip("\n") + "\n" for part in parts if part.strip())


def touched(text: str, *, threads: frozenset[str], projects: frozenset[str]) -> tuple[list[str], list[str]]:
    """(blocks that changes of these sessions or projects touch, the others)."""
    touching: list[str] = []
    others: list[str] = []
    for block in blocks(text):
        found = handbook.scan(block).blocks
        mine = any(project and project in b.applies_to for b in found for project in projects)
        (touching if mine or any(thread in block for thread in threads) else others).append(block)
    return touching, others
