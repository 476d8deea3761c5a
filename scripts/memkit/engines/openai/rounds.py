"""The changes of a consolidation in parts that a model can take in, each with what is asked about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memkit import prompts, tokens
from memkit.documents import places
from memkit.engines.base import Change, Inputs, Synced
from memkit.engines.openai.blocks import touched
from memkit.engines.openai.keeping import forgotten
from memkit.engines.workspace import skills
from memkit.prompts import Mode

_DIFF_TOKENS = 40_000  # of the changes that a round shows
_DIFF_BYTES = 4 << 20  # of them all (CODEX.md, "Consolidation")


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """Part `number` of `total`. threads: the sessions that its changes are of."""

    number: int
    total: int
    changes: tuple[Change, ...]
    inputs: Inputs
    synced: Synced
    first: bool

    @property
    def diff(self) -> str:
        return "\n".join(change.diff.rstrip("\n") for change in self.changes) + "\n"

    @property
    def threads(self) -> frozenset[str]:
        """The selected sessions that the changes are of."""
        changed = {change.path for change in self.changes}
        return frozenset(s.record.session_id for s in self.inputs.sources if s.file in changed)

    def opening(self, documents: Mapping[str, str], *, mode: Mode) -> str:
        """The message that the round begins with. documents: as they are now."""
        return prompts.consolidate_round(
            mode=mode,
            first=self.first,
            number=self.number,
            rounds=self.total,
            forgotten=forgotten([s for s in self.inputs.tombstones if not s.thread_id]),
            changes=len(self.changes),
            diff=self.diff,
            documents=list(self.shown(documents).items()) if mode == "single" else (),
        )

    def shown(self, documents: Mapping[str, str]) -> dict[str, str]:
        """The documents, or the parts of them, that the changes touch."""
        shown = {places.SUMMARY: documents.get(places.SUMMARY, "")}
        if self.inputs.version == "v1":
            shown[places.HANDBOOK] = "\n".join(self._blocks(documents)[0])
            named = {*self.threads, *self._projects}
            shown |= {p: documents[p] for p in skills(documents) if any(name in documents[p] for name in named)}
        return shown

    def untouched(self, documents: Mapping[str, str]) -> list[str]:
        """The handbook's blocks that are not shown."""
        return self._blocks(documents)[1]

    def _blocks(self, documents: Mapping[str, str]) -> tuple[list[str], list[str]]:
        return touched(documents.get(places.HANDBOOK, ""), threads=self.threads, projects=self._projects)

    @property
    def _projects(self) -> frozenset[str]:
        return frozenset(s.project for s in self.inputs.sources if s.record.session_id in self.threads and s.project)

    def halves(self) -> tuple[Round, Round] | None:
        """The round as two, None where it has one change only."""
        middle = len(self.changes) // 2
        if not middle:
            return None
        one, two = self.changes[:middle], self.changes[middle:]
        return replace(self, changes=one), replace(self, changes=two, first=False)


def rounds(inputs: Inputs, synced: Synced) -> list[Round]:
    """The changes in their order, as many in a round as it may show; one that is longer by itself is cut."""
    groups: list[list[Change]] = []
    size, total = 0, 0
    for change in synced.changes:
        cut = Change(path=change.path, diff=tokens.cut(change.diff, max_tokens=_DIFF_TOKENS, counter=tokens.estimate))
        cost = tokens.estimate(cut.diff)
        total += tokens.byte_length(cut.diff)
        if total > _DIFF_BYTES:
            break
        if not groups or size + cost > _DIFF_TOKENS:
            groups.append([])
            size = 0
        groups[-1].append(cut)
        size += cost
    first = not inputs.documents.get(places.SUMMARY, "").count("\n- ")
    return [
        Round(
            number=number,
            total=len(groups),
            changes=tuple(group),
            inputs=inputs,
            synced=synced,
            first=first and number == 1,
        )
        for number, group in enumerate(groups, 1)
    ]
