"""memory_summary.md within its budget: preferences stay longest, then recent work, then older work in shorter forms."""

from __future__ import annotations

from collections.abc import Sequence

from memkit import prompts, tokens
from memkit.documents import summary
from memkit.documents.summary import SummaryLine
from memkit.engines.base import Inputs
from memkit.engines.offline import claims, index, losses, statements, tips
from memkit.model import Drafts, Section

# Shares of the budget that a kind of line may fill, with all before it: there is always room for what comes after.
_PREFERENCES, _RECENT, _TIPS = 0.70, 0.88, 0.94


def consolidate(inputs: Inputs) -> Drafts:
    """V2's only document, and the reasons for each line that went."""
    read = statements.bodies(inputs)
    held = claims.standing(statements.statements(read, inputs), tombstones=inputs.tombstones, claims=inputs.claims)
    hand = claims.hand_lines(inputs.claims)
    wishes = claims.lines(held.groups)
    shown = tips.tips(read, inputs)
    hints = tips.tip_lines(shown, tombstones=inputs.tombstones)
    work = index.entries(read, inputs)
    others = claims.extension_lines(inputs.extensions, [*hand, *wishes, *hints], tombstones=inputs.tombstones)
    typed = hand + _loose(inputs)
    lines = _fit(typed, wishes=wishes, others=others, tips=hints, work=work, inputs=inputs)
    text = prompts.memory_summary(lines=lines)
    return Drafts(
        documents={summary.FILE: text},
        losses=losses.losses(text, inputs, gone=held.gone, wanted=[*typed, *wishes, *others, *hints], shown=shown),
    )


def _loose(inputs: Inputs) -> list[SummaryLine]:
    return [
        SummaryLine(section=Section.INDEX, text=c.text, mark="ad-hoc note")
        for c in inputs.claims
        if c.section is Section.INDEX and not c.thread_id
    ]


def _fit(
    fixed: Sequence[SummaryLine],
    *,
    wishes: Sequence[SummaryLine],
    others: Sequence[SummaryLine],
    tips: Sequence[SummaryLine],
    work: Sequence[index.Entry],
    inputs: Inputs,
) -> list[SummaryLine]:
    # What was noted goes first, the newest before all; it stands in the order in which it was said.
    newest = _most(list(reversed(fixed)), [], share=_PREFERENCES, inputs=inputs)
    kept = list(reversed(newest))
    # Those that hold everywhere first, then the most recently supported ones.
    ranked = sorted(wishes, key=lambda line: (line.scope is None, line.last or ""), reverse=True)
    kept += _most(ranked, kept, share=_PREFERENCES, inputs=inputs)
    recent = _most([entry.line for entry in work], kept, share=_RECENT, inputs=inputs)
    kept += recent
    kept += _most(tips, kept, share=_TIPS, inputs=inputs)
    kept += _most(others, kept, share=_TIPS, inputs=inputs)
    older = [index.short(entry) for entry in work[len(recent) :]]
    kept += _most(older, kept, share=1.0, inputs=inputs)
    return _ordered(kept, wishes)


def _ordered(kept: Sequence[SummaryLine], wishes: Sequence[SummaryLine]) -> list[SummaryLine]:
    """Global claims before project ones, a project's together, as the claims came; the rest as it was kept."""
    place = {line: i for i, line in enumerate(wishes)}
    return sorted(
        kept,
        key=lambda line: (
            list(Section).index(line.section),
            (line.scope is not None, line.scope or "", place[line]) if line in place else (False, "", -1),
        ),
    )


def _most(
    items: Sequence[SummaryLine], kept: Sequence[SummaryLine], *, share: float, inputs: Inputs
) -> list[SummaryLine]:
    """The longest beginning of items that fits beside what is kept, within a share of the budget.

    Lines are measured one by one, a heading with the first line below it: rendering the whole for every try would cost
    more than all else. What the sum is off by (tokens join over line ends) is left over.
    """
    room = _Room(inputs, share=share)
    for line in kept:
        room.take(line)
    taken: list[SummaryLine] = []
    for line in items:
        room.take(line)
        if room.over:
            break
        taken.append(line)
    return taken


class _Room:
    """What is left of a share of the budget."""

    def __init__(self, inputs: Inputs, *, share: float) -> None:
        self._count = inputs.count
        skeleton = prompts.memory_summary()
        self._bytes = inputs.max_bytes * share - tokens.byte_length(skeleton) - 1  # strictly below the limit
        self._tokens = inputs.max_tokens * share - inputs.count(skeleton)
        self._headings: set[tuple[str, ...]] = set()

    def take(self, line: SummaryLine) -> None:
        text = f"{line}\n"
        for heading in _headings(line):
            if heading not in self._headings:
                self._headings.add(heading)
                text += f"\n#### {heading[-1]}\n\n"
        self._bytes -= tokens.byte_length(text)
        self._tokens -= self._count(text)

    @property
    def over(self) -> bool:
        return self._bytes < 0 or self._tokens < 0


def _headings(line: SummaryLine) -> list[tuple[str, ...]]:
    if line.section is not Section.INDEX or not line.heading:
        return [(line.section.value, "")]
    if not line.date:
        return [("older", summary.OLDER), ("older", line.heading)]
    return [("project", line.heading), ("project", line.heading, line.date)]
