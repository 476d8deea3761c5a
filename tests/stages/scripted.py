"""An engine that does what a test tells it, step by step, and fails on steps that nobody expected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from memkit.engines.base import Inputs, Limits
from memkit.engines.offline import OfflineEngine
from memkit.errors import EngineError
from memkit.model import Drafts, Evidence, StageOne, Version

Step = Callable[[Drafts], Drafts]


@dataclass
class Scripted:
    """extracting, consolidating: what each call does to the offline engine's result; an exception is raised instead.

    calls: what was asked so far. Steps that are not used, and calls beyond them, fail the test.
    """

    extracting: list[StageOne | Exception | None] = field(default_factory=list)
    consolidating: list[Step | Exception] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    name: str = "scripted"
    limits: Limits = field(default_factory=Limits)
    tokens_used: int = 0

    def extract(self, evidence: Evidence, *, version: Version) -> StageOne:
        self.calls.append("extract")
        real = OfflineEngine().extract(evidence, version=version)
        step = self.extracting.pop(0) if self.extracting else None
        if isinstance(step, Exception):
            raise step
        return real if step is None else step

    def consolidate(self, inputs: Inputs) -> Drafts:
        self.calls.append("consolidate")
        assert self.consolidating, "the engine was asked once more than the test expects"
        step = self.consolidating.pop(0)
        if isinstance(step, Exception):
            raise step
        return step(OfflineEngine().consolidate(inputs))

    def close(self) -> None:
        pass

    def used_up(self) -> bool:
        return not self.extracting and not self.consolidating


def down() -> EngineError:
    """The engine as a whole can't work."""
    return EngineError("the model server is gone", mend="start it")
