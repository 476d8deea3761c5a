"""The committed summary against what it may hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memkit import tokens, tree
from memkit.config import Config
from memkit.documents import summary
from memkit.documents.summary import SummaryLine
from memkit.model import Section, content_hash
from memkit.repo import Repo


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A section's share of the summary's bytes."""

    section: str
    lines: int
    bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """What the committed summary holds against what it may. exact: whether tokens were counted or estimated."""

    text: str
    bytes: int
    tokens: int
    max_bytes: int
    max_tokens: int
    exact: bool
    parts: tuple[Part, ...] = ()
    lines: tuple[SummaryLine, ...] = ()


def budget(*, repo: Repo, config: Config, counts: Mapping[str, int] | None = None) -> Budget:
    """The committed summary against its limits; counts: token counts of lines where they are known already."""
    data = repo.read_files([f"{tree.TREES[config.version]}/{tree.SUMMARY}"])
    text = next(iter(data.values()), b"").decode("utf-8", "replace")
    return budget_of(text, config=config, count=tokens.count if counts is None else _known(counts))


def _known(counts: Mapping[str, int]) -> Callable[[str], int]:
    def count(text: str) -> int:
        return sum(counts.get(content_hash(line), tokens.estimate(line)) + 1 for line in text.splitlines())

    return count


def budget_of(text: str, *, config: Config, count: Callable[[str], int]) -> Budget:
    """A summary's text against its limits."""
    doc = summary.scan(text)
    parts = [
        Part(section=s.value, lines=len(doc.of(s)), bytes=sum(tokens.byte_length(line.raw) + 1 for line in doc.of(s)))
        for s in Section
    ]
    return Budget(
        text=text,
        bytes=tokens.byte_length(text),
        tokens=count(text),
        max_bytes=config.summary.max_bytes,
        max_tokens=config.summary.max_tokens,
        exact=tokens.exact(),
        parts=tuple(parts),
        lines=doc.lines,
    )
