"""Why lines left the summary: a true reason for each, in the words of the commit (DESIGN.md, promise 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memkit import match
from memkit.documents import summary
from memkit.documents.summary import SummaryLine
from memkit.engines.base import Inputs
from memkit.engines.offline import claims
from memkit.engines.offline.tips import Tip
from memkit.model import Loss, Section

OUT_OF_BUDGET = "out of budget"
UNSELECTED = "its session is no longer selected"
UNSUPPORTED = "no selected session supports it any more"


def losses(
    text: str, inputs: Inputs, *, gone: Mapping[str, str], wanted: Sequence[SummaryLine], shown: Sequence[Tip]
) -> tuple[Loss, ...]:
    """A reason for each line of the current summary that the new one, `text`, says no longer in its scope.

    gone: reasons by words. wanted: claims and tips that hold, whether there was room or not. shown: all tips.
    """
    old = summary.scan(inputs.documents.get(summary.FILE, "")).lines
    new = summary.scan(text).lines
    here = {(line.section, line.scope, line.text) for line in new}
    threads = {line.thread_id for line in new if line.thread_id}
    went = [
        line
        for line in old
        if (line.thread_id not in threads if line.thread_id else (line.section, line.scope, line.text) not in here)
    ]
    return tuple(
        Loss(line=line.raw, reason=_of_session(line, inputs) or _of_claim(line, inputs, gone, wanted, shown, new))
        for line in went
    )


def _of_session(line: SummaryLine, inputs: Inputs) -> str:
    if not line.thread_id:
        return ""
    mine = (t for t in inputs.tombstones if t.thread_id == line.thread_id)
    stone = next((t for t in mine if not t.source.startswith("session:")), None)
    if stone is not None:
        return claims.why_buried(stone)
    selected = any(s.record.session_id == line.thread_id for s in inputs.sources)
    if selected:
        return OUT_OF_BUDGET
    return next((left.reason for left in inputs.left if left.session_id == line.thread_id), UNSELECTED)


def _of_claim(
    line: SummaryLine,
    inputs: Inputs,
    gone: Mapping[str, str],
    wanted: Sequence[SummaryLine],
    shown: Sequence[Tip],
    new: Sequence[SummaryLine],
) -> str:
    stone = next((t for t in inputs.tombstones if match.buries(t, line.text, scope=line.scope)), None)
    if stone:
        return claims.why_buried(stone)
    mine = [w for w in wanted if (w.section, w.scope, w.text) == (line.section, line.scope, line.text)]
    if mine:
        return OUT_OF_BUDGET
    if line.mark.startswith("extension "):
        expired = (left.reason for left in inputs.left if line.text in left.text)
        return next(expired, f"the {line.mark} no longer says it")
    if line.section is Section.TIPS:
        return _of_tip(line, inputs, shown, new)
    if reason := gone.get(line.text.strip('"')):
        return reason
    kept = [w for w in (*new, *wanted) if w.section is line.section and _in_scope(w.scope, line)]
    for other in kept:
        if match.same(other.text, line.text):
            return f"merged into: {other.text}"
    alike = (reason for text, reason in gone.items() if match.same(text, line.text))
    return next(alike, "") or _unsupported(inputs, line.text.strip('"'))


def _unsupported(inputs: Inputs, words: str) -> str:
    """Why the sessions went whose records held the words."""
    reasons = dict.fromkeys(left.reason for left in inputs.left if words in left.text)
    return ", ".join(reasons) or UNSUPPORTED


def _of_tip(line: SummaryLine, inputs: Inputs, shown: Sequence[Tip], new: Sequence[SummaryLine]) -> str:
    """A tip is its command in its project; its words change with each run."""
    mine = [t for t in shown if t.scope == line.scope and line.text.startswith(f"`{t.command}` ")]
    if not mine:
        return _unsupported(inputs, "`".join(line.text.split("`")[:2]) + "`")
    now = next((n for n in new if n.scope == line.scope and n.text.startswith(f"`{mine[0].command}` ")), None)
    if now:
        return f"replaced by {now.text}"
    return "fewer than two selected sessions show it" if not any(t.fix for t in mine) else OUT_OF_BUDGET


def _in_scope(scope: str | None, line: SummaryLine) -> bool:
    return scope is None or scope == line.scope
