"""The offline engine: deterministic, by word lists and exit codes; honest about what it can know."""

from __future__ import annotations

from memkit.engines.base import Inputs
from memkit.engines.offline import extract, summary
from memkit.errors import UsageError
from memkit.model import Drafts, Evidence, StageOne, Version


class OfflineEngine:
    """Extraction and consolidation without a model and without network."""

    name = "offline"

    def extract(self, evidence: Evidence, *, version: Version) -> StageOne:
        """A session's record; V1 comes with step 2 of the plan."""
        _only_v2(version)
        return extract.extract(evidence)

    def consolidate(self, inputs: Inputs) -> Drafts:
        """memory_summary.md."""
        _only_v2(inputs.version)
        return summary.consolidate(inputs)


def _only_v2(version: Version) -> None:
    if version != "v2":
        raise UsageError(f"version {version} is not part of this release", mend="use version: v2")
