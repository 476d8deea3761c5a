"""The engine itself, whose parts are loaded when they are used: a run with nothing new needs none of them."""

from __future__ import annotations

from dataclasses import replace

from memkit.engines import offline
from memkit.engines.base import Inputs, Limits
from memkit.model import Drafts, Evidence, StageOne, Version


class OfflineEngine:
    """Extraction and consolidation without a model and without network."""

    name = "offline"
    limits = Limits()
    tokens_used = 0

    def extract(self, evidence: Evidence, *, version: Version) -> StageOne:
        """A session's record; in V1 with its raw memory."""
        output = offline.extract.extract(evidence)
        if version == "v2" or output.empty:
            return output
        return replace(output, raw_memory=offline.raw.raw_memory(output.rollout_summary))

    def consolidate(self, inputs: Inputs) -> Drafts:
        """memory_summary.md; in V1 the handbook and skills too."""
        drafts = offline.summary.consolidate(inputs)
        if inputs.version == "v2":
            return drafts
        read = offline.statements.bodies(inputs)
        said = offline.statements.statements(read, inputs)
        held = offline.claims.standing(said, tombstones=inputs.tombstones, claims=inputs.claims)
        documents = {
            **drafts.documents,
            offline.handbook.FILE: offline.handbook.handbook(read, inputs, said=said, held=held),
            **offline.skills.skills(read, inputs),
        }
        stale = [p for p, text in inputs.documents.items() if p not in documents and offline.skills.own(p, text)]
        return replace(drafts, documents=documents, removed=tuple(stale))

    def close(self) -> None:
        """Nothing is open."""
