"""What memkit holds a model's documents to, whatever the model did: forgotten words, notes, sessions without a line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memkit import match, prompts, tokens
from memkit.documents import handbook, places, summary
from memkit.documents.hiding import hide
from memkit.documents.identity import identity
from memkit.documents.summary import SummaryLine
from memkit.engines.base import Inputs
from memkit.engines.offline import OfflineEngine, claims, index, statements
from memkit.engines.openai import placing
from memkit.model import Section, Tombstone


@dataclass(frozen=True)
class Keeper:
    """What the inputs say must and must not stand in the documents.

    returned: claims that the user made after they were forgotten. own: lines of notes and edits by hand.
    """

    inputs: Inputs
    returned: tuple[str, ...]
    own: tuple[SummaryLine, ...]

    @classmethod
    def of(cls, inputs: Inputs) -> Keeper:
        said = statements.statements(statements.bodies(inputs), inputs)
        held = claims.standing(said, tombstones=inputs.tombstones, claims=inputs.claims)
        own = claims.hand_lines(inputs.claims)
        return cls(inputs, tuple(line.text for line in (*claims.lines(held.groups), *own)), tuple(own))

    def kept(self, documents: Mapping[str, str], *, new: Collection[str]) -> dict[str, str]:
        """The documents as they may be published. new: ids of sessions that must have a line, where there is room."""
        kept = {
            path: text if path == places.SUMMARY else hide(text, self._buried_text) for path, text in documents.items()
        }
        text = kept.get(places.SUMMARY, "") or prompts.memory_summary()
        text = placing.without(text, self._buried)
        text = self._with_own_words(self._with_own_lines(text))
        kept[places.SUMMARY] = self._with_sessions(text, new)
        if self.inputs.version == "v1":
            kept[places.HANDBOOK] = self._with_blocks(kept.get(places.HANDBOOK, ""), new)
        return kept

    def put_back(self, documents: Mapping[str, str], lost: Iterable[SummaryLine]) -> dict[str, str]:
        """The documents with lines that went for no reason, as far as there is room for them."""
        text = documents[places.SUMMARY]
        for line in lost:
            longer = placing.placed(text, line)
            text = longer if self._fits(longer) else text
        return {**documents, places.SUMMARY: text}

    def stones(self) -> list[Tombstone]:
        """The tombstones that act on words."""
        return [stone for stone in self.inputs.tombstones if not stone.thread_id]

    def _buried(self, line: SummaryLine) -> bool:
        if line.thread_id:
            hidden = any(s.thread_id == line.thread_id for s in self.inputs.tombstones)
            return hidden and line.thread_id not in self._worded()
        return self._forbidden(line.text, line.scope)

    def _buried_text(self, text: str) -> bool:
        return self._forbidden(text, None)

    def _forbidden(self, text: str, scope: str | None) -> bool:
        found = any(match.buries(s, text, scope=scope or s.scope) for s in self.stones())
        return found and not any(match.same(text, each) for each in self.returned)

    def _worded(self) -> dict[str, str]:
        """Index lines whose words a person changed."""
        return {c.thread_id: c.text for c in self.inputs.claims if c.section is Section.INDEX and c.thread_id}

    def _with_own_lines(self, text: str) -> str:
        """A line of a note stands as it was noted; what a model made of it goes."""
        for own in self.own:
            lines = summary.scan(text).lines
            if any((each.text, each.scope, each.section) == (own.text, own.scope, own.section) for each in lines):
                continue
            alike = {line.line for line in lines if line.section is own.section and match.same(line.text, own.text)}
            text = placing.placed(placing.without(text, _among(alike)), own)
        return text

    def _with_own_words(self, text: str) -> str:
        for thread, words in self._worded().items():
            line = next((each for each in summary.scan(text).lines if each.thread_id == thread), None)
            if line is not None and line.text != words:
                text = placing.changed(text, line, to=replace(line, text=words, mark="ad-hoc note"))
        return text

    def _with_sessions(self, text: str, new: Collection[str]) -> str:
        """A session that the model gave no line gets a plain one, as long as there is room."""
        here = {line.thread_id for line in summary.scan(text).lines}
        for entry in index.entries(statements.bodies(self._only(set(new) - here)), self.inputs):
            for line in (entry.line, index.short(entry)):
                longer = placing.placed(text, line)
                if self._fits(longer):
                    text = longer
                    break
        return text

    def _with_blocks(self, text: str, new: Collection[str]) -> str:
        named = {
            ref.thread_id for block in handbook.scan(text).blocks for task in block.tasks for ref in task.references
        }
        missing = self._only(set(new) - named)
        if not missing.sources:
            return text
        added = OfflineEngine().consolidate(replace(missing, documents={}, claims=())).documents[places.HANDBOOK]
        return f"{text.rstrip(chr(10))}\n\n{added}" if text.strip() else added

    def _only(self, ids: Collection[str]) -> Inputs:
        return replace(self.inputs, sources=tuple(s for s in self.inputs.sources if s.record.session_id in ids))

    def _fits(self, text: str) -> bool:
        inputs = self.inputs
        return tokens.byte_length(text) < inputs.max_bytes and inputs.count(text) <= inputs.max_tokens


def _among(numbers: Collection[int]) -> Callable[[SummaryLine], bool]:
    return lambda line: line.line in numbers


def forgotten(stones: Sequence[Tombstone]) -> list[str]:
    """The texts that a model is told to leave out, with their scope."""
    return list(dict.fromkeys(f"(in {s.scope}) {s.text}" if s.scope else s.text for s in stones))


def missing_lines(before: str, after: str) -> list[SummaryLine]:
    """The lines of a summary that another one no longer has."""
    here = {identity(line) for line in summary.scan(after).lines}
    return [line for line in summary.scan(before).lines if identity(line) not in here]
