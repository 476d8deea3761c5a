"""Sessions whose text may not go to the server: their lines are taken out of what is sent, and put back afterwards.

They were read by the offline engine, so it also says what they leave in the documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memkit.documents import places, summary
from memkit.documents.identity import identity
from memkit.documents.summary import SummaryLine
from memkit.engines.base import Inputs
from memkit.engines.offline import OfflineEngine
from memkit.engines.openai import placing
from memkit.engines.openai.blocks import blocks


@dataclass(frozen=True)
class Withheld:
    """lines: of the summary; blocks: of the handbook, as text; skills: by path."""

    lines: tuple[SummaryLine, ...] = ()
    blocks: tuple[str, ...] = ()
    skills: Mapping[str, str] | None = None

    @classmethod
    def of(cls, inputs: Inputs) -> Withheld:
        """What the withheld sessions of the inputs leave in the documents."""
        sources = tuple(s for s in inputs.sources if s.record.session_id in inputs.withheld)
        if not sources:
            return cls()
        alone = replace(inputs, sources=sources, documents={}, claims=(), extensions=(), left=())
        made = OfflineEngine().consolidate(alone).documents
        return cls(
            lines=summary.scan(made[places.SUMMARY]).lines,
            blocks=blocks(made.get(places.HANDBOOK, "")),
            skills={path: text for path, text in made.items() if path not in (places.SUMMARY, places.HANDBOOK)},
        )

    def sendable(self, inputs: Inputs) -> Inputs:
        """The inputs without anything of the withheld sessions."""
        if not inputs.withheld:
            return inputs
        mine = {identity(line) for line in self.lines}

        def private(line: SummaryLine) -> bool:
            return line.thread_id in inputs.withheld or identity(line) in mine

        documents = {path: text for path, text in inputs.documents.items() if path not in (self.skills or {})}
        if places.SUMMARY in documents:
            documents[places.SUMMARY] = placing.without(documents[places.SUMMARY], private)
        if places.HANDBOOK in documents:
            kept = [b for b in blocks(documents[places.HANDBOOK]) if not any(id_ in b for id_ in inputs.withheld)]
            documents[places.HANDBOOK] = "\n".join(kept)
        documents.pop(places.RAW, None)
        sources = tuple(s for s in inputs.sources if s.record.session_id not in inputs.withheld)
        return replace(inputs, sources=sources, documents=documents, withheld=frozenset())

    def put_back(self, documents: Mapping[str, str]) -> dict[str, str]:
        """The documents with what the withheld sessions leave."""
        found = dict(documents)
        text = found.get(places.SUMMARY, "")
        here = {identity(line) for line in summary.scan(text).lines}
        for line in self.lines:
            if identity(line) not in here:
                text = placing.placed(text, line)
        found[places.SUMMARY] = text
        if self.blocks:
            found[places.HANDBOOK] = "\n".join((*blocks(found.get(places.HANDBOOK, "")), *self.blocks))
        return {**found, **(self.skills or {})}
