"""An engine that answers with what a test wrote down, and fails on any question that was not expected."""

from __future__ import annotations

from collections.abc import Mapping

from memkit import prompts
from memkit.engines.base import Inputs, Limits
from memkit.model import Drafts, Evidence, StageOne, Version


class ScriptedEngine:
    """Stage-1 outputs by session id and version; consolidation writes skeletons."""

    name = "scripted"
    limits = Limits()
    tokens_used = 0

    def __init__(self, outputs: Mapping[str, Mapping[str, Mapping[str, str]]]) -> None:
        self.left = {(session, version) for session, each in outputs.items() for version in each}
        self._outputs = outputs

    def extract(self, evidence: Evidence, *, version: Version) -> StageOne:
        key = (evidence.session.id, version)
        if key not in self.left:
            raise AssertionError(f"nobody expected to be asked for {key}")
        self.left.remove(key)
        answer = self._outputs[evidence.session.id][version]
        return StageOne(
            rollout_summary=answer["rollout_summary"],
            rollout_slug=answer["rollout_slug"],
            raw_memory=answer.get("raw_memory", ""),
        )

    def consolidate(self, inputs: Inputs) -> Drafts:
        documents = {"memory_summary.md": prompts.memory_summary()}
        return Drafts(documents=documents if inputs.version == "v2" else {**documents, "MEMORY.md": ""})

    def close(self) -> None:
        pass
