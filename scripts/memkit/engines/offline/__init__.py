"""The offline engine: deterministic, by word lists and exit codes; honest about what it can know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.engines.offline import claims, extract, handbook, raw, skills, statements, summary
    from memkit.engines.offline.engine import OfflineEngine
else:
    __getattr__ = lazily(
        globals(),
        engine="OfflineEngine",
        claims="claims",
        extract="extract",
        handbook="handbook",
        raw="raw",
        skills="skills",
        statements="statements",
        summary="summary",
    )

__all__ = [
    "OfflineEngine",
    "claims",
    "extract",
    "handbook",
    "raw",
    "skills",
    "statements",
    "summary",
]
