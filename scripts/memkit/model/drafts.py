"""What a consolidation gives, and what lint finds in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Loss:
    """A line that a consolidation took out of a document, and the reason that the commit names."""

    line: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Drafts:
    """What a consolidation gives: documents by path in the tree, documents to remove, and why lines went."""

    documents: Mapping[str, str]
    removed: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()
    tokens_used: int = 0


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Finding:
    """One result of lint. file: path relative to the tree's root; line: from 1, 0 for the file as a whole."""

    file: str
    line: int
    rule: str
    message: str
    gates: bool = False
