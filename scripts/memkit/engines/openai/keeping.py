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
from memkit.engines.openai.blocks import blocks
from memkit.model import Section, Tombstone


@dataclass(frozen=True)
class Keeper:
    """What the inputs say must and must not stand in the documents.

    returned: what the user says, and said after it was forgotten where that was. own: lines of notes and edits by hand.
    """

    inputs: Inputs
    returned: tuple[SummaryLine, ...]
    own: tuple[SummaryLine, ...]

    @classmethod
    def of(cls, inputs: Inputs) -> Keeper:
        said = statements.statements(statements.bodies(inputs), inputs)
        held = claims.standing(said, tombstones=inputs.tombstones, claims=inputs.claims)
        own = claims.hand_lines(inputs.claims)
        return cls(inputs, (*claims.lines(held.groups), *own), tuple(own))

    def kept(self, documents: Mapping[str, str], *, new: Collection[str]) -> dict[str, str]:
        """The documents as they may be published. new: ids of sessions that must have a line, where there is room."""
        kept = {path: self._hidden(path, text) for path, text in documents.items() if path != places.SUMMARY}
        text = documents.get(places.SUMMARY, "") or prompts.memory_summary()
        text = placing.without(text, lambda line: self._buried(line) or self._foreign(line))
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

    def _hidden(self, path: str, text: str) -> str:
        """A document of V1 without what was forgotten where it speaks of."""
        if path != places.HANDBOOK:
            return hide(text, lambda words: self._forbidden(words, None))
        return "\n".join(hide(block, self._gone_from(block)) for block in blocks(text))

    def _gone_from(self, block: str) -> Callable[[str], bool]:
        scope = next((each.cwd for each in handbook.scan(block).blocks), None)
        return lambda words: self._forbidden(words, scope)

    def _buried(self, line: SummaryLine) -> bool:
        if line.thread_id and line.thread_id not in self._worded():
            hidden = any(s.thread_id == line.thread_id for s in self.inputs.tombstones)
            return hidden or self._forbidden(line.text, line.heading)
        return not line.thread_id and self._forbidden(line.text, line.scope)

    def _forbidden(self, text: str, scope: str | None) -> bool:
        found = any(match.buries(s, text, scope=scope) for s in self.stones())
        return found and not self._holds(text, scope)

    def _holds(self, text: str, scope: str | None) -> bool:
        """Does the user say it, for this scope or everywhere?"""
        return any(match.same(text, each.text) for each in self.returned if each.scope in (None, scope))

    def _foreign(self, line: SummaryLine) -> bool:
        """Words of an extension that a model made the user's."""
        if line.section not in (Section.PROFILE, Section.PREFERENCES) or line.mark:
            return False
        theirs = any(match.same(line.text, claim.text) for claim in self.inputs.extensions)
        return theirs and not self._holds(line.text, line.scope)

    def _worded(self) -> dict[str, str]:
        """Index lines whose words a person changed."""
        return {c.thread_id: c.text for c in self.inputs.claims if c.section is Section.INDEX and c.thread_id}

    def _with_own_lines(self, text: str) -> str:
        """A line of a note stands as it was noted; what a model made of it goes."""
        for own in self.own:
            lines = summary.scan(text).lines
            if any((each.text, each.scope, each.section) == (own.text, own.scope, own.section) for each in lines):
                continue
            mine = [line for line in lines if line.section is own.section and own.scope in (None, line.scope)]
            alike = {line.line for line in mine if match.same(line.text, own.text)}
            text = placing.placed(placing.without(text, _among(alike)), own)
        return text

    def _with_own_words(self, text: str) -> str:
        for thread, words in self._worded().items():
            line = next((each for each in summary.scan(text).lines if each.thread_id == thread), None)
            if line is not None and line.text != words:
                text = placing.changed(text, line, to=line._replace(text=words, mark="ad-hoc note"))
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
