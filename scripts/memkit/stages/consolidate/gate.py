"""The gate: what drafts must be before they are published, and what may go from a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memkit import lint, tree
from memkit.config import SummaryBudget
from memkit.documents import places, summary
from memkit.documents.identity import identity
from memkit.errors import GateError
from memkit.model import Drafts, Finding, Loss

# Lines that a document may lose without a reason before the consolidation is refused (promise 2).
_UNACCOUNTED = 0.2
_FEW = 5
_REFUSED = "the memory stays as it was"


def lint_files(files: tree.TreeFiles, *, limits: SummaryBudget, user_home: str) -> tuple[Finding, ...]:
    """Lint's findings over a tree."""
    return lint.lint_tree(
        files.files,
        max_bytes=limits.max_bytes,
        max_tokens=limits.max_tokens,
        symlinks=files.symlinks,
        home=user_home,
    )


def check(files: tree.TreeFiles, *, limits: SummaryBudget, user_home: str) -> tuple[Finding, ...]:
    """The findings that do not gate. Raises GateError for those that do."""
    findings = lint_files(files, limits=limits, user_home=user_home)
    gating = [f for f in findings if f.gates]
    if gating:
        shown = "; ".join(f"{f.file}:{f.line}: {f.rule}: {f.message}" for f in gating[:3])
        more = f" and {len(gating) - 3} more" if len(gating) > 3 else ""
        raise GateError(f"the consolidation was refused: {shown}{more}", mend=_REFUSED)
    return findings


def refusals(
    files: Mapping[str, bytes], documents: Mapping[str, str], *, limits: SummaryBudget, user_home: str
) -> tuple[str, ...]:
    """What would keep documents from being published in a tree of these files, a line each."""
    drafts = {p for p in files if p in (places.SUMMARY, places.HANDBOOK) or p.startswith("skills/")}
    whole = {p: d for p, d in files.items() if p not in drafts} | {p: t.encode() for p, t in documents.items()}
    found = lint.lint_tree(whole, max_bytes=limits.max_bytes, max_tokens=limits.max_tokens, symlinks=(), home=user_home)
    return tuple(f"{f.file}:{f.line}: {f.rule}: {f.message}" for f in found if f.gates)


def differences(old: str, new: str, drafts: Drafts) -> tuple[list[str], list[str], list[Loss]]:
    """(new lines, changed lines, lost lines with their reasons) of a summary. Support counts alone are a change."""
    had = {identity(line): line for line in summary.scan(old).lines}
    has = {identity(line): line for line in summary.scan(new).lines}
    added = [str(line) for key, line in has.items() if key not in had]
    changed = [str(line) for key, line in has.items() if key in had and str(line) != str(had[key])]
    reasons = {loss.line: loss.reason for loss in drafts.losses}
    removed = [
        Loss(line=str(line), reason=reasons.get(line.raw) or reasons.get(str(line)) or "")
        for key, line in had.items()
        if key not in has
    ]
    return added, changed, removed


def guard(old: str, removed: Sequence[Loss]) -> None:
    """Promise 2: more unaccounted losses than a fifth of the document, and the consolidation is refused."""
    unaccounted = [loss for loss in removed if not loss.reason]
    total = len(summary.scan(old).lines)
    if len(unaccounted) > _UNACCOUNTED * total and (total >= _FEW or len(unaccounted) == total):
        raise GateError(
            f"the consolidation was refused: {len(unaccounted)} of {total} lines would go without a reason,"
            f" such as {unaccounted[0].line}",
            mend=_REFUSED,
        )
