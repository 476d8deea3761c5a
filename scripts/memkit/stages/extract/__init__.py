"""Extract: a session's bytes to a record, to nothing to keep, or to a failure with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit import lazily

if TYPE_CHECKING:
    from memkit.stages.extract.outcome import Cost, Extracted
    from memkit.stages.extract.work import cost, extract, preview
else:
    __getattr__ = lazily(
        globals(),
        outcome="Cost Extracted",
        work="cost extract preview",
    )

__all__ = [
    "Cost",
    "Extracted",
    "cost",
    "extract",
    "preview",
]
