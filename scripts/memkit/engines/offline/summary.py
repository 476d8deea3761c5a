"""memory_summary.md within its budget: preferences stay longest, then recent work, then older work in shorter forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from memkit import match, prompts, tokens
from memkit.documents import summary
from memkit.documents.record import Body
from memkit.documents.summary import SummaryLine
from memkit.engines.base import Inputs, Source
from memkit.engines.offline import claims, index, statements
from memkit.model import Drafts, Loss, Section

# Shares of the budget that a kind of line may fill, with all before it: there is always room for what comes after.
_PREFERENCES, _RECENT, _TIPS = 0.70, 0.88, 0.94
T = TypeVar("T")


def consolidate(inputs: Inputs) -> Drafts:
    """V2's only document, and the reasons for each line that went."""
    read = statements.bodies(inputs)
    held = claims.standing(statements.statements(read, inputs), tombstones=inputs.tombstones, claims=inputs.claims)
    hand = claims.hand_lines(inputs.claims)
    wishes = claims.lines(held.groups)
    tips = claims.tip_lines(statements.tips(read, inputs), tombstones=inputs.tombstones)
    work = index.full(read, claims=inputs.claims, tombstones=inputs.tombstones)
    lines = _fit(hand + _loose(inputs), wishes=wishes, tips=tips, work=work, read=read, inputs=inputs)
    text = prompts.memory_summary(lines=lines)
    return Drafts(documents={summary.FILE: text}, losses=_losses(text, inputs, gone=held.gone, wanted=[*wishes, *tips]))


def _loose(inputs: Inputs) -> list[SummaryLine]:
    return [
        SummaryLine(section=Section.INDEX, text=c.text, mark="by hand")
        for c in inputs.claims
        if c.section is Section.INDEX and not c.thread_id
    ]


def _fit(
    fixed: Sequence[SummaryLine],
    *,
    wishes: Sequence[SummaryLine],
    tips: Sequence[SummaryLine],
    work: Sequence[SummaryLine],
    read: Sequence[tuple[Source, Body]],
    inputs: Inputs,
) -> list[SummaryLine]:
    bodies = {source.record.session_id: body for source, body in read}
    kept = list(fixed)
    # Those that hold everywhere first, then the most recently supported ones.
    ranked = sorted(wishes, key=lambda line: (line.scope is None, line.last or ""), reverse=True)
    kept += _most(ranked, kept, share=_PREFERENCES, inputs=inputs)
    recent = _most(work, kept, share=_RECENT, inputs=inputs)
    kept += recent
    kept += _most(tips, kept, share=_TIPS, inputs=inputs)
    older = [index.short(line, bodies[line.thread_id]) for line in work[len(recent) :]]
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
    """The longest beginning of items that fits beside what is kept, within a share of the budget."""

    def fits(n: int) -> bool:
        text = prompts.memory_summary(lines=[*kept, *items[:n]])
        return tokens.byte_length(text) < inputs.max_bytes * share and inputs.count(text) <= inputs.max_tokens * share

    return list(items[: _largest(len(items), fits)])


def _largest(most: int, fits: Callable[[int], bool]) -> int:
    if fits(most):
        return most
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


# --- why lines went ------------------------------------------------------------------------------------------------


def _losses(text: str, inputs: Inputs, *, gone: dict[str, str], wanted: Sequence[SummaryLine]) -> tuple[Loss, ...]:
    """A reason for each line of the current summary that the new one says no longer, in any wording."""
    old = summary.scan(inputs.documents.get(summary.FILE, "")).lines
    new = summary.scan(text).lines
    here = {line.text for line in new}
    threads = {line.thread_id for line in new if line.thread_id}
    losses = []
    for line in old:
        if line.text in here or (line.thread_id and line.thread_id in threads):
            continue
        losses.append(Loss(line=line.raw, reason=_reason(line, inputs, gone=gone, wanted=wanted, new=new)))
    return tuple(losses)


def _reason(
    line: SummaryLine,
    inputs: Inputs,
    *,
    gone: dict[str, str],
    wanted: Sequence[SummaryLine],
    new: Sequence[SummaryLine],
) -> str:
    sessions = {s.record.session_id for s in inputs.sources}
    if line.thread_id:
        if any(t.thread_id == line.thread_id for t in inputs.tombstones):
            return "taken out by hand"
        return "out of budget" if line.thread_id in sessions else "its session is no longer selected"
    said = line.text.strip('"')
    if said in gone:
        return gone[said]
    for other in new:
        if other.section is line.section and match.same(other.text, line.text):
            return f"merged into: {other.text}"
    if any(w.text == line.text for w in wanted):
        return "out of budget"
    for text, reason in gone.items():
        if match.same(text, line.text):
            return reason
    if any(match.same(t.text, line.text) for t in inputs.tombstones):
        return "taken out by hand"
    return "no selected session supports it any more"
